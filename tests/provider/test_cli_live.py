"""The real command-line agent through the gateway to the provider."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_session import STREAM, Session, newest_cli
from older import OLDER, older_cli
from push_pull import BLUEPRINT, FILE, IDS, PRISTINE

from gatebench.gateway import Cassettes, Playback, Recording, account
from gatebench.gateway.faults import Fault as Class
from gatebench.model.usage import Role
from provider import KEY, Fault, Provider, by_number
from provider.ground import MODEL, NAME, Ground, Setup, on_ground, team

pytestmark = pytest.mark.cli
PROMPT = "Add push and pull to the operations.\n\nStop and summarise when you are done."
FILES = {
    **PRISTINE,
    "tinydb/__init__.py": "",
    "tests/test_nothing.py": "def test_nothing():\n    assert True\n",
}


@pytest.fixture(params=[newest_cli, older_cli], ids=["newest", OLDER])
def cli(request: pytest.FixtureRequest) -> Path:
    find: Callable[[], Path] = request.param
    return find()


def session(tmp_path: Path, cli: Path, name: str) -> Session:
    place = tmp_path / name
    place.mkdir()
    extra = (*STREAM, "--model", MODEL)
    found = Session(cli, place, tmp_path / "model.sock", extra=extra)
    found.set_up(FILES)
    return found


def result(lines: list[dict[str, Any]]) -> dict[str, Any]:
    return next(line for line in lines if line["type"] == "result")


def everything(place: Path, lines: list[dict[str, Any]]) -> str:
    files = [p.read_bytes() for p in place.rglob("*") if p.is_file()]
    return json.dumps(lines) + b"".join(files).decode(errors="replace")


def test_a_session_that_sees_nothing_of_what_fails(
    tmp_path: Path, cli: Path, request: pytest.FixtureRequest
) -> None:
    said: list[dict[str, Any]] = []
    here_session = session(tmp_path, cli, "a")

    async def act(here: Ground) -> None:
        said.extend(await here_session.run(PROMPT, here.base))

    plan = by_number(
        {1: Fault.OVERLOADED_EVENT, 2: Fault.TOO_MANY_LATER, 4: Fault.RESET, 6: Fault.ECHO_PIECES}
    )
    here = on_ground(tmp_path, act, Setup(Provider(team, plan)))
    last = result(said)
    assert (last["subtype"], last["is_error"]) == ("success", False)
    assert not [line for line in said if line.get("subtype") == "api_retry"]
    assert (here_session.work / FILE).read_text() == BLUEPRINT.apply(PRISTINE, IDS)[FILE]
    calls = [call for call, _ in here.calls]
    assert {call.fault for call in calls} == {None}
    assert sum(call.retries for call in calls) == 3
    mine = account(calls, {Role.WORKER: last["total_cost_usd"]}).roles[Role.WORKER]
    assert mine.usage.output_tokens == here.provider.total("output_tokens")
    assert mine.told_usd == pytest.approx(mine.cost_usd, rel=0.1)
    # The older one has another price for tokens read from the cache: what the flag is there for.
    assert mine.disagrees is (request.node.callspec.id == "2.1.293")
    assert KEY not in everything(here_session.root, said)
    assert all(s.headers["user-agent"].startswith("claude-cli/") for s in here.provider.served)


def test_a_stream_that_is_cut_comes_again_as_a_call_of_its_own(tmp_path: Path, cli: Path) -> None:
    said: list[dict[str, Any]] = []
    here_session = session(tmp_path, cli, "a")

    async def act(here: Ground) -> None:
        said.extend(await here_session.run(PROMPT, here.base))

    here = on_ground(tmp_path, act, Setup(Provider(team, by_number({2: Fault.CUT}))))
    assert result(said)["is_error"] is False
    calls = [call for call, _ in here.calls]
    assert [c.fault for c in calls if c.fault] == [Class.CUT]
    assert sum(c.uncertain for c in calls) == 1


def test_a_recorded_session_plays_back(tmp_path: Path, cli: Path) -> None:
    said: list[dict[str, Any]] = []
    told: list[str] = []
    trees: list[str] = []

    def act(name: str, *, play: bool) -> Callable[[Ground], Any]:
        async def run(here: Ground) -> None:
            tapes = Cassettes(tmp_path / "tapes")
            inner = here.live.engine(here.route, "T1-g1-r1", Role.WORKER)
            here.open(Playback(tapes, NAME) if play else Recording(inner, tapes, NAME))
            own = session(tmp_path, cli, name)
            said.extend(await own.run(PROMPT, here.base))
            trees.append((own.work / FILE).read_text())
            told.extend(str(call.fault) for call, _ in here.calls if call.fault)

        return run

    on_ground(tmp_path, act("a", play=False), Setup())
    again = on_ground(tmp_path, act("b", play=True), Setup())
    assert told == []
    assert again.provider.served == []
    assert trees[0] == trees[1] == BLUEPRINT.apply(PRISTINE, IDS)[FILE]
    costs = [line["total_cost_usd"] for line in said if line["type"] == "result"]
    assert costs[0] == costs[1] > 0
