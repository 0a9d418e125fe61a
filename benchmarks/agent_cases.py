"""How close `du-eval agent` comes to the ideal time: samples x latency / concurrency.

The server runs in a process of its own on the loopback and answers after a fixed time.
All ratios come from one run.

    python benchmarks/agent_cases.py [--cases 1000] [--samples 3] [--concurrency 64] [--latency 0.05]
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import aiohttp

from du_eval.agents.checks.base import Judges
from du_eval.agents.connect import Connecting, parse_server_options
from du_eval.agents.converse import SampleSetting
from du_eval.agents.model import AgentCase
from du_eval.agents.pipeline import RunSetting, run_cases
from du_eval.agents.select import Selection, select_cases
from du_eval.judges.gist import SimilarityGist
from du_eval.judges.similarity import TfidfSimilarity
from du_eval.judges.toxicity import LexiconToxicity
from du_eval.runs.journal import Journal
from du_eval.runs.outcome import Outcome

CASE = """
agent: "clerk"
connections: "http"
success_ratio: {samples}/{samples}
interactions: [ {{
    text: "When are you open, number {number}?"
    sly_data {{ number: {number} }}
    response {{
        text {{ keywords: ["9", "18"], not_keywords: "closed", regex: "open from \\\\d+" }}
        sly_data.number.value: {number}
    }}
}} ]
"""


class Clerk(asyncio.Protocol):
    """Speaks just enough of the protocol, so that the client is measured and not the server."""

    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, separator, body = self._data.partition(b"\r\n\r\n")
        if not separator:
            return
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        if len(body) >= length:
            self._data = b""
            asyncio.get_running_loop().call_later(self._latency, self._answer, json.loads(body))

    def _answer(self, request: dict[str, Any]) -> None:
        message = {
            "type": "AGENT_FRAMEWORK",
            "text": f"You asked: {request['user_message']['text']} We are open from 9 to 18.",
            "chat_context": {"chat_histories": []},
            "sly_data": request["sly_data"],
        }
        line = json.dumps({"response": message}).encode() + b"\n"
        head = (
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json-lines\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        self._transport.write(head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(line), line))


def serve_forever(ports: Connection, latency: float) -> None:
    async def go() -> None:
        server = await asyncio.get_running_loop().create_server(lambda: Clerk(latency), "127.0.0.1", 0)
        ports.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(go())


def settings(url: str, concurrency: int, journal: Journal | None = None) -> RunSetting:
    similarity = TfidfSimilarity()
    judges = Judges(SimilarityGist(similarity), similarity, LexiconToxicity())
    open_journal = None if journal is None else lambda: journal
    connecting = Connecting(parse_server_options((url,)))
    return RunSetting(SampleSetting(judges), connecting, concurrency, open_journal=open_journal)


def timed(cases: tuple[AgentCase, ...], setting: RunSetting) -> tuple[float, float, int, int]:
    wall, cpu = time.perf_counter(), time.process_time()
    run = run_cases(cases, setting)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    samples = sum(len(case.results) for case in run.cases)
    errors = sum(one.outcome is not Outcome.PASSED for one in run.results())
    return wall, cpu, samples, errors


def bare(url: str, samples: int, concurrency: int) -> float:
    """Return the seconds that a client without any of our code needs for as many requests."""

    async def go() -> None:
        waiting = iter(range(samples))
        pool = aiohttp.TCPConnector(limit=concurrency)
        async with aiohttp.ClientSession(connector=pool) as session:

            async def work() -> None:
                for number in waiting:
                    body = {
                        "user_message": {"type": 2, "text": f"number {number}"},
                        "sly_data": {"number": number},
                    }
                    async with session.post(f"{url}/api/v1/clerk/streaming_chat", json=body) as response:
                        json.loads(await response.read())

            await asyncio.gather(*(work() for _ in range(concurrency)))

    start = time.perf_counter()
    asyncio.run(go())
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--most", type=float, default=0.0, help="exit with 1 above this ratio")
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    server = context.Process(target=serve_forever, args=(theirs, options.latency), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{mine.recv()}"
    try:
        with tempfile.TemporaryDirectory() as folder:
            report = measure(Path(folder), url, options)
    finally:
        server.terminate()
        server.join()
    print(json.dumps(report, indent=2))
    return int(bool(options.most) and report["ratio_to_ideal"] > options.most)


def measure(folder: Path, url: str, options: argparse.Namespace) -> dict[str, float]:
    for number in range(options.cases):
        (folder / f"case_{number}.hocon").write_text(CASE.format(number=number, samples=options.samples))
    start = time.perf_counter()
    cases = select_cases(Selection((str(folder),))).cases
    loading = time.perf_counter() - start
    timed(cases[:50], settings(url, options.concurrency))
    journal = Journal.opened(folder / "journal.jsonl", writing=True)
    wall, cpu, samples, errors = timed(cases, settings(url, options.concurrency, journal))
    journal.close()
    simple = bare(url, samples, options.concurrency)
    alone, _, few, _ = timed(cases[: max(1, 60 // options.samples)], settings(url, 1))
    ideal = samples * options.latency / options.concurrency
    return {
        "cases": len(cases),
        "samples": samples,
        "not_passed": errors,
        "wall_seconds": round(wall, 3),
        "ideal_seconds": round(ideal, 3),
        "ratio_to_ideal": round(wall / ideal, 3),
        "bare_client_ratio_to_ideal": round(simple / ideal, 3),
        "ratio_to_bare_client": round(wall / simple, 3),
        "times_faster_than_one_at_a_time": round(alone / few * samples / wall, 1),
        "one_at_a_time_ratio_to_ideal": round(alone / (few * options.latency), 3),
        "cpu_milliseconds_per_sample": round(1000 * cpu / samples, 3),
        "loading_milliseconds_per_case": round(1000 * loading / len(cases), 3),
        "machine_load": round(os.getloadavg()[0], 2),
        "peak_memory_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


if __name__ == "__main__":
    raise SystemExit(main())
