"""A machine of a cluster: it keeps a bench open and runs the trials that it is handed, one by one.

Gateway, sockets, work copies and the git store are the machine's own; what a trial leaves goes to
the head in parcels while it runs. Nothing here knows how parcels travel.
"""

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from gatebench.errors import DiskFull, GateBenchError, LookError
from gatebench.gateway import Hooks
from gatebench.matrix.executors.base import Here
from gatebench.matrix.executors.parcel import Errand, Kit, Parcel
from gatebench.matrix.executors.post import Packer, Post
from gatebench.model.score import Score
from gatebench.sandbox.keeper import keeper
from gatebench.store.job_dir import JobDir
from gatebench.store.journal import Journal
from gatebench.store.redaction import Redactor
from gatebench.store.trial_dir import ATTEMPTS
from gatebench.trial.bench import Bench, Means, open_bench
from gatebench.trial.lifecycle import Job, run_trial

NEWS_S = 1.0
"""How often calls and files are looked for while a trial says nothing of itself."""


class Station:
    """An open bench in this process, for as long as the process lives.

    Everything runs in the caller's thread, while `run` is asked for the next parcel: a sandbox dies
    with the thread that started it, so no thread of its own would do.

    Args:
        kit: what to open the bench with.

    Raises:
        LookError: this machine can't do what the head can.
    """

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._folder = Path(tempfile.mkdtemp(prefix="", dir=keeper().folder))
        self._folder.chmod(0o711)
        self._loop = asyncio.new_event_loop()
        self._post = Post()
        self._here = kit.where.here() if kit.where.here else Here(kit.means.cache, "", None, ())
        self._holder: asyncio.Task[None] | None = None
        self._known: set[str] = set()
        try:
            self._bench = self._loop.run_until_complete(self._open())
        except BaseException:
            self.close()
            raise

    async def _open(self) -> Bench:
        opened: asyncio.Future[Bench] = self._loop.create_future()
        self._holder = self._loop.create_task(self._hold(opened))
        bench = await opened
        ours = bench.digests
        other = [n for n, d in self._kit.digests.items() if n in ours and ours[n] != d]
        if other:
            raise LookError(
                f"{os.uname().nodename} has another {' and '.join(other)} than the head.",
                "Install the same gate-bench, agent and extras on every node.",
            )
        return bench

    async def _hold(self, opened: asyncio.Future[Bench]) -> None:
        """Keep the bench open in one task: whoever enters a context must leave it."""
        try:
            means = self._means()
            async with open_bench(self._kit.choice, means, self._folder / "t") as bench:
                await bench.settle_trees()
                opened.set_result(bench)
                await asyncio.Event().wait()
        except Exception as error:  # noqa: BLE001  # raised by who waits for the bench
            if not opened.done():
                opened.set_exception(error)

    def _means(self) -> Means:
        """The head's, with what this machine has in its own places."""
        kit, here = self._kit, self._here
        if kit.needs_key and here.credential is None:
            raise LookError(
                f"there is no key for the provider on {os.uname().nodename}.",
                "Set ANTHROPIC_API_KEY there before 'ray start'; keys don't travel.",
            )
        worker = replace(kit.means.upstreams.worker, credential=here.credential)
        hooks = Hooks(
            on_pause=self._post.paused,
            on_hold=self._post.limited,
            on_drain=lambda _fault, why: self._post.drain(why),
        )
        return replace(
            kit.means,
            cache=here.cache,
            search_path=here.search_path,
            secrets=here.secrets,
            terms=replace(kit.means.terms, hooks=hooks),
            upstreams=replace(kit.means.upstreams, worker=worker),
            moved=self._unpacked(),
        )

    def _unpacked(self) -> dict[str, str]:
        """Lay out what the kit brought; gives where each lies."""
        moved = {}
        for number, (name, files) in enumerate(self._kit.files.items()):
            root = self._folder / f"k{number}"
            for path, data in files.items():
                target = root / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            single = Path(name).name if list(files) == [Path(name).name] else ""
            moved[name] = str(root / single)
        return moved

    def run(self, errand: Errand) -> Iterator[Parcel]:
        """Run one attempt of a trial; gives what happens as it happens, all of it in the end."""
        box = JobDir(self._folder / "j", Redactor(self._here.secrets))
        box.path.mkdir()
        home = box.trial(errand.trial).path
        for past in range(1, errand.attempt):  # so that this one has the right number
            (home / ATTEMPTS / str(past)).mkdir(parents=True)
        try:
            with Journal(box.journal, box.redactor) as journal:
                yield from self._parcels(errand, Job(self._bench, box, journal, self._post))
        finally:
            shutil.rmtree(box.path, ignore_errors=True)

    def _parcels(self, errand: Errand, job: Job) -> Iterator[Parcel]:
        step = self._loop.run_until_complete
        home = job.home.trial(errand.trial)
        packer = Packer(self._post, job.home.journal, home, self._bench.trees, self._known)
        work = self._loop.create_task(run_trial(job, errand.trial, errand.config))
        while not work.done():
            step(self._news(work))
            parcel = step(packer.parcel(whole=False))
            if parcel.worth_sending:
                yield parcel
        yield step(packer.parcel(whole=True))
        try:
            work.result()
        except DiskFull as error:
            yield Parcel(full=f"on {os.uname().nodename}: {error.message}")
        except GateBenchError as error:
            where = os.uname().nodename
            yield Parcel(refused=(f"on {where}: {error.message}", error.hint))

    async def _news(self, work: "asyncio.Task[Score]") -> None:
        """Until the trial says something, has ended, or a while has passed."""
        news = asyncio.ensure_future(self._post.news.wait())
        await asyncio.wait((work, news), timeout=NEWS_S, return_when=asyncio.FIRST_COMPLETED)
        news.cancel()

    def close(self) -> None:
        """Close the bench; for whoever isn't about to end with the process."""
        if self._holder is not None:
            self._holder.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                self._loop.run_until_complete(self._holder)
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()


@lru_cache(maxsize=1)
def station_of(kit: Kit) -> Station:
    """This process's station; a bench is opened once and serves all errands with the same kit."""
    return Station(kit)
