"""Hands standard input to the socket beside this file and prints what comes back."""

# Not `socket`, which is this and some tables of names: they would double what each stop waits for
# Python to start.
import _socket
import sys

FAILED = 69


def _exactly(line: _socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = line.recv(min(65536, size - len(data)))
        if not more:
            raise EOFError
        data += more
    return data


def main() -> int:
    """Exit code: 0 when an answer came, 69 otherwise."""
    try:
        asked = sys.stdin.buffer.read()
        line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        line.connect(sys.argv[0].rpartition("/")[0] + "/socket")
        line.sendall(len(asked).to_bytes(4, "big") + asked)
        answer = _exactly(line, int.from_bytes(_exactly(line, 4), "big"))
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    except (OSError, EOFError, OverflowError):
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
