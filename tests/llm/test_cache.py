"""Answers that are asked for once."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from du_eval.errors import EndpointError, InputError, ReportError
from du_eval.llm.cache import AnswerCache, find_cache_folder
from du_eval.llm.caching import CachedChat, CacheMode
from du_eval.llm.client import ScriptedChat
from du_eval.llm.messages import ChatAnswer, ChatRequest, Message, read_answer
from tests.llm.chat_server import completion


def question(text: str = "hello", sample: int = 1, **parameters: object) -> ChatRequest:
    return ChatRequest("m", (Message("user", text),), parameters, sample)


def answers(*texts: str) -> list[ChatAnswer]:
    return [read_answer(completion(text, {"model": "m", "messages": []})) for text in texts]


def ask(
    model: ScriptedChat, folder: Path, *requests: ChatRequest, mode: CacheMode = CacheMode.USE
) -> list[object]:
    async def run() -> list[object]:
        chat = CachedChat(model, AnswerCache(folder), "http://h/v1", mode)
        try:
            return list(await asyncio.gather(*map(chat.complete, requests), return_exceptions=True))
        finally:
            await chat.close()

    return asyncio.run(run())


def test_the_same_question_is_asked_once_in_all_runs(tmp_path: Path) -> None:
    model = ScriptedChat(answers("a"))
    (first,) = ask(model, tmp_path, question())
    (second,) = ask(ScriptedChat(), tmp_path, question())
    assert isinstance(first, ChatAnswer)
    assert isinstance(second, ChatAnswer)
    assert (first.text, first.is_cached) == ("a", False)
    assert (second.text, second.is_cached, second.prompt_tokens) == ("a", True, first.prompt_tokens)
    assert model.is_closed


def test_half_characters_in_questions_and_answers_are_kept(tmp_path: Path) -> None:
    half = "\ud800 \u0431"
    ask(ScriptedChat(answers(half)), tmp_path, question(half))
    (kept,) = ask(ScriptedChat(), tmp_path, question(half))
    assert isinstance(kept, ChatAnswer)
    assert (kept.text, kept.is_cached) == (half, True)


def test_the_same_question_at_the_same_time_is_asked_once(tmp_path: Path) -> None:
    model = ScriptedChat(answers("a"))
    found = ask(model, tmp_path, question(), question(), question())
    assert [answer.text for answer in found if isinstance(answer, ChatAnswer)] == ["a", "a", "a"]
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    "other",
    [question("bye"), question(sample=2), question(temperature=1), ChatRequest("n", question().messages)],
)
def test_whatever_may_change_the_answer_is_part_of_the_key(tmp_path: Path, other: ChatRequest) -> None:
    model = ScriptedChat(answers("a", "b"))
    ask(model, tmp_path, question())
    ask(model, tmp_path, other)
    assert len(model.requests) == 2
    assert question().key("http://one") != question().key("http://two")


def test_the_order_of_parameters_does_not_matter() -> None:
    assert question(a=1, b=2).key("x") == question(b=2, a=1).key("x")


def test_refreshing_asks_again_and_replaces(tmp_path: Path) -> None:
    ask(ScriptedChat(answers("old")), tmp_path, question())
    ask(ScriptedChat(answers("new")), tmp_path, question(), mode=CacheMode.REFRESH)
    (found,) = ask(ScriptedChat(), tmp_path, question())
    assert isinstance(found, ChatAnswer)
    assert found.text == "new"


def test_offline_asks_nobody_and_says_so(tmp_path: Path) -> None:
    model = ScriptedChat(answers("a"))
    (found,) = ask(model, tmp_path, question(), mode=CacheMode.OFFLINE)
    assert isinstance(found, EndpointError)
    assert "--offline" in str(found)
    assert not model.requests


def test_errors_are_not_kept(tmp_path: Path) -> None:
    ask(ScriptedChat([EndpointError("down")]), tmp_path, question())
    (found,) = ask(ScriptedChat(answers("a")), tmp_path, question())
    assert isinstance(found, ChatAnswer)


def test_the_cache_lists_prunes_and_clears(tmp_path: Path) -> None:
    times = iter(range(0, 10_000, 100))
    cache = AnswerCache(tmp_path, lambda: float(next(times)))
    for number in range(3):
        cache.put(str(number), "m", {"x": "y" * 100})
    cache.put("other", "n", {})
    assert [(entry.model, entry.answers) for entry in cache.entries()] == [("m", 3), ("n", 1)]
    assert cache.prune(unused_seconds=250) == 2
    assert cache.get("0") is None
    assert cache.get("2") is not None
    assert cache.prune(size=50) == 1
    assert cache.clear("n") == 1
    assert cache.entries() == []
    cache.close()


@pytest.mark.filterwarnings("error")
def test_a_cache_that_nobody_closes_closes_itself(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path)
    database = cache._database
    del cache
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        database.execute("SELECT 1")


def test_the_folder_comes_from_the_environment_or_the_system(tmp_path: Path) -> None:
    assert find_cache_folder({"DU_EVAL_CACHE_DIR": str(tmp_path)}) == tmp_path
    assert find_cache_folder({}).name == "du-eval"


def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="--no-cache"):
        AnswerCache(tmp_path / "file")


def test_a_question_that_comes_back_before_its_answer_is_saved_is_not_asked_again(tmp_path: Path) -> None:
    model = ScriptedChat(answers("a"))

    async def run() -> list[ChatAnswer]:
        chat = CachedChat(model, AnswerCache(tmp_path), "http://h/v1")
        try:
            return [await chat.complete(question()), await chat.complete(question())]
        finally:
            await chat.close()

    first, second = asyncio.run(run())
    assert (first.is_cached, second.is_cached) == (False, True)
    assert len(model.requests) == 1


def test_answers_are_saved_while_a_run_goes_on(tmp_path: Path) -> None:
    async def run() -> int:
        chat = CachedChat(ScriptedChat(answers("a", "b")), AnswerCache(tmp_path), "http://h/v1")
        await chat.complete(question())
        other = AnswerCache(tmp_path)
        for _ in range(500):
            if other.entries():
                break
            await asyncio.sleep(0.01)
        found = sum(entry.answers for entry in other.entries())
        other.close()
        await chat.close()
        return found

    assert asyncio.run(run()) == 1


def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    async def run() -> None:
        cache = AnswerCache(tmp_path)
        chat = CachedChat(ScriptedChat(answers("a", "b")), cache, "http://h/v1")
        cache._database.execute("DROP TABLE answers")
        cache._database.execute("CREATE TABLE answers (key TEXT, answer TEXT)")
        try:
            await chat.complete(question())
        finally:
            await chat.close()

    with pytest.raises(ReportError, match="cannot be written"):
        asyncio.run(run())


WRITER = """
import sys
from pathlib import Path
from du_eval.llm.cache import AnswerCache
cache = AnswerCache(Path(sys.argv[1]))
for number in range(300):
    key = f"{sys.argv[2] if number % 2 else 'shared'}-{number}"
    cache.put(key, "m", {"number": number, "padding": "x" * 2000})
    assert cache.get(key)["number"] == number
cache.touch([f"shared-{n}" for n in range(0, 300, 2)])
print("done")
"""


def test_several_processes_share_a_cache_without_loss_or_locks(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    processes = [
        subprocess.Popen([*command, name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for name in ("one", "two", "three")
    ]
    for process in processes:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err) == (0, "done\n", "")
    cache = AnswerCache(tmp_path)
    assert cache.entries()[0].answers == 3 * 150 + 150
    cache.close()
    with sqlite3.connect(tmp_path / "answers.sqlite") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        texts = [json.loads(row[0]) for row in database.execute("SELECT answer FROM answers")]
    database.close()
    assert len(texts) == 600
