"""One after the other: an answer is handed out when the request before it is on its way."""

from __future__ import annotations

import asyncio
from collections import deque


class FairTurns:
    """Lets one task go on in each turn of the event loop.

    Answers that arrive together would otherwise be worked on together, and the next requests of all of them
    would leave only after the last one is ready: they would stay a bunch, and each wait for all others.
    """

    def __init__(self) -> None:
        self._is_taken = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def mine(self) -> None:
        """Wait for a turn; it lasts until the task waits for something else."""
        loop = asyncio.get_running_loop()
        if self._is_taken:
            turn = loop.create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._pass_on()
                raise
        self._is_taken = True
        # What the task sends now leaves in the next turn of the loop, before the one woken there goes on.
        loop.call_soon(self._pass_on)

    def _pass_on(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._is_taken = False
