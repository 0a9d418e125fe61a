import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from du_eval.assistants.action_server import ActionServer
from du_eval.assistants.actions import (
    ActionCall,
    ActionError,
    ActionNotRunError,
    ActionResult,
    FirstOf,
    RehearsedActions,
    StubbedActions,
)
from du_eval.assistants.python_actions import PythonActions
from du_eval.errors import ConfigError, PluginError

MODULE = """\
class ActionGreet:
    def name(self):
        return "action_greet"

    def run(self, dispatcher, tracker, domain):
        dispatcher.utter_message(text=f"Hello {tracker.get_slot('person')}")
        dispatcher.utter_message(response="utter_more", buttons=[{"title": "Yes", "payload": "/yes"}])
        return [{"event": "slot", "name": "greeted", "value": True}]


def action_sum(slots):
    return {"total": slots["a"] + slots["b"]}


async def action_later(tracker):
    return {"text": tracker.latest_message["text"]}


def action_silent(dispatcher):
    pass


def action_broken(slots):
    return 1 / 0


def action_wrong(slots):
    return 5


def _hidden(slots):
    return {}


def not_an_action(number):
    return number
"""


@pytest.fixture
def actions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PythonActions:
    (tmp_path / "bot_actions.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "bot_actions", raising=False)
    return PythonActions("bot_actions")


def test_a_module_gives_its_classes_and_functions_as_actions(actions: PythonActions) -> None:
    found = ("action_broken", "action_greet", "action_later", "action_silent", "action_sum", "action_wrong")
    assert actions.names == found


def test_a_class_speaks_and_sets_slots(actions: PythonActions) -> None:
    result = actions.run(ActionCall("action_greet", {"person": "Ann"}))
    assert result == ActionResult(
        ({"event": "slot", "name": "greeted", "value": True},),
        (
            {"text": "Hello Ann"},
            {"response": "utter_more", "buttons": [{"title": "Yes", "payload": "/yes"}]},
        ),
    )


def test_a_function_may_return_slots_with_their_values(actions: PythonActions) -> None:
    result = actions.run(ActionCall("action_sum", {"a": 1, "b": 2}))
    assert result == ActionResult(({"event": "slot", "name": "total", "value": 3},))


def test_an_async_function_is_awaited(actions: PythonActions) -> None:
    result = actions.run(ActionCall("action_later", message="hi"))
    assert result is not None
    assert result.events[0]["value"] == "hi"


def test_an_action_that_returns_nothing_did_nothing(actions: PythonActions) -> None:
    assert actions.run(ActionCall("action_silent")) == ActionResult()


def test_what_is_not_defined_is_not_known(actions: PythonActions) -> None:
    assert actions.run(ActionCall("action_other")) is None


@pytest.mark.parametrize(
    ("name", "reason"), [("action_broken", "ZeroDivisionError"), ("action_wrong", "returned 5")]
)
def test_a_failing_action_says_why(actions: PythonActions, name: str, reason: str) -> None:
    with pytest.raises(ActionError, match=reason):
        actions.run(ActionCall(name))


def test_a_module_without_actions_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty_actions.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PluginError, match="defines no action"):
        PythonActions("empty_actions")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of actions `shop_actions`, still empty."""
    folder = tmp_path / "shop_actions"
    folder.mkdir()
    (folder / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "shop_actions"]:
        monkeypatch.delitem(sys.modules, name)
    return folder


def test_a_package_without_actions_is_taken_as_it_is(folder: Path) -> None:
    assert PythonActions(folder.name).names == ()


def test_actions_of_a_module_that_cannot_be_imported_say_why_and_the_others_run(folder: Path) -> None:
    (folder / "good.py").write_text("def action_good(slots): return {}\n", encoding="utf-8")
    text = "import not_installed_anywhere\nclass A:\n    def name(self): return 'action_bad'\n"
    (folder / "bad.py").write_text(text, encoding="utf-8")
    actions = PythonActions(folder.name)
    assert actions.run(ActionCall("action_good")) == ActionResult()
    assert actions.run(ActionCall("action_unheard_of")) is None
    with pytest.raises(ActionNotRunError, match="imports 'not_installed_anywhere'"):
        actions.run(ActionCall("action_bad"))


def test_one_missing_import_in_a_package_is_the_error_of_each_of_its_actions(folder: Path) -> None:
    (folder / "__init__.py").write_text("import not_installed_anywhere\n", encoding="utf-8")
    (folder / "greeting.py").write_text("NAME = 'action_greet'\n", encoding="utf-8")
    actions = PythonActions(folder.name)
    assert actions.names == ()
    assert actions.run(ActionCall("action_unheard_of")) is None
    with pytest.raises(ActionNotRunError, match="imports 'not_installed_anywhere'"):
        actions.run(ActionCall("action_greet"))


def test_a_package_that_does_not_exist_is_refused(folder: Path) -> None:
    for name in ("shop_action", f"{folder.name}.nowhere", "nowhere.at_all"):
        with pytest.raises(PluginError, match="there is no module"):
            PythonActions(name)


def test_actions_that_keep_data_with_helpers_of_rasa_run_without_it(folder: Path) -> None:
    text = """\
