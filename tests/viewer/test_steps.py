"""What people do about a step in the viewer: notes, thumbs, and another expectation in the test file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from du_eval.viewer.access import Access
from tests.cli.calling import Caller
from tests.reports.browsing import Browser
from tests.viewer.asking import ask, write
from tests.viewer.serving import viewing

OPEN_FIRST = "document.querySelector('li.entry .open').click()"


def open_run(browser: Browser, access: Access, folder: Path) -> None:
    browser.open(access.make_address(f"/run/{folder.name}"))
    browser.wait_for("document.querySelector('li.entry')")
    browser.value(OPEN_FIRST)


def first_run(kept: Path) -> Path:
    return min(folder for folder in kept.iterdir() if folder.is_dir())


def test_a_wrong_expectation_is_shown_as_an_edit_written_on_confirmation_and_judged_again(
    browser: Browser, viewer: Access, kept: Path, project: Path
) -> None:
    before = (project / "suite.yml").read_text(encoding="utf-8")
    open_run(browser, viewer, first_run(kept))
    browser.value("document.querySelector('[data-how=replace]').click()")
    browser.wait_for("document.querySelector('.edit')")
    shown = browser.value("document.querySelector('.edit').innerText")
    assert "-          - SetSlot(handle, @adale)" in shown
    assert "+          - SetSlot(name, @adale)" in shown
    assert (project / "suite.yml").read_text(encoding="utf-8") == before  # nothing is written yet
    browser.value("document.querySelector('.write').click()")
    browser.wait_for("document.querySelector('li.entry.passed')")
    assert "Steps: 1 did not pass" in browser.value("document.querySelector('#entries h2').textContent")
    after = (project / "suite.yml").read_text(encoding="utf-8")
    assert after == before.replace("SetSlot(handle, @adale)", "SetSlot(name, @adale)")
    assert browser.complaints == []


def test_both_may_be_right(browser: Browser, viewer: Access, kept: Path, project: Path) -> None:
    open_run(browser, viewer, first_run(kept))
    browser.value("document.querySelector('[data-how=any_of]').click()")
    browser.wait_for("document.querySelector('.write')")
    browser.value("document.querySelector('.write').click()")
    browser.wait_for("document.querySelector('li.entry.passed')")
    assert "Steps: 1 did not pass" in browser.value("document.querySelector('#entries h2').textContent")
    after = (project / "suite.yml").read_text(encoding="utf-8")
    assert "any_of:\n          - - SetSlot(handle, @adale)\n          - - SetSlot(name, @adale)" in after


def test_notes_and_thumbs_are_kept_with_the_run(browser: Browser, viewer: Access, kept: Path) -> None:
    run = first_run(kept)
    open_run(browser, viewer, run)
    box = "document.querySelector('.thumbs textarea')"
    browser.value(f"{box}.value = 'ask <b>Ada</b>'; {box}.dispatchEvent(new Event('change'))")
    browser.wait_for("document.querySelector('.thumbs [role=status]').textContent === 'saved'")
    browser.value("document.querySelector('[data-thumb=\"-1\"]').click()")
    browser.wait_for("document.querySelector('[data-thumb=\"-1\"]').getAttribute('aria-pressed') === 'true'")
    (found,) = json.loads((run / "notes.json").read_text(encoding="utf-8")).values()
    browser.wait_for("document.querySelector('.thumbs [role=status]').textContent === 'saved'")
    assert found["note"] == "ask <b>Ada</b>"
    open_run(browser, viewer, run)
    assert browser.value(f"{box}.value") == "ask <b>Ada</b>"


@pytest.mark.parametrize("path", ["/note", "/correct/preview", "/correct/apply"])
def test_nobody_writes_without_the_secret_of_a_page_or_from_elsewhere(path: str, viewer: Access) -> None:
    assert write(viewer, path, "{}", X_Du_Eval_Page="guessed").status == 403
    assert write(viewer, path, "{}", Origin="http://evil.example").status == 403
    assert write(viewer, path, "{}", Cookie="").status == 403
    assert ask(viewer, path).status == 405


@pytest.mark.parametrize("name", ["..", "../runs", "%2e%2e", "/etc/passwd", "", "."])
def test_only_runs_can_be_named(name: str, viewer: Access) -> None:
    for path in ("/note", "/correct/preview", "/correct/apply"):
        reply = write(viewer, path, json.dumps({"run": name, "id": "x", "thumb": 1}))
        assert reply.status in {400, 409}


@pytest.mark.parametrize("body", ["[]", "3", "{", '{"run": 3, "id": []}', '{"thumb": 7}'])
def test_what_is_no_request_of_a_page_is_refused(body: str, viewer: Access) -> None:
    for path in ("/note", "/correct/preview", "/correct/apply"):
        assert write(viewer, path, body).status in {400, 409}


def test_a_file_that_changed_meanwhile_is_not_overwritten(viewer: Access, kept: Path, project: Path) -> None:
    told = {"run": first_run(kept).name, "id": "suite.yml::user_notes_down_a_friend::2", "how": "replace"}
    edit = json.loads(write(viewer, "/correct/preview", json.dumps(told)).text)
    changed = (project / "suite.yml").read_text(encoding="utf-8") + "# a remark\n"
    (project / "suite.yml").write_text(changed, encoding="utf-8")
    reply = write(viewer, "/correct/apply", json.dumps({**told, "hash": edit["hash"]}))
    assert reply.status == 409
    assert "has changed since the edit was shown" in reply.text
    assert (project / "suite.yml").read_text(encoding="utf-8") == changed


def test_a_run_that_was_corrected_still_holds(
    viewer: Access, kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = {"run": first_run(kept).name, "id": "suite.yml::user_notes_down_a_friend::2", "how": "replace"}
    edit = json.loads(write(viewer, "/correct/preview", json.dumps(told)).text)
    assert write(viewer, "/correct/apply", json.dumps({**told, "hash": edit["hash"]})).status == 200
    answer = Caller(capsys)("verify", str(first_run(kept)))
    assert answer.code == 0, answer.out


def test_files_elsewhere_are_not_edited(
    kept: Path, project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    told = {"run": first_run(kept).name, "id": "suite.yml::user_notes_down_a_friend::2", "how": "replace"}
    with viewing(kept) as access:
        assert write(access, "/correct/preview", json.dumps(told)).status == 409


def test_an_experiment_is_a_matrix_with_a_real_filter_of_what_differs(
    browser: Browser, project: Path, call: Caller
) -> None:
    arms = "paths: [suite.yml]\narms:\n  - {name: a, generator: 'my_bots:poor'}\n  - {name: b, generator: 'my_bots:good'}\n"
    (project / "plan.yaml").write_text(arms, encoding="utf-8")
    assert call("experiment", "plan.yaml", "-q").code == 0
    root = project / ".du-eval" / "runs"
    name = max(folder.name for folder in root.iterdir() if (folder / "experiment.json").is_file())
    with viewing(root) as access:
        browser.open(access.make_address(f"/run/{name}"))
        browser.wait_for("document.querySelector('table.arms')")
        assert browser.find_barriers() == []
        assert browser.value("document.querySelector('.verdict').textContent").startswith("!Cannot tell yet")
        assert browser.value("document.querySelectorAll('table.arms tr.step').length") == 2
        browser.value("document.querySelector('[data-agreement=\"\"]').click()")
        assert browser.value("document.querySelectorAll('table.arms tr.step').length") == 3
        assert browser.complaints == []
