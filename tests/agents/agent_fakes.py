"""Fakes of everything that agent cases talk to."""

import asyncio
import threading
from contextlib import contextmanager

from du_eval.agents.checks.base import Judges
from du_eval.agents.connections.base import make_context
from du_eval.agents.converse import SampleSetting
from du_eval.agents.example_server import ExampleServer, Listening, serve
from du_eval.agents.pipeline import RunSetting
from du_eval.agents.results import AgentReply
from du_eval.judges.gist import GistOpinion, SimilarityGist
from du_eval.judges.similarity import TfidfSimilarity
from du_eval.judges.toxicity import LexiconToxicity


def judges(gist=None):
    similarity = TfidfSimilarity()
    return Judges(gist or SimilarityGist(similarity), similarity, LexiconToxicity())


def setting(**options):
    timeout = options.pop("timeout_seconds", 10.0)
    return RunSetting(SampleSetting(options.pop("judges", judges()), timeout), **options)


class ScriptedAgent:
    """Gives one answer after the other, and remembers what it was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    async def ask(self, request):
        self.requests.append(request)
        answer = self.answers[(len(self.requests) - 1) % len(self.answers)]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            return AgentReply(text=answer, chat_context=make_context("a", [("AI", str(len(self.requests)))]))
        return answer


class FixedGist:
    """Has always the same opinion."""

    name = "fixed"

    def __init__(self, met):
        self.met = met

    async def decide(self, sample, criteria):
        return GistOpinion(self.met, "because", self.name)


class ScriptedModel:
    """A chat model that gives one answer after the other."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.questions = []

    async def complete(self, messages):
        self.questions.append(messages)
        answer = self.answers[(len(self.questions) - 1) % len(self.answers)]
        if isinstance(answer, Exception):
            raise answer
        return answer


@contextmanager
def looping():
    """Run an event loop in a thread; yields a function that runs a coroutine in it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def end():
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await asyncio.sleep(0.01)

    try:
        yield lambda coroutine: asyncio.run_coroutine_threadsafe(coroutine, loop).result(20)
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result(20)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(20)
        loop.close()


@contextmanager
def running_example(agents=None, tls=None, latency_seconds=0.0):
    """Run the example server on a free port of the loopback; yields the port."""
    server = (
        ExampleServer(agents, latency_seconds) if agents else ExampleServer(latency_seconds=latency_seconds)
    )
    with looping() as run:
        runner, port = run(serve(server, Listening("127.0.0.1", 0, tls)))
        try:
            yield port
        finally:
            run(runner.cleanup())


async def closed(server):
    server.close()


@contextmanager
def raw_server(respond, tls=None):
    """Answer every connection with a coroutine that gets reader and writer; yields the port."""

    async def handle(reader, writer):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            await respond(writer)
        except (ConnectionError, asyncio.IncompleteReadError, IndexError):
            pass
        finally:
            writer.close()

    with looping() as run:
        server = run(asyncio.start_server(handle, "127.0.0.1", 0, ssl=tls))
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            run(closed(server))
