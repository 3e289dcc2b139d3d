"""A command's stdout, and who wrote it.

Our end of the socket pair asks the kernel for the sender of every chunk (``SO_PASSCRED``); the
number can't be made up without capabilities, which nothing inside has. Only what the command's own
program writes is its output. What another process writes, which got hold of the descriptor in
whatever way, is kept apart.
"""

import socket
import struct

import anyio
import anyio.lowlevel
from anyio.abc import ByteReceiveStream

from gatebench.sandbox.capture import Capture
from gatebench.sandbox.tree import Tree

_CREDENTIALS = struct.Struct("3i")
_KEPT_BYTES = 1_000_000


class Writers:
    """The processes whose output counts: the program, and who wrote first.

    A wrapper that doesn't replace itself by the program it starts has that one write. It writes
    first: nothing that an agent starts can run before the agent has said its first word.

    Args:
        tree: the command's processes.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: frozenset[int] = frozenset()

    @property
    def pids(self) -> frozenset[int]:
        """Host pids."""
        return self._known or frozenset(self._program())

    def count(self, pid: int) -> bool:
        """Whether what a process writes counts."""
        if not self._known:
            self._known = frozenset((pid, *self._program()))
        return pid in self._known

    def _program(self) -> tuple[int, ...]:
        program = self._tree.program()
        return () if program is None else (program,)


def socket_pair() -> tuple[socket.socket, socket.socket]:
    """Our end, which learns who writes, and the command's."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    if hasattr(socket, "SO_PASSCRED"):
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    return ours, theirs


class SocketOutput(ByteReceiveStream):
    """Our end of the socket pair that is a command's stdout.

    A pipe could be opened anew by any process of the same user, through
    ``/proc/<pid>/fd/1``, and written to; a socket refuses that.

    Args:
        end: our end, from `socket_pair`.
        writers: whose output counts.
    """

    def __init__(self, end: socket.socket, writers: Writers) -> None:
        end.setblocking(False)  # noqa: FBT003  # the socket's own signature
        self._socket = end
        self._forged = Capture(_KEPT_BYTES)
        self.writers = writers

    @property
    def forged(self) -> bytes:
        """What others wrote, capped; it is no part of the output."""
        return self._forged.value()

    async def receive(self, max_bytes: int = 65536) -> bytes:
        """The next bytes of the program's own.

        Raises:
            anyio.EndOfStream: every writer is gone.
        """
        while True:
            try:
                data, sender = self._read(max_bytes)
            except BlockingIOError:
                await anyio.wait_readable(self._socket)
                continue
            except ConnectionResetError:
                raise anyio.EndOfStream from None
            if not data:
                raise anyio.EndOfStream
            if self.writers.count(sender):
                return data
            self._forged.add(data)
            await anyio.lowlevel.checkpoint()  # a flood must not hold the loop

    def _read(self, max_bytes: int) -> tuple[bytes, int]:
        """The next chunk, which is one sender's; descriptors that come with it are refused."""
        room = socket.CMSG_SPACE(_CREDENTIALS.size)
        data, said, _, _ = self._socket.recvmsg(max_bytes, room)
        for level, kind, value in said:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                return data, _CREDENTIALS.unpack(value)[0]
        return data, 0

    async def aclose(self) -> None:
        """Close our end."""
        self._socket.close()
