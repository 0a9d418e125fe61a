"""A test that is skipped without a good reason is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.skips import list_skips

pytest_plugins = ["pytester"]
SKIPPING = """
import pytest


def test_one():
    pytest.skip({reason!r})
"""


def test_reasons_are_counted_and_those_off_the_list_stand_out() -> None:
    lines, is_fine = list_skips(["litellm is installed", "I was tired", "litellm is installed"])
    assert lines == ["NOT ALLOWED    1  I was tired", "allowed    2  litellm is installed"]
    assert not is_fine


def test_a_reason_may_be_allowed_for_one_run() -> None:
    assert list_skips(["no Chromium is installed"], "no Chromium is installed|zsh")[1]
    assert not list_skips(["no Chromium is installed"])[1]


@pytest.mark.parametrize(
    ("reason", "strict", "code"),
    [
        ("I was tired", "1", pytest.ExitCode.TESTS_FAILED),
        ("I was tired", "", pytest.ExitCode.OK),
        ("litellm is installed", "1", pytest.ExitCode.OK),
    ],
)
def test_a_run_with_a_skip_off_the_list_fails_only_where_everything_is_checked(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, reason: str, strict: str, code: int
) -> None:
    pytester.makeconftest(Path(__file__).with_name("conftest.py").read_text(encoding="utf-8"))
    pytester.makepyfile(SKIPPING.format(reason=reason))
    monkeypatch.setenv("STRICT_SKIPS", strict)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    pytester.makeini("[pytest]")  # so that neither settings nor fixtures of the folders above are looked for
    alone = ("-c", "tox.ini", "--rootdir", ".", "--confcutdir", ".")
    found = pytester.runpytest_subprocess(*alone, "-p", "no:cacheprovider", "-p", "no:du_eval")
    assert found.ret == code
    assert ("I was tired" in found.stdout.str()) == (strict == "1" and reason == "I was tired")
