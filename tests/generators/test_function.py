import asyncio
import functools
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from du_eval.commands import CancelFlow, StartFlow
from du_eval.errors import GeneratorError, PluginError
from du_eval.generators.base import CommandGenerator, Prediction, Request
from du_eval.generators.function import FunctionGenerator

HELLO = Request("hello")


def answer_of(target: Any, request: Request = HELLO) -> Prediction:
    return untimed(asyncio.run(FunctionGenerator(target).generate(request)))


def untimed(answer: Prediction) -> Prediction:
    """Return an answer without the time it took, which every answer has."""
    assert answer.latency_seconds is not None
    return replace(answer, latency_seconds=None)


def sync(request: Request) -> str:
    return f"sync {request.message}"


async def awaited(request: Request) -> str:
    await asyncio.sleep(0)
    return f"awaited {request.message}"


def returning_an_awaitable(request: Request) -> Any:
    return awaited(request)


class SyncMethod:
    def generate(self, request: Request) -> str:
        return sync(request)


class AsyncMethod:
    async def generate(self, request: Request) -> str:
        return await awaited(request)


class SyncCall:
    def __call__(self, request: Request) -> str:
        return sync(request)


class AsyncCall:
    async def __call__(self, request: Request) -> str:
        return await awaited(request)


class TestWhatMayBeAsked:
    @pytest.mark.parametrize(
        "target",
        [
            sync,
            SyncMethod,
            SyncMethod(),
            SyncMethod().generate,
            SyncCall,
            SyncCall(),
            functools.partial(sync),
        ],
    )
    def test_everything_that_answers_at_once(self, target: Any) -> None:
        assert answer_of(target) == Prediction(text="sync hello")

    @pytest.mark.parametrize(
        "target",
        [
            awaited,
            AsyncMethod,
            AsyncMethod(),
            AsyncMethod().generate,
            AsyncCall,
            AsyncCall(),
            functools.partial(awaited),
            returning_an_awaitable,
        ],
    )
    def test_everything_that_is_awaited(self, target: Any) -> None:
        assert answer_of(target) == Prediction(text="awaited hello")

    def test_the_generator_fits_the_protocol(self) -> None:
        assert isinstance(FunctionGenerator(sync), CommandGenerator)

    @pytest.mark.parametrize(
        ("target", "name"),
        [
            (sync, "sync"),
            (SyncMethod, "SyncMethod"),
            (SyncMethod(), "SyncMethod"),
            (functools.partial(sync), "partial"),
        ],
    )
    def test_it_is_named_after_what_it_asks(self, target: Any, name: str) -> None:
        assert FunctionGenerator(target).name == name

    def test_it_may_be_given_a_name(self) -> None:
        assert FunctionGenerator(sync, "my_module:sync").name == "my_module:sync"

    @pytest.mark.parametrize("target", [5, "text", None, object()])
    def test_what_cannot_be_called_is_refused(self, target: Any) -> None:
        with pytest.raises(PluginError, match=r"is not callable and has no method generate\(request\)"):
            FunctionGenerator(target, "thing")

    def test_a_class_that_needs_arguments_is_refused(self) -> None:
        class Needy:
            def __init__(self, model: str) -> None:
                self.model = model

        with pytest.raises(PluginError, match="Needy cannot be created without arguments: TypeError: "):
            FunctionGenerator(Needy)

    def test_a_slow_function_does_not_hold_up_the_others(self) -> None:
        both_are_here = threading.Barrier(2, timeout=10)

        def meet(request: Request) -> str:
            both_are_here.wait()
            return request.message

        async def ask_both() -> list[Prediction]:
            generator = FunctionGenerator(meet)
            return await asyncio.gather(*(generator.generate(Request(text)) for text in "ab"))

        assert [answer.text for answer in asyncio.run(ask_both())] == ["a", "b"]