from rasa.nlu.utils import write_json_to_file
from rasa.shared.utils.io import read_json_file
def action_count(slots):
    write_json_to_file("count.json", {"count": slots["count"]}, indent=2)
    return read_json_file("count.json")
"""
    (folder / "counting.py").write_text(text, encoding="utf-8")
    result = PythonActions(folder.name).run(ActionCall("action_count", {"count": 3}))
    assert result == ActionResult(({"event": "slot", "name": "count", "value": 3},))


def test_rehearsed_actions_run_once_for_the_same_slots_and_not_at_all_after_their_time() -> None:
    clock = iter([0.0, 1.5, 2.0, 4.0])
    stubs = StubbedActions({"a": ActionResult(), "b": ActionResult()})
    actions = RehearsedActions(stubs, 3.0, lambda: next(clock))
    assert [actions.run(ActionCall("a")) for _ in range(3)] == [ActionResult()] * 3
    assert not actions.is_used_up
    actions.run(ActionCall("b"))
    assert actions.is_used_up
    assert actions.run(ActionCall("a")) == ActionResult()
    with pytest.raises(ActionNotRunError, match="too slow"):
        actions.run(ActionCall("a", {"x": 1}))


def test_an_action_that_does_not_exist_takes_no_time_and_is_never_too_slow() -> None:
    ran: list[str] = []

    class Some:
        def run(self, call: ActionCall) -> ActionResult | None:
            ran.append(call.name)
            return None if call.name == "validate_a" else ActionResult()

    clock = iter([0.0, 0.0, 0.0, 4.0])
    actions = RehearsedActions(Some(), 3.0, lambda: next(clock))
    assert actions.run(ActionCall("validate_a")) is None
    actions.run(ActionCall("b"))
    assert actions.is_used_up
    assert actions.run(ActionCall("validate_a", {"x": 1}, understood=(1,))) is None
    assert ran == ["validate_a", "b"]


def test_what_an_action_stores_on_one_way_is_seen_later_on_it_and_on_no_other() -> None:
    stored: dict[str, list[str]] = {}

    class Storing:
        def run(self, call: ActionCall) -> ActionResult:
            stored.setdefault(call.sender, []).append(call.name)
            return ActionResult(({"event": "slot", "name": "seen", "value": tuple(stored[call.sender])},))

    actions = RehearsedActions(Storing(), 3.0)

    def run(name: str, *understood: int) -> object:
        found = actions.run(ActionCall(name, understood=understood))
        return found and found.events[0]["value"]

    run("begin"), run("add", 1), run("remove", 2)
    assert run("list", 1, 0, 3) == ("begin", "add", "list")
    assert run("list", 2, 3) == ("begin", "remove", "list")


def test_actions_that_cannot_be_made_say_why_and_the_others_run(folder: Path) -> None:
    text = """\
class A:
    name = "action_a"
    def __init__(self, x): pass
    def run(self): pass
class B:
    name = "action_b"
    def __init__(self): raise OSError("no database")
    def run(self): pass
class C:
    name = "action_c"
    def run(self): pass
