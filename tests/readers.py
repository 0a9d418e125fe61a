"""Every reader of foreign data with an example that it can read: what the tests and `make fuzz` feed damaged input to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from du_eval.agents.connect import open_connection
from du_eval.agents.connections.base import AgentRequest
from du_eval.agents.connections.base_json import ConnectionParts
from du_eval.agents.connections.wire import build_reply, read_frames
from du_eval.agents.load import load_case
from du_eval.assembly.activities import Kinds
from du_eval.assembly.protocol import read_bot
from du_eval.assembly.settings import find_config_in
from du_eval.assistants.conditions import Scope, holds
from du_eval.assistants.load import load_assistant
from du_eval.commands.registry import default_commands
from du_eval.conversion.bfcl import convert_bfcl
from du_eval.conversion.intents import read_rows
from du_eval.conversion.json_items import stream_items
from du_eval.conversion.rules import load_rules
from du_eval.conversion.service_dialogues import DialogueConverter
from du_eval.conversion.service_schema import read_services
from du_eval.conversion.services import convert_dialogue
from du_eval.corpus.vector_files import Lookup, read_vectors
from du_eval.endtoend.load import load_end_to_end
from du_eval.errors import EndpointError
from du_eval.experiments.record import read_experiment
from du_eval.generators.base import Request
from du_eval.generators.http import HttpGenerator
from du_eval.generators.llm import LlmGenerator, PromptSetting
from du_eval.generators.rasa import RasaGenerator
from du_eval.generators.rasa_replay import RasaServer
from du_eval.generators.recorded import RecordedGenerator
from du_eval.generators.templates import PromptTemplate
from du_eval.judges.chat_judge import read_vote
from du_eval.judges.labelled import read_labelled
from du_eval.judges.tasks import Role
from du_eval.llm.bodies import BodyError, unpack
from du_eval.llm.client import ChatClient
from du_eval.llm.endpoints import Endpoint
from du_eval.llm.persistence import AttemptFailure, classify_status
from du_eval.llm.transport import HttpAnswer, HttpCall, Transport, read_answer
from du_eval.parsers import inputs
from du_eval.parsers.command_parser import CommandParser
from du_eval.parsers.conversations import exchanges
from du_eval.parsers.reasoning import read_leniently
from du_eval.parsers.syntax_file import load_syntax
from du_eval.protocol.model import load_protocol
from du_eval.protocol.plan import read_order
from du_eval.quality.config import read_config
from du_eval.quality.facts.load import load_facts
from du_eval.quality.sources import load_dialogues
from du_eval.reports.files import read_yaml
from du_eval.runs.annotation import read_annotations
from du_eval.runs.journal import Journal, Record
from du_eval.runs.manifest import Manifest
from du_eval.runs.report import decode_run
from du_eval.suites.load import load_suite
from du_eval.trust.consent import TrustStore

PROJECT = Path(__file__).parent / "golden" / "project"
Read = Callable[[Path], object]


@dataclass(frozen=True)
class Reader:
    """A reader, the name that its file has, and content that it can read."""

    file: str
    valid: bytes
    read: Read
    others: tuple[bytes, ...] = ()
    """More that it can read, in other forms."""


def read_journal(path: Path) -> list[Record]:
    """Return all records of a journal."""
    with closing(Journal.opened(path, writing=False)) as journal:
        return list(journal.records())


def finish(coroutine: Coroutine[Any, Any, object]) -> object:
    """Return what a coroutine gives that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waits for something")


class CannedTransport(Transport):
    """Answers every call with the same bytes, read as answers from the network are."""

    content: bytes = b""

    async def send(self, call: HttpCall) -> HttpAnswer:
        text = self.content.decode("utf-8", "replace")
        kind = "text/event-stream" if text.startswith(("event:", "data:")) else "application/json"
        try:
            found = read_answer(text, kind, call, 0.0)
        except BodyError as error:
            raise EndpointError(str(error)) from error
        if isinstance(found, AttemptFailure):
            raise EndpointError(found.cause)
        return found