class TestWhatMayBeAnswered:
    @pytest.mark.parametrize(
        ("answer", "prediction"),
        [
            ("StartFlow(a)", Prediction(text="StartFlow(a)")),
            ("", Prediction(text="")),
            ([], Prediction(commands=())),
            ([CancelFlow(), "A()"], Prediction(commands=(CancelFlow(), "A()"))),
            ((CancelFlow(),), Prediction(commands=(CancelFlow(),))),
            ({CancelFlow()}, Prediction(commands=(CancelFlow(),))),
            (CancelFlow(), Prediction(commands=(CancelFlow(),))),
            ({"command": "cancel flow"}, Prediction(commands=({"command": "cancel flow"},))),
            ([{"command": "cancel flow"}], Prediction(commands=({"command": "cancel flow"},))),
        ],
    )
    def test_a_text_commands_or_a_prediction(self, answer: Any, prediction: Prediction) -> None:
        async def later(request: Request) -> Any:
            return answer

        assert answer_of(lambda request: answer) == answer_of(later) == prediction

    def test_a_prediction_keeps_the_time_that_it_names(self) -> None:
        timed = Prediction(text="x", latency_seconds=1.0)
        assert asyncio.run(FunctionGenerator(lambda request: timed).generate(HELLO)) == timed

    def test_commands_one_by_one(self) -> None:
        def one_by_one(request: Request) -> Iterator[Any]:
            yield StartFlow("a")
            yield "CancelFlow()"

        assert answer_of(one_by_one) == Prediction(commands=(StartFlow("a"), "CancelFlow()"))

    @pytest.mark.parametrize(
        ("answer", "kind"),
        [
            (5, "int"),
            (["A()", 5], "list with str and int"),
            (b"text", "bytes"),
            ([["A()"]], "list with list"),
            (object, "type"),
        ],
    )
    def test_anything_else_is_an_error(self, answer: Any, kind: str) -> None:
        message = f"<lambda> returned {kind}; expected a string, a list of commands or a Prediction"
        with pytest.raises(GeneratorError, match=message):
            answer_of(lambda request: answer)

    def test_commands_that_only_come_when_awaited_one_by_one_are_an_error(self) -> None:
        async def one_by_one(request: Request) -> Any:
            yield "A()"

        with pytest.raises(GeneratorError, match="one_by_one returned async_generator"):
            answer_of(one_by_one)


class TestWhatGoesWrong:
    @pytest.mark.parametrize(
        ("error", "told"),
        [
            (ValueError("bad"), "broken raised ValueError: bad"),
            (KeyError("flow"), "broken raised KeyError: 'flow'"),
            (StopIteration(), "broken raised StopIteration: "),
            (TimeoutError("late"), "broken raised TimeoutError: late"),
            (SystemExit(0), "broken raised SystemExit: 0"),
            (RecursionError("deep"), "broken raised RecursionError: deep"),
        ],
    )
    def test_whatever_a_function_raises_becomes_a_generator_error(
        self, error: BaseException, told: str
    ) -> None:
        def broken(request: Request) -> str:
            raise error

        with pytest.raises(GeneratorError) as caught:
            answer_of(broken)
        assert str(caught.value) == told
        assert caught.value.__cause__ is error

    def test_whatever_is_raised_while_awaiting_becomes_a_generator_error(self) -> None:
        async def broken(request: Request) -> str:
            await asyncio.sleep(0)
            raise ValueError("bad")

        with pytest.raises(GeneratorError, match="broken raised ValueError: bad"):
            answer_of(broken)

    def test_an_exit_while_awaiting_becomes_a_generator_error(self) -> None:
        async def broken(request: Request) -> str:
            sys.exit("no more")

        with pytest.raises(GeneratorError, match="broken raised SystemExit: no more"):
            answer_of(broken)

    def test_what_is_raised_between_commands_becomes_a_generator_error(self) -> None:
        def broken(request: Request) -> Iterator[str]:
            yield "A()"
            raise ValueError("bad")

        with pytest.raises(GeneratorError, match="broken raised ValueError: bad"):
            answer_of(broken)

    def test_a_generator_error_is_passed_on_as_it_is(self) -> None:
        error = GeneratorError("no record")

        def broken(request: Request) -> str:
            raise error

        with pytest.raises(GeneratorError) as caught:
            answer_of(broken)
        assert caught.value is error

    def test_an_exhausted_script_is_an_error_and_not_a_hang(self) -> None:
        script = iter(["A()"])
        generator = FunctionGenerator(lambda request: next(script), "script")

        async def ask_twice() -> None:
            assert untimed(await generator.generate(HELLO)) == Prediction(text="A()")
            await asyncio.wait_for(generator.generate(HELLO), timeout=10)

        with pytest.raises(GeneratorError, match="script raised StopIteration"):
            asyncio.run(ask_twice())

    def test_an_interruption_is_not_caught(self) -> None:
        async def interrupted(request: Request) -> str:
            raise asyncio.CancelledError

        with pytest.raises(asyncio.CancelledError):
            answer_of(interrupted)


