"""Who calls: another process with the site's token is told apart from the site's own."""

import json
import subprocess
import sys
from pathlib import Path

import anyio
import httpx
from push_pull import seat

from gatebench.gateway import Gateway, ScriptedEngine, SiteSpec
from gatebench.model.usage import Call, Role
from gatebench.trial.sites import Ledger

OTHER = """
import socket, sys
path, token, body = sys.argv[1], sys.argv[2], sys.stdin.buffer.read()
link = socket.socket(socket.AF_UNIX)
link.connect(path)
head = f"POST /{token}/v1/messages HTTP/1.1\\r\\nhost: localhost\\r\\nconnection: close\\r\\n"
link.sendall(f"{head}content-length: {len(body)}\\r\\n\\r\\n".encode() + body)
while piece := link.recv(65536):
    sys.stdout.buffer.write(piece)
"""
BODY = {
    "model": "simulated",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Add push and pull."}],
    "tools": [{"name": n} for n in ("Bash", "Edit", "Write", "Read", "Grep", "Glob")],
}


def test_a_call_of_another_process_is_marked_and_closes_no_turn(tmp_path: Path) -> None:
    calls: list[Call] = []
    ledger = Ledger(calls.append)
    socket = tmp_path / "model.sock"

    async def run() -> None:
        transport = httpx.AsyncHTTPTransport(uds=str(socket))
        async with Gateway(socket) as gateway, httpx.AsyncClient(transport=transport) as client:
            engine = ScriptedEngine(seat())
            site = gateway.open_site(SiteSpec("t", Role.WORKER, engine, sink=ledger.sink))
            url = f"{site.base_url}/v1/messages"
            assert (await client.post(url, json=BODY)).status_code == 200
            argv = [sys.executable, "-c", OTHER, str(socket), site.token]
            body = json.dumps(BODY).encode()
            done = await anyio.to_thread.run_sync(
                lambda: subprocess.run(argv, input=body, capture_output=True, check=True)
            )
            assert b" 200 " in done.stdout
            assert (await client.post(url, json=BODY)).status_code == 200

    anyio.run(run)
    assert [call.foreign for call in calls] == [False, True, False]
    assert ledger.foreign == 1