KINDS = Kinds()
PARSER = CommandParser.default()
ASKED = Request("hello")


MODEL = LlmGenerator(
    ChatClient(Endpoint("http://127.0.0.1:1", "m"), Transport()),
    "m",
    PromptSetting(PromptTemplate("p", "{{ current_conversation }}")),
    PARSER,
)
RUNNER = cache(asyncio.Runner)
"""One event loop for all inputs, as a loop takes longer to make than an answer to read."""


def ask_model(path: Path) -> object:
    """Return what a generator makes of a chat completion."""
    MODEL.chat = ChatClient(Endpoint("http://127.0.0.1:1", "m"), CannedTransport(content=path.read_bytes()))
    return finish(MODEL.generate(ASKED))


def ask_agent(kind: str) -> Read:
    """Return a reader for what agents of a kind answer."""

    def read(path: Path) -> object:
        opening = ConnectionParts("agent", "http://127.0.0.1:1", CannedTransport(content=path.read_bytes()))
        connection = open_connection(kind, opening)
        return finish(connection.ask(AgentRequest("hi")))

    return read


def read_stream(path: Path) -> object:
    """Return the answer of an agent that streams."""
    try:
        return build_reply(read_frames(path.read_text("utf-8", "replace")))
    except BodyError as error:
        raise EndpointError(str(error)) from error


def read_packed(path: Path) -> object:
    """Return a packed body."""
    try:
        return unpack(path.read_bytes(), "gzip", 100_000)
    except BodyError as error:
        raise EndpointError(str(error)) from error


def read_said(path: Path) -> object:
    """Return the commands and verdicts in what a model said."""
    text = path.read_bytes().decode("utf-8", "replace")
    return PARSER.parse(text), read_leniently(text, default_commands()), read_vote(text, Role.YES_NO)


def read_status(path: Path) -> object:
    """Return what a refusal means: its status, a header in the way of Retry-After, and its words."""
    status, _, rest = path.read_bytes().decode("latin-1").partition("\n")
    wait, _, message = rest.partition("\n")
    code = int(status) if status.isdecimal() and len(status) == 3 else 500
    return classify_status(code, message, message[:10], {"Retry-After": wait, "retry-after-ms": wait[:5]})


def read_condition(path: Path) -> object:
    """Return the value of a condition of a flow."""
    text = path.read_bytes().decode("utf-8", "replace")
    return holds(text, Scope(slots={"amount": 5, "name": "a"})) or "no"


def convert_functions(path: Path) -> object:
    """Convert questions and, after a line of hyphens, their answers."""
    questions, _, answers = path.read_bytes().partition(b"\n---\n")
    path.with_name("possible_answer").mkdir(exist_ok=True)
    path.write_bytes(questions)
    (path.parent / "possible_answer" / path.name).write_bytes(answers)
    with TemporaryDirectory(dir=path.parent) as folder:
        return convert_bfcl(path, Path(folder) / "suite").cases


def convert_dialogues(path: Path) -> object:
    """Convert dialogues with a schema; nothing is written."""
    schema = path.with_name("schema.json")
    schema.write_bytes(SCHEMA)
    converter = DialogueConverter(read_services(schema), none_ends=True)
    return [convert_dialogue(converter, dialogue, path) for dialogue in stream_items(path)]


def shorten_run(path: Path) -> bytes:
    """Return a run as it is kept, with one result and two figures."""
    data = json.loads(path.read_bytes())
    data["cases"], data["figures"] = data["cases"][:1], data["figures"][:2]
    data["cases"][0]["results"] = data["cases"][0]["results"][:1]
    return json.dumps(data | {"summary": {}, "notes": ["n"]}, separators=(",", ":")).encode()


@cache
def pack(text: bytes) -> bytes:
    """Return a text as gzip."""
    import gzip

    return gzip.compress(text, mtime=0)


@cache
def array() -> bytes:
    """Return a matrix as numpy writes it."""
    file = BytesIO()
    np.save(file, np.zeros((2, 3), np.float32))
    return file.getvalue()