"""
    (folder / "demanding.py").write_text(text, encoding="utf-8")
    actions = PythonActions(folder.name)
    assert actions.names == ("action_c",)
    for name in ("action_a", "action_b"):
        with pytest.raises(ActionNotRunError, match=r"A cannot be created.*B cannot be created.*no database"):
            actions.run(ActionCall(name))


def test_the_first_source_that_knows_an_action_runs_it() -> None:
    first = StubbedActions({"a": ActionResult(({"event": "bot", "text": "first"},))})
    second = StubbedActions({"a": ActionResult(), "b": ActionResult(({"event": "bot", "text": "second"},))})
    chain = FirstOf([first, second])
    assert chain.run(ActionCall("a")) == first.results["a"]
    assert chain.run(ActionCall("b")) == second.results["b"]
    assert chain.run(ActionCall("c")) is None


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        name = body["next_action"]
        code = {"action_missing": 404, "action_fails": 500, "action_moved": 302}.get(name, 200)
        answer = {
            "events": [{"event": "slot", "name": "seen", "value": body["tracker"]["slots"]["a"]}],
            "responses": [{"text": f"{body['sender_id']} ran {name}"}],
        }
        content = b"no json" if name == "action_garbage" else json.dumps(answer).encode()
        if name == "action_login":
            code, content = 401, str(self.headers["Authorization"]).encode()
        if name == "action_odd":
            self.wfile.write(b"no HTTP at all\r\n\r\n")
            return
        self.send_response(code)
        self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")  # type: ignore[attr-defined]
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"events": [{"event": "slot", "name": "from", "value": "elsewhere"}]}')

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ActionServer]:
    http = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    yield ActionServer(f"http://127.0.0.1:{http.server_port}/webhook")
    http.shutdown()
    thread.join()
    http.server_close()


def test_a_server_is_asked_with_the_slots_and_its_answer_is_used(server: ActionServer) -> None:
    result = server.run(ActionCall("action_do", {"a": 7}, sender="me"))
    expected = ActionResult(({"event": "slot", "name": "seen", "value": 7},), ({"text": "me ran action_do"},))
    assert result == expected


def test_a_server_that_does_not_know_the_action_leaves_it_to_others(server: ActionServer) -> None:
    assert server.run(ActionCall("action_missing", {"a": 1})) is None


@pytest.mark.parametrize("name", ["action_fails", "action_garbage", "action_moved", "action_odd"])
def test_a_server_that_fails_is_an_error_of_the_action(server: ActionServer, name: str) -> None:
    with pytest.raises(ActionError, match=r"127\.0\.0\.1"):
        server.run(ActionCall(name, {"a": 1}))


def test_user_and_password_reach_the_server_and_are_not_shown(server: ActionServer) -> None:
    asking = ActionServer(server.endpoint.replace("http://", "http://bob:hunter2-secret@"))
    assert asking.run(ActionCall("action_do", {"a": 7})) is not None
    with pytest.raises(ActionError, match=r"answered 401: Basic \*\*\*") as told:
        asking.run(ActionCall("action_login", {"a": 7}))
    assert "hunter2" not in str(told.value)


def test_a_server_that_is_not_there_is_an_error_of_the_action() -> None:
    with pytest.raises(ActionError, match="did not answer"):
        ActionServer("http://127.0.0.1:9/webhook", timeout_seconds=2).run(ActionCall("a"))


def test_an_endpoint_must_be_a_web_address() -> None:
    with pytest.raises(ConfigError, match="file:///etc"):
        ActionServer("file:///etc/passwd")


PACKAGE = {
    "talk/__init__.py": "from helpers import Shared\n",
    "talk/one.py": (
        "from rasa_sdk import Action, Tracker\nfrom rasa_sdk.events import SlotSet\n"
        "from rasa_sdk.executor import CollectingDispatcher\n"
        "class Base(Action):\n    pass\n"
        "class One(Base):\n    def name(self):\n        return 'action_one'\n"
        "    def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain):\n"
        "        print('working')\n        dispatcher.utter_message(text='one', buttons=[])\n"
        "        return [SlotSet('seen', tracker.get_slot('part'))]\n"
    ),
    "talk/deep/__init__.py": "",
    "talk/deep/two.py": "def action_two(slots):\n    return {}\n",
    "helpers.py": (
        "from rasa_sdk import Action\nclass Shared(Action):\n    def name(self):\n        return 'action_shared'\n"
        "    def run(self, dispatcher, tracker, domain):\n        raise KeyError('lost')\n"
    ),
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PythonActions:
    for name, text in PACKAGE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("talk", "talk.one", "talk.deep", "talk.deep.two", "helpers"):
        monkeypatch.delitem(__import__("sys").modules, name, raising=False)
    return PythonActions("talk")


def test_a_package_gives_what_its_modules_define_and_what_it_takes_from_elsewhere(
    package: PythonActions,
) -> None:
    assert package.names == ("action_one", "action_shared", "action_two")


def test_an_action_written_for_the_sdk_runs_and_prints_to_standard_error(
    package: PythonActions, capsys: pytest.CaptureFixture[str]
) -> None:
    found = package.run(ActionCall("action_one", slots={"part": "chain"}))
    assert found is not None
    assert found.responses[0]["text"] == "one"
    assert (found.events[0]["name"], found.events[0]["value"]) == ("seen", "chain")
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "working\n")


def test_an_action_that_fails_tells_where(package: PythonActions) -> None:
    with pytest.raises(ActionError, match="KeyError: 'lost'") as caught:
        package.run(ActionCall("action_shared"))
    assert "helpers.py" in caught.value.trace
    assert "python_actions.py" not in caught.value.trace


def test_actions_may_be_named_by_their_folder(package: PythonActions, tmp_path: Path) -> None:
    assert PythonActions(str(tmp_path / "talk")).names == package.names
