"""Keep the head and the tail of a stream, in bounded memory."""

from anyio.abc import ByteReceiveStream

_CHUNK = 1 << 16


class Capture:
    """Bytes of a stream, capped: the first half and the last half are kept.

    Args:
        limit: most bytes kept; the mark of the cut comes on top.
    """

    def __init__(self, limit: int) -> None:
        self._head_room = limit - limit // 2
        self._tail_room = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._seen = 0

    @property
    def cut(self) -> bool:
        """Whether bytes were left out."""
        return self._seen > self._head_room + self._tail_room

    def add(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._seen += len(data)
        free = self._head_room - len(self._head)
        if free > 0:
            self._head += data[:free]
            data = data[free:]
        self._tail += data
        # Trimmed now and then only, so that the cost per byte stays constant.
        if len(self._tail) > 2 * self._tail_room + _CHUNK:
            self._trim()

    def _trim(self) -> None:
        del self._tail[: max(0, len(self._tail) - self._tail_room)]

    def value(self) -> bytes:
        """What is kept so far; where bytes are missing, a line says how many."""
        self._trim()
        gone = self._seen - len(self._head) - len(self._tail)
        mark = b"\n[... %d bytes cut ...]\n" % gone if gone else b""
        return bytes(self._head) + mark + bytes(self._tail)

    async def drain(self, stream: ByteReceiveStream) -> None:
        """Read a stream to its end."""
        async for data in stream:
            self.add(data)
