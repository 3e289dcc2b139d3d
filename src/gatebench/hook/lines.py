"""The socket's connections: who they are, what they say, what they are told."""

import contextlib
import socket
import struct
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import anyio
from anyio.abc import SocketAttribute, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

_INPUT_BYTES = 16_000_000
"""The last message of a talkative agent is in the input."""
_INPUT_S = 10.0
_SEND_S = 10.0
_AT_ONCE = 128
_EACH = 4
"""Connections of one process at once; the hook's client needs one."""
_CREDENTIALS = struct.Struct("3i")


@dataclass
class _Line:
    pid: int
    answer: bytes | None = None
    done: anyio.Event = field(default_factory=anyio.Event)
    reading: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    def close(self) -> None:
        """Have it closed without a word, whatever it is at."""
        self.answer = None
        self.done.set()
        self.reading.cancel()


class Lines:
    """All connections that are open, by number.

    Anybody inside may connect as often as they like, and the hook's own client comes last. So one
    process has few connections at once, and where there are too many of them all, a new one takes
    the place of the oldest of the process that has most. Once a stop is open everybody is held
    still, so the one that came last stays.
    """

    def __init__(self) -> None:
        self._open: dict[int, _Line] = {}
        self._count = 0

    async def take(self, stream: SocketStream) -> tuple[int, bytes | None]:
        """Number a connection and read what it says.

        Returns:
            Its number, and its message; ``None`` where it sends none, or too many are open.
        """
        self._count += 1
        number = self._count
        line = _Line(peer_pid(stream))
        full = self._held_by(line.pid) >= _EACH
        if not full and len(self._open) >= _AT_ONCE:
            self._crowd_out()
        self._open[number] = line
        said = None
        if not full:
            with line.reading:
                said = await _message(stream)
        return number, said

    def _held_by(self, pid: int) -> int:
        return sum(line.pid == pid for line in self._open.values() if not line.done.is_set())

    def _crowd_out(self) -> None:
        """Close the oldest connection of the process that has most."""
        waiting = [line for line in self._open.values() if not line.done.is_set()]
        held = Counter(line.pid for line in waiting)
        if waiting:
            max(waiting, key=lambda line: held[line.pid]).close()

    def pids(self, numbers: Iterable[int]) -> tuple[int, ...]:
        """Host pids of those at the other end."""
        return tuple(self._open[n].pid for n in numbers if n in self._open)

    def answer(self, number: int, answer: bytes | None) -> None:
        """Say what a connection is to be told; ``None`` closes it without a word."""
        line = self._open.get(number)
        if line is not None:
            line.answer = answer
            line.done.set()

    async def reply(self, number: int, stream: SocketStream) -> None:
        """Wait for a connection's answer and send it; one that has gone is no error."""
        line = self._open[number]
        try:
            await line.done.wait()
            if line.answer is not None:
                with contextlib.suppress(anyio.BrokenResourceError), anyio.move_on_after(_SEND_S):
                    await stream.send(len(line.answer).to_bytes(4, "big") + line.answer)
        finally:
            del self._open[number]


def peer_pid(stream: SocketStream) -> int:
    """Host pid of the process that made a connection; 0 where it can't be told."""
    size = _CREDENTIALS.size
    raw = stream.extra(SocketAttribute.raw_socket)  # noqa: S610  # anyio's, no query of anything's
    return int(_CREDENTIALS.unpack(raw.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))[0])


async def _message(stream: SocketStream) -> bytes | None:
    """One length-prefixed message, or ``None``."""
    buffered = BufferedByteReceiveStream(stream)
    try:
        with anyio.fail_after(_INPUT_S):
            size = int.from_bytes(await buffered.receive_exactly(4), "big")
            return await buffered.receive_exactly(size) if size <= _INPUT_BYTES else None
    except (TimeoutError, anyio.IncompleteRead, anyio.BrokenResourceError):
        return None
