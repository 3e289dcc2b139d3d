"""Where an agent's program lies while it runs: under a neutral path, to be run but not read.

Two things follow from a copy of one's own. What is bound into the sandbox shows its host path
there (``/proc/self/mountinfo``), and the path of this product's environment tells where one is.
And a program whose file its user may not read is not *dumpable*: the kernel refuses that user's
other processes its memory and descriptors, ``/proc/<pid>/mem`` included. So the agent's tools,
which run under the same user, can't put words into the agent's mouth. The right to read is no
loss to a compiled program; one that reads its own file, and a script, whose interpreter must read
it, get a copy that can be read.
"""

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path

import anyio

from gatebench.agents.paths import AGENT
from gatebench.agents.program import AgentProgram, version_of
from gatebench.errors import AgentMissing
from gatebench.sandbox import Bind, Sandbox
from gatebench.suites.caching import Place, cached

_ELF = b"\x7fELF"
_RUN_ONLY = 0o111
_READABLE = 0o555


async def shelter(
    program: AgentProgram, sandbox: Sandbox, cache: Path, environment: tuple[Bind, ...] = ()
) -> AgentProgram:
    """The same program from copies; itself where there is no sandbox to hide in.

    Args:
        program: as it was found.
        sandbox: where it will run.
        cache: the cache directory; its path is seen inside the sandbox.
        environment: binds of the test environment, for a program whose interpreter is there.
    """
    if sandbox.kind == "none":
        return program
    if _compiled(program):
        closed = replace(program, binds=await _copies(program, cache, _RUN_ONLY), closed=True)
        if await _works(closed, sandbox, environment):
            return closed
    return replace(program, binds=await _copies(program, cache, _READABLE))


def _compiled(program: AgentProgram) -> bool:
    if program.argv != (AGENT,):
        return False
    with program.binds[0].source.open("rb") as file:
        return file.read(len(_ELF)) == _ELF


async def _works(program: AgentProgram, sandbox: Sandbox, environment: tuple[Bind, ...]) -> bool:
    try:
        said = await version_of(program.binds[0].source, sandbox, (*environment, *program.binds))
    except AgentMissing:
        return False
    return said == program.version


async def _copies(program: AgentProgram, cache: Path, mode: int) -> tuple[Bind, ...]:
    return tuple([replace(b, source=await _copy(b.source, cache, mode)) for b in program.binds])


async def _copy(file: Path, cache: Path, mode: int) -> Path:
    """One file's copy, made once for each state of the file."""
    info = await anyio.Path(file).stat()
    facts = f"{file}\0{info.st_size}\0{info.st_mtime_ns}\0{mode:o}"
    place = Place(cache, "programs", hashlib.sha256(facts.encode()).hexdigest()[:32])

    async def build(part: Path) -> None:
        await anyio.Path(part).chmod(0o755)
        target = part / "program"
        await anyio.to_thread.run_sync(shutil.copyfile, file, target)
        await anyio.Path(target).chmod(mode)

    return await cached(place, build) / "program"
