import re
from html.parser import HTMLParser

import pytest
from handmade import Stop, Trial, job, six_trials
from handmade_matrix import HOSTILE, fifty_trials

from gatebench.model.job import JobData
from gatebench.report.false_blocks import MOST, false_blocks, printable
from gatebench.report.html import to_html
from gatebench.report.results import results
from gatebench.report.shapes import ticks

VOID = {"meta", "br"}
BLOCK = (Stop("red", reason="x"),) * 6
JOBS = {
    "fifty": fifty_trials(),
    "six": six_trials(),
    "one": job(Trial("T1-g1-r1", stops=(Stop("pass"),))),
    "nothing": job(),
    "filling": job(Trial("T1-g1-r1", done=False), Trial("T1-bare-r1", end="R1")),
    "real": job(Trial("T1-bare-r1"), simulated=False),
}


class Page(HTMLParser):
    """Reads a page strictly: what opens must close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(data: JobData) -> str:
    return to_html(results(data), data)


@pytest.mark.parametrize("name", JOBS)
def test_the_page_is_well_formed_and_needs_nothing_else(name: str) -> None:
    text = page(JOBS[name])
    read = Page(text)
    assert not {"script", "link", "img", "iframe", "object"} & set(read.tags)
    assert not {"href", "src", "onclick", "onload"} & {key for key, _ in read.attributes}
    assert "url(" not in text
    assert "default-src 'none'" in text
    assert not re.search(r"\b(nan|None|inf)\b", text)


def test_ids_are_unique() -> None:
    ids = [value for key, value in Page(page(JOBS["fifty"])).attributes if key == "id"]
    assert len(ids) == len(set(ids))
    assert {"forest", "confusion", "flow-g13", "cost", "q1", "q5", "false-blocks"} <= set(ids)


def test_what_an_agent_or_a_gate_wrote_is_text_and_nothing_else() -> None:
    text = page(JOBS["fifty"])
    assert "&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<script" not in text
    for steering in ("\u202e", "\x1b"):
        assert steering in HOSTILE
        assert steering not in text


def test_printable_keeps_lines_and_words() -> None:
    assert printable("a\tb\nnaïve ☃\x00\u2066") == "a\tb\nnaïve ☃"


def test_the_band_stands_on_simulated_pages_only() -> None:
    assert page(JOBS["fifty"]).count('class="tag"') > 10
    assert 'class="band"' in page(JOBS["one"])
    assert "SIMULATED" not in page(JOBS["real"])


def test_every_false_block_of_valid_trials_is_shown_up_to_a_number() -> None:
    many = [Trial(f"T{t}-g1-r1", stops=BLOCK) for t in range(1, 9)]
    data = job(*many, Trial("T9-g1-r1", stops=BLOCK, status="gate_error"))
    assert len(false_blocks(data)) == 48
    text = page(data)
    assert text.count("<details>") == MOST
    assert "8 more" in text


def test_pictures_stay_within_their_frames() -> None:
    for name in ("fifty", "six"):
        text = page(JOBS[name])
        for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
            height = float(svg.split('viewBox="0 0 360 ')[1].split('"')[0])
            assert all(-1 <= float(x) <= 361 for x in re.findall(r'\b(?:x|cx|x1|x2)="(.*?)"', svg))
            ys = [float(y) for y in re.findall(r'\b(?:y|cy|y1|y2)="(.*?)"', svg)]
            assert all(-1 <= y <= height + 1 for y in ys)


@pytest.mark.parametrize(
    ("low", "high"), [(0, 0.002), (-3, 4), (0, 1), (-100, 100), (0, 1234), (55, 100)]
)
def test_ticks_are_few_and_reach_over_the_range(low: float, high: float) -> None:
    marks = ticks(low, high)
    assert marks[0] <= low
    assert marks[-1] >= high
    assert 3 <= len(marks) <= 12
