import pytest

from gatebench.report import words
from gatebench.stats.estimate import Estimate
from gatebench.stats.proportions import Cluster, small_share


def told(hits: int, n: int) -> str:
    return words.share(small_share([Cluster(hits, n - 1), Cluster(0, 1)]))


def test_shares_are_told_by_their_denominator() -> None:
    assert told(0, 0 + 1) == "0 of 1"
    assert told(1, 3) == "1 of 3"
    assert told(2, 7) == "2 of 7 (6–65 %)"
    assert told(3, 13) == "23 % (3 of 13; 7–50 %)"
    assert words.share(small_share([])) == "–"


@pytest.mark.parametrize(
    ("amount", "plain", "extra"),
    [
        (None, "–", "–"),
        (0.0, "$0.00", "$0.00"),
        (1.239, "$1.24", "+$1.24"),
        (0.0123, "$0.012", "+$0.012"),
        (0.0012, "$0.0012", "+$0.0012"),
        (-0.5, "−$0.500", "−$0.500"),
        (-0.00001, "$0.00", "$0.00"),
    ],
)
def test_money(amount: float | None, plain: str, extra: str) -> None:
    assert words.usd(amount) == plain
    assert words.extra_usd(amount) == extra


def test_points_never_show_a_signed_nothing() -> None:
    assert [words.points(x) for x in (0.16, -0.04, 0.0, 0.001, -0.001, None)] == [
        "+16",
        "−4",
        "0",
        "0",
        "0",
        "–",
    ]


def test_intervals_stand_beside_their_value() -> None:
    estimate = Estimate(value=0.16, n=5, interval=(-0.04, 0.36), method="t")
    assert words.change(estimate) == "+16 (−4 to +36)"
    assert words.extra_money(estimate) == "+$0.160 (−$0.040 to +$0.360)"
    assert words.rate(estimate.model_copy(update={"interval": None})) == "16 %"


def test_p_values_and_lists() -> None:
    assert [words.p_value(p) for p in (None, 0.0004, 0.0123)] == ["no p", "p < 0.001", "p = 0.012"]
    assert words.listing(["a"]) == "a"
    assert words.listing(["a", "b"]) == "a and b"
    assert words.listing(["a", "b", "c"]) == "a; b; and c"
    assert (words.plural(1, "task"), words.plural(0, "task")) == ("1 task", "0 tasks")
