"""Secrets do not show, however a server writes them."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from html import escape
from urllib.parse import quote, quote_plus

import pytest

from du_eval.assembly.keeping import public_settings
from du_eval.assembly.quality import name_chatter
from du_eval.trust.secrets import hide_credentials, hide_secrets, list_secrets

SECRET = "sk-Ab/12+ü=\"x\\y & <z>'"


@pytest.mark.parametrize(
    "written",
    [
        SECRET,
        quote(SECRET),
        quote(SECRET, safe=""),
        quote_plus(SECRET),
        re.sub("%..", lambda found: found[0].lower(), quote(SECRET)),
        json.dumps(SECRET),
        json.dumps(SECRET, ensure_ascii=False),
        json.dumps(SECRET).replace("/", "\\/"),
        escape(SECRET),
        repr(SECRET),
        b64encode(SECRET.encode()).decode(),
    ],
)
def test_a_secret_is_hidden_in_every_form_in_which_servers_repeat_it(written: str) -> None:
    shown = hide_secrets(f"you sent {written}, which is wrong", [SECRET])
    assert "you sent" in shown
    assert not any(part in shown for part in ("Ab", "12", "c2stQWI"))


def test_what_is_too_short_to_be_a_secret_is_no_secret() -> None:
    assert hide_secrets("a b abc", ["a", "abc"]) == "a b abc"


def test_user_and_password_of_an_address_are_hidden_and_the_rest_is_kept() -> None:
    assert hide_credentials("http:https://bob:pass@h:8/x?a=b@c") == "http:https://h:8/x?a=b@c"
    assert hide_credentials("ask a@b.example") == "ask a@b.example"


@pytest.mark.parametrize(
    "choice", ["http:http://bob:pass@h/x", {"type": "http", "url": "http://bob:pass@h/x"}]
)
def test_the_name_of_a_bot_has_no_password_in_it(choice: str | dict[str, object]) -> None:
    assert name_chatter(choice) == "http:http://h/x"


@pytest.mark.parametrize("key", ["url", "base_url", "generator", "action_endpoint"])
def test_settings_of_a_kept_run_have_no_password_in_them(key: str) -> None:
    assert public_settings({key: "http://bob:pass@h/x"}) == {key: "http://h/x ***"}
    assert public_settings({key: "my_module:answer"}) == {key: "my_module:answer"}


def test_neither_have_the_settings_within_settings() -> None:
    bot = {"type": "http", "url": "http://bob:pass@h/x", "headers": {"Authorization": "Bearer abcdef"}}
    assert public_settings({"bot": bot})["bot"] == {
        "type": "http",
        "url": "http://h/x ***",
        "headers": {"Authorization": "***"},
    }


def test_keys_in_headers_are_secrets_but_a_word_that_stands_for_one_is_not() -> None:
    assert list_secrets("http://h", {"Authorization": "Bearer sk-some-key", "X": "y"}) == ("sk-some-key",)
    assert list_secrets("http://h", {"Authorization": "Bearer test"}) == ()
