"""``--via direct``: the user's own login, no gateway; agreed to by name, and marked."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from front import Front, Job, complaint, digest

from provider import KEY
from provider.ground import MODEL
from provider.paid import Shop, shop

REFRESH = "sk-ant-ort01-the-refresh-token-of-the-user"
DIRECT = ("T1", "--reps", "1", "--model", MODEL, "--via", "direct", "--yes")
STUB = """\
#!/usr/bin/env python3
import json, os, socket, sys
if "--version" in sys.argv:
    print("stub 7")
    sys.exit()
config = os.environ.get("CLAUDE_CONFIG_DIR", "")
def tried(what):
    try:
        return str(what())
    except OSError as error:
        return type(error).__name__
state = json.load(open(config + "/.claude.json"))
login = json.load(open(config + "/.credentials.json"))
seen = {
    "config": config,
    "state": sorted(state),
    "login": sorted(login),
    "changed": tried(lambda: open(config + "/.credentials.json", "a").write("x")),
    "kept": tried(lambda: open(config + "/note", "w").write("x")),
    "gateway": sorted(n for n in os.environ if n.startswith("ANTHROPIC")),
    "network": tried(lambda: socket.create_connection(("127.0.0.1", PORT), 5) and "open"),
}
open("seen.json", "w").write(json.dumps(seen))
print(json.dumps({"type": "result", "subtype": "success", "is_error": False, "num_turns": 1,
                  "result": "done", "session_id": "s"}))
"""


@pytest.fixture(scope="module")
def own(front: Front, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """The program of somebody who has logged in, at a provider that their settings name."""
    home = tmp_path_factory.mktemp("login")
    oauth = {"accessToken": KEY, "refreshToken": REFRESH, "expiresAt": 4_000_000_000_000}
    login = {"claudeAiOauth": {**oauth, "scopes": ["user:inference"], "subscriptionType": "max"}}
    state = {"hasCompletedOnboarding": True, "projects": {"/home/me/other-work": {}}}
    with shop(front) as found:
        settings = {"env": {"ANTHROPIC_BASE_URL": found.provider.url}}
        files = {".credentials.json": login, ".claude.json": state, "settings.json": settings}
        for name, content in files.items():
            (home / name).write_text(json.dumps(content))
        yield replace(found, front=replace(front, extra={"CLAUDE_CONFIG_DIR": str(home)}))


def direct(own: Shop, out: Path, *args: str) -> Job:
    done = own.front("run", *DIRECT, *args, "--out", out)
    return Job(own.front, (*DIRECT, *args), out, done)


def test_it_takes_consent_by_name_and_a_login(own: Shop, front: Front, tmp_path: Path) -> None:
    job = direct(own, tmp_path / "a", "--configs", "bare")
    assert "--expose-login" in complaint(job.done, 2)
    nobody = replace(own, front=replace(front, extra={"CLAUDE_CONFIG_DIR": str(tmp_path)}))
    job = direct(nobody, tmp_path / "a", "--configs", "bare", "--expose-login")
    assert "no login" in complaint(job.done, 2)
    job = direct(own, tmp_path / "a", "--configs", "bare", "--expose-login", "--max-cost-trial=1")
    assert "can't be metered" in complaint(job.done, 2)
    assert own.provider.served == []
    assert not job.path.exists()


@pytest.mark.proof
@pytest.mark.cli
def test_the_real_cli_with_a_login_of_its_own(own: Shop, tmp_path: Path) -> None:
    home = Path(own.front.extra["CLAUDE_CONFIG_DIR"])
    before = digest(home)
    job = direct(own, tmp_path / "a", "--configs", "g3", "--expose-login")
    assert job.done.returncode == 0, job.done.stdout
    assert "LOGIN EXPOSED" in job.done.stdout
    trial = job.trial("T1-g3-r1")
    score = trial.score
    assert (score["credential_exposed"], score["simulated"], score["model_ok"]) == (
        True,
        False,
        None,
    )
    # The gate's calls went there too, and what the CLI tells is all that is known of costs.
    assert score["cost_reviewers_usd"] > 0
    assert score["blocks_total"] == 1
    assert not (trial.path / "ledger.json").exists()
    assert {s.headers["authorization"] for s in own.provider.served} == {f"Bearer {KEY}"}
    assert digest(home) == before
    stored = b"".join(p.read_bytes() for p in job.path.rglob("*") if p.is_file())
    assert KEY.encode() not in stored
    assert REFRESH.encode() not in stored
    page = own.front("analyze", job.path)
    assert "own login and an open network" in (job.path / "results.md").read_text(), page.stdout


@pytest.mark.proof
def test_what_the_agent_has_of_the_login(own: Shop, tmp_path: Path) -> None:
    port = own.provider.url.rpartition(":")[2]
    stub = tmp_path / "stub"
    stub.write_text(STUB.replace("PORT", port))
    stub.chmod(0o755)
    args = ("--configs", "bare", "--expose-login", "--agent-bin", str(stub))
    job = direct(own, tmp_path / "a", *args)
    score = job.trial("T1-bare-r1").score
    assert (score["status"], score["cost_worker_usd"], score["cost_total_usd"]) == (
        "ok",
        None,
        None,
    )
    diff = (job.path / "T1-bare-r1" / "post.diff").read_text()
    (line,) = (text for text in diff.splitlines() if text.startswith('+{"config"'))
    seen = json.loads(line[1:])
    assert seen["config"] == "/home/dev/.claude"
    assert seen["state"] == ["hasCompletedOnboarding"]
    assert seen["login"] == ["claudeAiOauth"]
    assert seen["changed"] in {"PermissionError", "OSError"}
    assert seen["kept"] == "1"
    assert seen["gateway"] == ["ANTHROPIC_BASE_URL"]
    assert seen["network"] == "open"
    assert os.environ.get("CLAUDE_CONFIG_DIR") != own.front.extra["CLAUDE_CONFIG_DIR"]