def asked_all(target: Any, messages: list[str], seconds: float) -> list[Prediction | BaseException]:
    async def run() -> list[Prediction | BaseException]:
        generator = FunctionGenerator(target, "slow", seconds)
        requests = [Request(message) for message in messages]
        return await asyncio.gather(*map(generator.generate, requests), return_exceptions=True)

    return asyncio.run(run())


def sync_hang(request: Request) -> str:
    if "hang" in request.message:
        time.sleep(60)
    return request.message


async def awaiting_hang(request: Request) -> str:
    if "hang" in request.message:
        await asyncio.sleep(60)
    return request.message


async def blocking_hang(request: Request) -> str:
    await asyncio.sleep(0.01)
    if "hang" in request.message:
        time.sleep(60)  # noqa: ASYNC251 - what must not be done is done
    await asyncio.sleep(0.01)
    return request.message


def hang_behind_an_awaitable(request: Request) -> Any:
    return awaiting_hang(request)


class TestTimeLimits:
    @pytest.mark.parametrize("target", [sync_hang, awaiting_hang, blocking_hang, hang_behind_an_awaitable])
    def test_a_hang_is_the_error_of_its_own_call(self, target: Any) -> None:
        messages = ["a", "b", "hang", "c", "d", "e", "hang again", "f"]
        start = time.perf_counter()
        found = asked_all(target, messages, seconds=0.4)
        assert time.perf_counter() - start < 15
        for message, answer in zip(messages, found, strict=True):
            if "hang" in message:
                assert str(answer) == "slow did not answer within 0.4 s (--timeout)"
            else:
                assert isinstance(answer, Prediction)
                assert untimed(answer) == Prediction(text=message)

    @pytest.mark.parametrize("target", [sync_hang, awaiting_hang, blocking_hang])
    def test_a_run_ends_although_its_functions_hang(self, target: Any, tmp_path: Path) -> None:
        code = f"""
import asyncio
from du_eval.generators.base import Request
from du_eval.generators.function import FunctionGenerator
from tests.generators.test_function import {target.__name__} as target

async def main():
    generator = FunctionGenerator(target, "slow", 0.2)
    try:
        await generator.generate(Request("hang"))
    except Exception as error:
        print(error)
    await generator.close()

asyncio.run(main())
"""
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=True
        )
        assert (done.stdout, done.stderr) == ("slow did not answer within 0.2 s (--timeout)\n", "")

    def test_async_calls_share_one_loop(self) -> None:
        loops = set()

        async def remember(request: Request) -> str:
            loops.add(asyncio.get_running_loop())
            return ""

        asked_all(remember, ["a", "b", "c"], seconds=5)
        assert len(loops) == 1

    def test_threads_are_used_again(self) -> None:
        threads = set()

        def remember(request: Request) -> str:
            threads.add(threading.get_ident())
            return ""

        async def one_by_one() -> None:
            generator = FunctionGenerator(remember)
            for _ in range(5):
                await generator.generate(HELLO)

        asyncio.run(one_by_one())
        assert len(threads) == 1

    def test_cancelling_a_call_cancels_what_it_waits_for(self) -> None:
        ended = threading.Event()

        async def patient(request: Request) -> str:
            try:
                await asyncio.sleep(60)
            finally:
                ended.set()
            return ""

        async def cancel() -> None:
            task = asyncio.create_task(FunctionGenerator(patient).generate(HELLO))
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(cancel())
        assert ended.wait(5)

    def test_an_object_is_closed_in_the_loop_in_which_it_was_asked(self) -> None:
        loops = []

        class Closing:
            async def generate(self, request: Request) -> str:
                loops.append(asyncio.get_running_loop())
                return ""

            async def close(self) -> None:
                loops.append(asyncio.get_running_loop())

        async def use() -> None:
            generator = FunctionGenerator(Closing)
            await generator.generate(HELLO)
            await generator.close()

        asyncio.run(use())
        assert len(loops) == 2
        assert loops[0] is loops[1]


def test_nothing_is_no_answer() -> None:
    with pytest.raises(
        GeneratorError,
        match="<lambda> returned nothing; to predict no command, return an empty string or list",
    ):
        answer_of(lambda request: None)
