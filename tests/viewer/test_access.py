"""Nobody gets in without the token, no other site or origin, and no path leads to a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from du_eval.runs.manifest import Manifest
from du_eval.runs.store import RunStore
from du_eval.viewer.access import Access
from tests.viewer.asking import ask
from tests.viewer.serving import viewing

EVERY_PATH = ("/", "/run/x", "/compare/x/y", "/live", "/live/x", "/nothing")
TRICKS = (
    "/run/..",
    "/run/../../suite.yml",
    "/run/%2e%2e%2f%2e%2e%2fsuite.yml",
    "/run/..%2f..%2fsuite.yml",
    "/run/%2fetc%2fpasswd",
    "/run/.gitignore",
    "/run/%00",
    "/run/x%5c..%5cy",
    "//etc/passwd",
    "/assets/viewer.js",
    "/compare/../..",
    "/run/.",
)


@pytest.fixture(scope="module")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Access]:
    """Return the access to a viewer of one run, whose label nobody else may read."""
    root = tmp_path_factory.mktemp("runs")
    RunStore(root).create(Manifest("20260131-120000-000-abcd", "test", "bot", {}, (), label="first try"))
    (root.parent / "suite.yml").write_text("test_cases: []", encoding="utf-8")
    with viewing(root) as access:
        yield access


@pytest.mark.parametrize("path", EVERY_PATH)
@pytest.mark.parametrize("cookie", ["", "du_eval_1=x", "{name}=", "{name}=wrong", "{name}={half}"])
def test_nothing_is_answered_without_the_token(path: str, cookie: str, viewer: Access) -> None:
    text = cookie.format(name=viewer.cookie, half=viewer.token[:-1])
    reply = ask(viewer, path, Cookie=text)
    assert reply.status == 403
    assert "first try" not in reply.text


@pytest.mark.parametrize("token", ["", "wrong", "%00", "é"])
def test_a_wrong_token_opens_nothing(token: str, viewer: Access) -> None:
    reply = ask(viewer, f"/?token={token.encode().hex() if token == 'é' else token}", Cookie="")
    assert reply.status == 403
    assert "set-cookie" not in reply.headers


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(viewer: Access) -> None:
    reply = ask(viewer, f"/?token={viewer.token}", Cookie="")
    assert reply.status == 303
    assert reply.headers["location"] == "/"
    assert "HttpOnly" in reply.headers["set-cookie"]
    assert "SameSite=Strict" in reply.headers["set-cookie"]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", ""])
def test_another_host_name_is_refused(host: str, viewer: Access) -> None:
    assert ask(viewer, Host=host.format(port=viewer.port)).status in {400, 403}


@pytest.mark.parametrize(
    "origin", ["null", "http://evil.example", "http://127.0.0.1:1", "https://127.0.0.1:{port}"]
)
def test_another_origin_is_refused(origin: str, viewer: Access) -> None:
    assert ask(viewer, Origin=origin.format(port=viewer.port)).status == 403


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "http://127.0.0.1:1"])
@pytest.mark.parametrize("path", ["/live", "/live/20260131-120000-000-abcd"])
def test_news_are_told_to_pages_of_our_own_only(path: str, origin: str | None, viewer: Access) -> None:
    wish = {
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }  # fmt: skip
    assert ask(viewer, path, **wish, **({"Origin": origin} if origin else {})).status == 403
    own = f"http://127.0.0.1:{viewer.port}"
    assert ask(viewer, path, **wish, Origin=own, Cookie="").status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_of_another_site_gets_nothing(site: str, viewer: Access) -> None:
    assert ask(viewer, Sec_Fetch_Site=site).status == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_other_methods_are_refused(method: str, viewer: Access) -> None:
    assert ask(viewer, method=method).status in {400, 403}


@pytest.mark.parametrize("path", TRICKS)
def test_paths_lead_to_no_file(path: str, viewer: Access) -> None:
    reply = ask(viewer, path)
    assert reply.status in {400, 404}
    assert "test_case" not in reply.text
    assert "root:x:0" not in reply.text


def test_every_answer_says_what_a_browser_may_do_with_it(viewer: Access) -> None:
    for reply in (ask(viewer), ask(viewer, Cookie=""), ask(viewer, "/nothing")):
        assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert reply.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in reply.headers


def test_the_page_allows_only_its_own_scripts_and_the_viewer(viewer: Access) -> None:
    text = ask(viewer).text
    policy = text.partition('Content-Security-Policy" content="')[2].partition('"')[0]
    assert policy.startswith("default-src 'none'; connect-src 'self' ws://127.0.0.1:")
    assert "unsafe" not in policy
    assert "http" not in policy.replace("ws://", "")


def test_the_token_stands_on_no_page(viewer: Access) -> None:
    assert viewer.token not in ask(viewer).text