def read_numpy(path: Path) -> object:
    """Return vectors of a matrix, with its words beside it."""
    path.with_suffix(".txt").write_text("a\nb\n", encoding="utf-8")
    return read_vectors(str(path), Lookup(["a", "b"]))


CONFIG = b"conversations: 3\nbot: echo\nprobabilities: {ML-U3: 0.5}\nchatters: [a, b]\nshow: {binary: true}\np_MLU4TC1: 0.1\n"
FACTS = b"category: QA\npools:\n  boats: [canoe, raft, kayak, barge]\nfacts:\n  - id: 9\n    from: boats\n    questions: [What?]\n"
SETTINGS = b"generator: baseline\npaths: [a, b]\nsamples: 3\nprices: {m: {prompt: 1, completion: 2}}\n"
TOML = b'[tool.du-eval]\ngenerator = "baseline"\npaths = ["a"]\nsamples = 3\n'
RECORDED = b'{"records": [{"test_case": "a", "step": 1, "commands": ["x"], "latency_seconds": 0.5}, {"test_case": "b", "line": 2, "text": "t"}]}'
JOURNAL = (
    b'{"file":"a","case":"b","step":1,"sample":1,"request":"r","outcome":"passed","answer":{"text":"x"}}\n'
    * 2
)
LINES = b'{"turns": [{"speaker": "user", "text": "a"}, {"speaker": "bot", "text": "b"}]}\n{"response": "x", "source": "y"}\n'
VECTORS = b"2 3\na 0.1 0.2 0.3\nb 1 2 3\n"
TALK = (
    b"Hello\nHi\nWhere?\nThere\n- CONFIGURATIONS -\ntest_ids[1010001, 1010001.5]test_ids\n"
    b"test_sets{'MLI1TC1': [{'test': 'QA', 'id': 1, 'directed': False, 'answer': 'x', 'information': ['x'], 'question': ['y']}]}test_sets\n"
    b'test_marks[["answered", "ML-I1", 0, "information", null, null, "", "", null, "", 1], ["empty"]]test_marks'
)
TALK_LINE = b'{"number": 0, "name": "", "exchanges": [{"prompt": "a", "reply": "b", "outcome": "answered", "seconds": 0.1}], "facts": {}}\n'
SUITE = b"""fixtures:
  - rich: [{amount: 5}]
metadata:
  - vip: {tier: gold}
test_cases:
  - test_case: send money
    fixtures: [rich]
    metadata: vip
    success_ratio: 2/3
    steps:
      - user: |
          send 50
        commands:
          - StartFlow(transfer_money)
          - SetSlot(amount, 50)
        metadata: vip
      - utter: utter_done
      - bot: Done
"""
END_TO_END = (PROJECT / "e2e" / "cases.yml").read_bytes()
FLOWS = b"""flows:
  transfer_money:
    description: send money
    if: slots.amount > 3
    steps:
      - id: start
        collect: amount
        ask_before_filling: true
        rejections: [{if: slots.amount < 1, utter: utter_no}]
        next:
          - if: slots.amount > 100
            then: END
          - else: [{action: action_send, next: END}]
actions: [action_send]
slots:
  amount: {type: float, mappings: [{type: from_llm}]}
responses:
  utter_ask_amount: [{text: "how much?"}]
  utter_no: [{text: "no {amount}"}]
nlu:
  - intent: greet
    examples: |
      - hello [there](place)
"""
RULES = b"mappings:\n- from_dsl_regex: '^StartFlow\\(([^)]*)\\)$'\n  to_dsl_pattern: 'start {1}'\n"
SYNTAX = b"commands:\n  StartFlow:\n    regex: 'begin (?P<flow>\\w+)'\n    print: 'begin {flow}'\n"
HOCON = b'agent: "a"\nconnections: ["http"]\nsuccess_ratio: "2/3"\ntext = ${?X}\ninteractions: [{text: "hi", response.text.keywords: "x", response {structure {a.value: 1}}}]\n'
CASE_YAML = b"agent: a\nconnections: http\ntimeout_in_seconds: 3\ninteractions:\n  - text: hi\n    response: {text: {keywords: [x]}}\n"
CASE_JSON = (
    b'{"agent": "a", "connections": ["direct"], "direct": "m:f", "interactions": [{"text": "hi",'
    b' "response": {"text": {"gist": "x"}, "structure": {"a": {"value": 1}}}}]}'
)
ANNOTATIONS = b'{"text": "0f3a", "check": "ML-P1", "label": "passed", "by": "anna"}\n'
LABELLED = b'{"question": "Name?", "gold": ["Clara"], "reply": "Clara", "label": "right"}\n'
TEMPLATE = b"{% for flow in flows %}{{ flow.name | upper }}{% if flow.slots %}!{% endif %}{% endfor %}{{ x | json }}\n"
INTENTS = b"text,intent\nhello,greet\nbye,leave\n"
ITEMS = b'[{"a": 1}, [2, "x"], null]\n{"b": {"c": []}}'
SCHEMA = (
    b'[{"service_name": "Boats_1", "description": "d", "slots": [{"name": "day", "description": "x", "is_categorical": true,'
    b' "possible_values": ["1"]}], "intents": [{"name": "Find", "description": "", "required_slots": ["day"], "optional_slots": {}}]}]'
)
CALLS = (
    b'{"id": "s_0", "question": [[{"role": "user", "content": "go"}]], "function": [{"name": "move", "description": "d",'
    b' "parameters": {"properties": {"to": {"type": "string"}}, "required": ["to"]}}]}\n---\n'
    b'{"id": "s_0", "ground_truth": [{"move": {"to": ["x", ""]}}]}'
)
DIALOGUES = (
    b'[{"dialogue_id": "1", "services": ["Boats_1"], "turns": [{"speaker": "USER", "utterance": "hi", "frames": [{"service": "Boats_1",'
    b' "state": {"active_intent": "Find", "slot_values": {"day": ["1"]}, "requested_slots": []}, "actions": []}]},'
    b' {"speaker": "SYSTEM", "utterance": "when?", "frames": [{"service": "Boats_1", "actions": [{"act": "REQUEST", "slot": "day"}]}]}]}]'
)
OFFICIAL = b"test_cases:\n- a: 1\nnumber_of_passed: 2\nfiles: [x]\n"
MANIFEST = (
    b'{"id": "20260101-000000-000-abcd", "kind": "test", "subject": "baseline", "files": {"a": "b"}, "cases": ["c"],'
    b' "settings": {"x": 1}, "started": "2026-01-01T00:00:00+00:00", "status": "finished", "figures": {"accuracy": 0.5}, "seal": ""}'
)
RUNS = tuple(
    map(
        shorten_run,
        sorted(PROJECT.parent.glob("*/formats/*run.json.txt"), key=lambda path: "/test/" not in str(path)),
    )
)
EXPERIMENT = b'{"format":"du-eval experiment/1","id":"e","name":"e","baseline":"a","arms":[],"notes":["x"],"status":"finished"}'
PINS = b'{"format": "du-eval trust/1", "files": {"/a/du-eval.yaml": "abc"}}'
COMPLETION = (
    b'{"choices": [{"message": {"content": "StartFlow(a)", "reasoning": [{"text": "hm"}], "tool_calls": [{"function":'
    b' {"name": "SetSlot", "arguments": "{\\"name\\": \\"a\\", \\"value\\": 1}"}}]}, "finish_reason": "stop"}],'
    b' "usage": {"prompt_tokens": 3, "completion_tokens": 4}}'
)
RESPONSES = (
    b'{"output": [{"type": "function_call", "name": "f", "arguments": "{}"}, {"type": "message", "content":'
    b' [{"type": "output_text", "text": "x"}]}], "usage": {"input_tokens": 4}}'
)
TASK = b'{"jsonrpc": "2.0", "id": "1", "result": {"kind": "task", "id": "t", "contextId": "c", "status": {"state": "completed"}, "artifacts": [{"parts": [{"kind": "text", "text": "x"}]}]}}'
GRAPH = b'{"thread_id": "1", "messages": [{"type": "ai", "content": "x", "tool_calls": [{"name": "t", "args": {}}]}]}'
SERVED = b'{"output": {"content": "x"}, "metadata": {}}'
EVENTS = (
    b'event: message\ndata: {"jsonrpc": "2.0", "id": 1,\ndata: "result": {"protocolVersion": "1"}}\n\n'
    b'data: {"id": 2, "result": {"tools": [{"name": "agent", "inputSchema": {"properties": {"q": {}}, "required": ["q"]}}]}}\n\n'
    b'data: {"id": 3, "result": {"content": [{"type": "text", "text": "x"}], "structuredContent": {}}}\n\n'
)
FRAMES = (
    b'{"response": {"type": "AI", "text": "x", "origin": [{"tool": "a", "instantiation_index": 1}]}}\n'
    b'{"response": {"type": 100, "structure": {"invoking_start": true, "invoked_agent_name": "t", "params": {}, "total_tokens": 3}}}\n'
    b'{"response": {"type": "AGENT_FRAMEWORK", "sly_data": {"a": 1}, "chat_context": {"chat_histories": []}}}'
)
TRACKER = (
    b'{"events": [{"event": "user", "text": "hello"}], "latest_message": {"text": "hello", "commands": [{"command": "start flow",'
    b' "flow": "a"}], "predicted_commands": {"G": [{"command": "set slot", "name": "a", "value": 1}]},'
    b' "prompts": {"G": [{"user_prompt": "p", "latency": 0.1, "llm_response_metadata": {"usage": {"prompt_tokens": 1}}}]}}}'
)
SAID = b'<think>hm</think>```\nStartFlow(transfer_money)\nSetSlot(amount, "50")\n```\n[{"command": "clarify", "options": ["a"]}]\n{"passed": true, "reason": "r", "statements": [{"statement": "s", "supported": true}]}'
STATUS = b"429\nWed, 21 Oct 2026 07:28:00 GMT\nslow down"
CONDITION = b"slots.amount > 3 and (slots.name matches 'a' or not slots.other is null)"
BOT = b"type: http\nurl: http://127.0.0.1:1\n"
ORDER = b"order: [greeting, farewell]\n"

