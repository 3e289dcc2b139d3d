"""The page in a real browser, at a desk's and at a phone's width, by itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from handmade import Stop, Trial, job, six_trials
from handmade_matrix import fifty_trials
from handmade_replay import by_hand, with_replay
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

from gatebench.model.job import JobData
from gatebench.report.html import to_html
from gatebench.report.results import results

CHROMIUM = Path("/usr/bin/chromium")
WIDTHS = (1280, 390)
Scheme = Literal["light", "dark"]
JOBS = {
    "fifty": fifty_trials(),
    "six": six_trials(),
    "one": job(Trial("T1-g1-r1", stops=(Stop("pass"),))),
    "replayed": with_replay(by_hand()),
    "nothing": job(),
}

pytestmark = [
    pytest.mark.skipif(
        not CHROMIUM.exists(), reason="Chromium isn't installed (Debian: apt install chromium)"
    ),
    # The driver leaves its pipes to the interpreter's end.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield chromium
        chromium.close()


OVERFLOWING = """() => {
    const scrolls = e => ['auto', 'scroll', 'hidden'].includes(getComputedStyle(e).overflowX);
    const above = e => e.parentElement ? [e.parentElement, ...above(e.parentElement)] : [];
    return [...document.querySelectorAll('body *')]
        .filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !above(e).some(scrolls))
        .map(e => e.tagName + '.' + e.className);
}"""
CONTRAST = """() => {
    const canvas = document.createElement('canvas').getContext('2d');
    const light = colour => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(v => v / 255)
            .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const style = getComputedStyle(document.body);
    const [one, two] = [light(style.color), light(style.backgroundColor)];
    return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
}"""


class Watched:
    """A page at a width, and everything it complained of or asked for."""

    def __init__(self, browser: Browser, width: int, scheme: Scheme) -> None:
        self.complaints: list[str] = []
        self.asked: list[str] = []
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.page: Page = context.new_page()
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._asks)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    def _asks(self, request: Request) -> None:
        self.asked.append(request.url)


def write(path: Path, data: JobData) -> str:
    file = path / "report.html"
    file.write_text(to_html(results(data), data), encoding="utf-8")
    return file.as_uri()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", JOBS)
def test_nothing_overflows_complains_or_leaves(
    name: str, width: int, browser: Browser, tmp_path: Path
) -> None:
    watched = Watched(browser, width, "light")
    url = write(tmp_path, JOBS[name])
    watched.page.goto(url)
    page = watched.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(OVERFLOWING) == []
    assert watched.complaints == []
    assert watched.asked == [url]


def test_the_band_is_seen_first(browser: Browser, tmp_path: Path) -> None:
    watched = Watched(browser, 390, "light")
    watched.page.goto(write(tmp_path, JOBS["fifty"]))
    band = watched.page.locator(".band").first
    box = band.bounding_box()
    assert band.is_visible()
    assert box is not None
    assert box["y"] < 900


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_told_from_its_ground(scheme: Scheme, browser: Browser, tmp_path: Path) -> None:
    """WCAG's contrast of body text, at least 7 to 1."""
    watched = Watched(browser, 1280, scheme)
    watched.page.goto(write(tmp_path, JOBS["six"]))
    assert watched.page.evaluate(CONTRAST) >= 7