READERS: dict[str, Reader] = {
    "settings": Reader("du-eval.yaml", SETTINGS, lambda path: find_config_in(path.parent)),
    "pyproject": Reader("pyproject.toml", TOML, lambda path: find_config_in(path.parent)),
    "suite": Reader("s.yml", SUITE, lambda path: load_suite([path])),
    "end-to-end": Reader("e.yml", END_TO_END, lambda path: load_end_to_end([path])),
    "assistant": Reader("flows.yml", FLOWS, load_assistant),
    "condition": Reader("c.txt", CONDITION, read_condition),
    "rules": Reader("r.yml", RULES, load_rules),
    "syntax": Reader("y.yml", SYNTAX, lambda path: load_syntax(str(path))),
    "template": Reader("t.jinja2", TEMPLATE, lambda path: PromptTemplate.of_file(str(path))),
    "recorded-json": Reader("r.json", RECORDED, RecordedGenerator),
    "recorded-yaml": Reader("r.yml", RECORDED, RecordedGenerator),
    "agent-hocon": Reader("a.hocon", HOCON, lambda path: load_case(path, "a", {})),
    "agent-yaml": Reader("a.yaml", CASE_YAML, lambda path: load_case(path, "a", {})),
    "agent-json": Reader("a.json", CASE_JSON, lambda path: load_case(path, "a", {})),
    "quality-settings": Reader("q.yml", CONFIG, lambda path: read_config(str(path), {})),
    "facts": Reader("f.yml", FACTS, lambda path: load_facts([str(path)], with_packaged=False)),
    "conversations-text": Reader("t.txt", TALK, lambda path: load_dialogues([str(path)])),
    "conversations-lines": Reader("t.jsonl", TALK_LINE, lambda path: load_dialogues([str(path)])),
    "protocol": Reader(
        "p.yml", (PROJECT / "protocol" / "en.yml").read_bytes(), lambda path: load_protocol(str(path))
    ),
    "protocol-order": Reader("o.yml", ORDER, lambda path: read_order(str(path))),
    "protocol-bot": Reader("b.yml", BOT, read_bot),
    "annotations": Reader("n.jsonl", ANNOTATIONS, read_annotations),
    "labelled": Reader("l.jsonl", LABELLED, lambda path: read_labelled(str(path), Role.ANSWERS)),
    "corpus-lines": Reader("c.txt", LINES, lambda path: list(inputs.text_blocks(str(path)))),
    "corpus-packed": Reader("c.txt.gz", pack(LINES), lambda path: list(inputs.text_blocks(str(path)))),
    "corpus-conversations": Reader(
        "c.jsonl", LINES, lambda path: list(exchanges(inputs.read_rows(str(path)), "c.jsonl"))
    ),
    "vectors": Reader("v.txt", VECTORS, lambda path: read_vectors(str(path), Lookup(["a", "b"]))),
    "vectors-numpy": Reader("v.npy", array(), read_numpy),
    "intents": Reader("i.csv", INTENTS, lambda path: list(read_rows(path))),
    "json-items": Reader("i.json", ITEMS, lambda path: list(stream_items(path))),
    "services": Reader("schema.json", SCHEMA, read_services),
    "services-dialogues": Reader("dialogues_1.json", DIALOGUES, convert_dialogues),
    "function-calls": Reader("BFCL_v4_simple_python.json", CALLS, convert_functions),
    "journal": Reader("j.jsonl", JOURNAL, read_journal),
    "manifest": Reader("manifest.json", MANIFEST, Manifest.from_file),
    "run": Reader(
        "run.json", RUNS[0], lambda path: decode_run(path.read_bytes(), "run.json", KINDS), RUNS[1:]
    ),
    "experiment": Reader("e.json", EXPERIMENT, read_experiment),
    "official-report": Reader("r.yml", OFFICIAL, read_yaml),
    "consent": Reader("trusted.json", PINS, lambda path: TrustStore(path.parent).pins()),
    "answer-model": Reader("a.json", COMPLETION, ask_model),
    "answer-http": Reader(
        "a.json",
        b'{"commands": ["StartFlow(a)", {"command": "set slot", "name": "a", "value": 2}], "text": "x"}',
        lambda path: finish(
            HttpGenerator("http://127.0.0.1:1", PARSER, CannedTransport(content=path.read_bytes())).generate(
                ASKED
            )
        ),
    ),
    "answer-rasa": Reader(
        "a.json",
        TRACKER,
        lambda path: RUNNER().run(
            RasaGenerator(RasaServer(transport=CannedTransport(content=path.read_bytes())), PARSER).generate(
                ASKED
            )
        ),
    ),
    "answer-openai": Reader("a.json", COMPLETION, ask_agent("openai")),
    "answer-responses": Reader("a.json", RESPONSES, ask_agent("openai-responses")),
    "answer-a2a": Reader("a.json", TASK, ask_agent("a2a")),
    "answer-langgraph": Reader("a.json", GRAPH, ask_agent("langgraph")),
    "answer-langserve": Reader("a.json", SERVED, ask_agent("langserve")),
    "answer-json": Reader("a.json", b'{"answer": "x"}', ask_agent("json")),
    "answer-mcp": Reader("a.txt", EVENTS, ask_agent("mcp")),
    "answer-stream": Reader("a.txt", FRAMES, read_stream),
    "answer-packed": Reader("a.gz", pack(COMPLETION), read_packed),
    "answer-refused": Reader("a.txt", STATUS, read_status),
    "model-said": Reader("a.txt", SAID, read_said),
}
