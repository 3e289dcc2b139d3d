"""``Query.between(lower, upper, inclusive=True)``.

Documents carry a number ``n``; results are compared by the JSON text of these numbers. Tables have
no query cache where the cache isn't the point, and values lie off the bounds where the bounds
aren't.
"""

import json
from datetime import date, datetime, timezone

import pytest

R1 = pytest.mark.requirement("R1")
R2 = pytest.mark.requirement("R2")
R3 = pytest.mark.requirement("R3")
R4 = pytest.mark.requirement("R4")
R5 = pytest.mark.requirement("R5")


def table_of(documents, cache_size=0):
    """A table in memory; without a query cache unless told."""
    from tinydb import TinyDB
    from tinydb.storages import MemoryStorage

    table = TinyDB(storage=MemoryStorage).table("data", cache_size=cache_size)
    table.insert_multiple(documents)
    return table


def default_table_of(documents):
    """A table in memory with the library's own cache size."""
    from tinydb import TinyDB
    from tinydb.storages import MemoryStorage

    table = TinyDB(storage=MemoryStorage).table("data")
    table.insert_multiple(documents)
    return table


def numbered(values, field="v"):
    """One document for each value, numbered from 0."""
    return [{"n": n, field: value} for n, value in enumerate(values)]


def text(value):
    return json.dumps(value, sort_keys=True)


def found(table, query):
    """The numbers of the documents a search finds, as JSON text."""
    return text([document["n"] for document in table.search(query)])


def matching(values, query):
    """Which of the values of field ``v`` match, by index, as JSON text."""
    return found(table_of(numbered(values)), query)


def json_table(tmp_path):
    from tinydb import TinyDB

    return TinyDB(tmp_path / "db.json").table("data", cache_size=0)


# --- R1: inclusive by default ------------------------------------------------


@R1
@pytest.mark.parametrize(
    ("lower", "upper", "values", "expected"),
    [
        (2, 4, [0, 1, 2, 3, 4, 5, 6], [2, 3, 4]),
        (2, 4, [6, 4, 5, 2, 3, 1, 4], [1, 3, 4, 6]),
        (3, 3, [2, 3, 4, 2.999, 3.001, 3.0], [1, 5]),
        (1, 5, [0.999, 1, 1.0, 1.001, 2.5, 4.999, 5, 5.0, 5.001], [1, 2, 3, 4, 5, 6, 7]),
        (0.25, 0.75, [0, 0.2, 0.25, 0.5, 0.75, 0.8, 1], [2, 3, 4]),
        (0, 2, [-1, -0.5, 0, 1, 2, 3], [2, 3, 4]),
        (-2, 0, [-3, -2, -1, 0, 0.5, 1], [1, 2, 3]),
        (0, 0, [-1, 0, 1], [1]),
        (-30, -20, [-31, -30, -25, -20, -19, 25, 30], [1, 2, 3]),
        (9, 100, [8, 9, 10, 90, 100, 101, 1000], [1, 2, 3, 4]),
        (10**20, 10**20 + 1, [10**20 - 1, 10**20, 10**20 + 1, 10**20 + 2], [1, 2]),
        (float("-inf"), 0, [float("-inf"), -(10**9), 0, 1], [0, 1, 2]),
        (0, float("inf"), [-1, 0, 10**9, float("inf")], [1, 2, 3]),
        ("b", "d", ["a", "b", "bb", "c", "d", "da", "B", "D"], [1, 2, 3, 4]),
        ("", "b", ["", "a", "b", "ba", "c"], [0, 1, 2]),
        ("10", "20", ["1", "10", "15", "2", "20", "200"], [1, 2, 3, 4]),
        ("x", "x", ["w", "x", "xx"], [1]),
    ],
)
def test_range_with_its_bounds(lower, upper, values, expected):
    from tinydb import where

    assert matching(values, where("v").between(lower, upper)) == text(expected)


@R1
def test_dates_with_the_bounds():
    from tinydb import where

    days = [date(2024, 1, 31), date(2024, 2, 1), date(2024, 2, 15), date(2024, 2, 29)]
    days.append(date(2024, 3, 1))
    query = where("v").between(date(2024, 2, 1), date(2024, 2, 29))
    assert matching(days, query) == text([1, 2, 3])


@R1
def test_only_the_order_of_the_values_counts():
    from tinydb import where

    values = [(1,), (1, 2), (1, 9), (2,), (2, 1), (3, 0)]
    assert matching(values, where("v").between((1, 2), (2, 1))) == text([1, 2, 3, 4])


@R1
def test_inclusive_said_in_so_many_words():
    from tinydb import where

    values = [1, 2, 3, 4, 5]
    assert matching(values, where("v").between(2, 4, True)) == text([1, 2, 3])
    assert matching(values, where("v").between(2, 4, inclusive=True)) == text([1, 2, 3])


@R1
def test_bounds_by_name():
    from tinydb import where

    values = [1, 2, 3, 4, 5]
    assert matching(values, where("v").between(lower=2, upper=4)) == text([1, 2, 3])
    assert matching(values, where("v").between(upper=4, lower=2)) == text([1, 2, 3])


@R1
def test_every_way_to_name_a_field():
    from tinydb import Query, where

    table = table_of(
        {"n": n, "v": v, "a b": -v, "in": {"ner": {"v": v + 10}}} for n, v in enumerate(range(5))
    )
    assert found(table, Query().v.between(1, 3)) == text([1, 2, 3])
    assert found(table, Query()["v"].between(1, 3)) == text([1, 2, 3])
    assert found(table, where("a b").between(-3, -1)) == text([1, 2, 3])
    assert found(table, Query()["in"].ner.v.between(11, 13)) == text([1, 2, 3])
    assert found(table, where("in")["ner"]["v"].between(14, 20)) == text([4])


@R1
def test_one_field_object_makes_many_ranges():
    from tinydb import where

    field = where("v")
    low, high = field.between(1, 2), field.between(4, 5)
    values = [0, 1, 2, 3, 4, 5, 6]
    assert matching(values, high) == text([4, 5])
    assert matching(values, low) == text([1, 2])
    assert matching(values, field.between(0, 0)) == text([0])


@R1
def test_each_table_method_that_takes_a_query(tmp_path):
    from tinydb import where

    table = json_table(tmp_path)
    table.insert_multiple(numbered([1, 2, 3, 4, 5]))
    query = where("v").between(2, 4)
    assert text(table.count(query)) == text(3)
    assert text(table.get(query)) == text({"n": 1, "v": 2})
    assert table.contains(where("v").between(5, 9)) is True
    assert table.contains(where("v").between(6, 9)) is False
    assert text(table.update({"hit": "yes"}, query)) == text([2, 3, 4])
    assert text(table.remove(where("v").between(4, 5))) == text([4, 5])
    left = [{"n": 0, "v": 1}, {"n": 1, "v": 2, "hit": "yes"}, {"n": 2, "v": 3, "hit": "yes"}]
    assert text(table.all()) == text(left)


@R1
def test_called_on_a_document():
    from tinydb import where

    query = where("v").between(2, 4)
    answers = [bool(query({"v": value})) for value in (1, 2, 3, 4, 5)]
    assert text(answers) == text([False, True, True, True, False])


# --- R2: exclusive bounds on request -----------------------------------------


@R2
@pytest.mark.parametrize(
    ("lower", "upper", "values", "expected"),
    [
        (2, 5, [0, 1, 2, 3, 4, 5, 6], [3, 4]),
        (1, 5, [0.999, 1, 1.0, 1.001, 1.5, 3, 4.5, 4.999, 5, 5.0, 5.001], [3, 4, 5, 6, 7]),
        (0.25, 0.75, [0.2, 0.25, 0.26, 0.5, 0.74, 0.75, 0.8], [2, 3, 4]),
        (1, 2, [0, 1, 1.5, 2, 3], [2]),
        (3, 3, [2, 3, 3.0, 4], []),
        (0, 2, [-1, 0, 0.001, 1, 2, 3], [2, 3]),
        (-2, 0, [-3, -2, -1, -0.001, 0, 1], [2, 3]),
        (-30, -20, [-31, -30, -25, -20, -19, 25], [2]),
        (9, 100, [8, 9, 10, 90, 100, 101], [2, 3]),
        (10**20, 10**20 + 2, [10**20 - 1, 10**20, 10**20 + 1, 10**20 + 2], [2]),
        (float("-inf"), float("inf"), [float("-inf"), -(10**9), 0, float("inf")], [1, 2]),
        ("b", "d", ["a", "b", "b ", "bb", "c", "czz", "d", "da"], [2, 3, 4, 5]),
        ("", "b", ["", "a", "b", "ba"], [1]),
    ],
)
def test_range_without_its_bounds(lower, upper, values, expected):
    from tinydb import where

    query = where("v").between(lower, upper, inclusive=False)
    assert matching(values, query) == text(expected)


@R2
def test_exclusive_by_position_and_by_name():
    from tinydb import where

    values = [1, 2, 3, 4, 5]
    assert matching(values, where("v").between(2, 4, False)) == text([2])
    assert matching(values, where("v").between(inclusive=False, upper=4, lower=2)) == text([2])


@R2
def test_dates_without_the_bounds():
    from tinydb import where

    days = [date(2024, 2, 1), date(2024, 2, 2), date(2024, 2, 28), date(2024, 2, 29)]
    query = where("v").between(date(2024, 2, 1), date(2024, 2, 29), inclusive=False)
    assert matching(days, query) == text([1, 2])


@R2
def test_only_the_order_counts_without_the_bounds():
    from tinydb import where

    values = [(1, 2), (1, 2, 0), (1, 9), (2,), (2, 1), (3, 0)]
    query = where("v").between((1, 2), (2, 1), inclusive=False)
    assert matching(values, query) == text([1, 2, 3])


@R2
def test_exclusive_on_an_inner_field():
    from tinydb import Query

    table = table_of({"n": n, "in": {"v": n}} for n in range(6))
    assert found(table, Query()["in"].v.between(1, 4, inclusive=False)) == text([2, 3])


@R2
def test_one_field_object_makes_many_exclusive_ranges():
    from tinydb import where

    field = where("v")
    low = field.between(0, 3, inclusive=False)
    high = field.between(3, 6, inclusive=False)
    values = [0, 1, 2, 3, 4, 5, 6]
    assert matching(values, low) == text([1, 2])
    assert matching(values, high) == text([4, 5])


@R2
def test_exclusive_in_each_table_method(tmp_path):
    from tinydb import where

    table = json_table(tmp_path)
    table.insert_multiple(numbered([1, 2, 3, 4, 5]))
    query = where("v").between(1, 4, inclusive=False)
    assert text(table.count(query)) == text(2)
    assert text(table.get(query)) == text({"n": 1, "v": 2})
    assert table.contains(where("v").between(4, 5, inclusive=False)) is False
    assert text(table.update({"hit": "yes"}, query)) == text([2, 3])
    assert text(table.remove(query)) == text([2, 3])
    assert text([document["v"] for document in table]) == text([1, 4, 5])


# --- R3: composes with &, | and ~ --------------------------------------------
# No value here is a bound, so that only the composition decides.

PAIRS = [(a, b) for a in (0, 10, 20, 30) for b in ("ant", "cat", "dog")]


def pairs_table():
    """All pairs, with ``c`` as the number of ``b``; then one half of a pair each."""
    documents = [{"n": n, "a": a, "b": b, "c": 10 * (n % 3)} for n, (a, b) in enumerate(PAIRS)]
    return table_of([*documents, {"n": 12, "a": 10}, {"n": 13, "b": "cat", "c": 10}])


def where_pairs(test):
    return [n for n, (a, b) in enumerate(PAIRS) if test(a, b)]


@R3
@pytest.mark.parametrize("inclusive", [True, False])
def test_and_with_another_query_on_either_side(inclusive):
    from tinydb import where

    table = pairs_table()
    middle = where("a").between(5, 25, inclusive=inclusive)
    expected = text(where_pairs(lambda a, b: 5 < a < 25 and b == "cat"))
    assert found(table, middle & (where("b") == "cat")) == expected
    assert found(table, (where("b") == "cat") & middle) == expected


@R3
@pytest.mark.parametrize("inclusive", [True, False])
def test_or_with_another_query_on_either_side(inclusive):
    from tinydb import where

    table = pairs_table()
    middle = where("a").between(5, 15, inclusive=inclusive)
    expected = text([*where_pairs(lambda a, b: 5 < a < 15 or b == "dog"), 12])
    assert found(table, middle | (where("b") == "dog")) == expected
    assert found(table, (where("b") == "dog") | middle) == expected


@R3
@pytest.mark.parametrize("inclusive", [True, False])
def test_not_gives_all_the_others(inclusive):
    from tinydb import where

    table = pairs_table()
    middle = where("a").between(5, 25, inclusive=inclusive)
    expected = [*where_pairs(lambda a, b: not 5 < a < 25), 13]
    assert found(table, ~middle) == text(expected)
    assert found(table, ~~middle) == text([*where_pairs(lambda a, b: 5 < a < 25), 12])


@R3
def test_two_ranges_on_two_fields():
    from tinydb import where

    table = pairs_table()
    middle, cats = where("a").between(5, 25), where("c").between(5, 15)
    assert found(table, middle & cats) == text(where_pairs(lambda a, b: 5 < a < 25 and b == "cat"))
    either = [*where_pairs(lambda a, b: 5 < a < 25 or b == "cat"), 12, 13]
    assert found(table, middle | cats) == text(either)


@R3
def test_two_ranges_of_one_field_object():
    from tinydb import where

    table = pairs_table()
    field = where("a")
    low, high = field.between(-5, 5), field.between(15, 25)
    assert found(table, low | high) == text(where_pairs(lambda a, b: a in (0, 20)))
    assert found(table, low & high) == text([])
    assert found(table, field.between(-5, 25) & field.between(15, 35)) == text(
        where_pairs(lambda a, b: a == 20)
    )
    assert found(table, field.between(-5, 35) & ~field.between(5, 25)) == text(
        where_pairs(lambda a, b: a in (0, 30))
    )


@R3
def test_what_is_composed_composes_further():
    from tinydb import where

    table = pairs_table()
    query = ~((where("a").between(5, 15) | where("a").between(25, 35)) & ~(where("b") == "ant"))
    expected = where_pairs(lambda a, b: not (a in (10, 30) and b != "ant"))
    assert found(table, query) == text([*expected, 13])
    assert found(table, ~query) == text([n for n in range(13) if n not in expected])


@R3
def test_with_queries_of_every_kind():
    from tinydb import Query, where

    table = pairs_table()
    middle = where("a").between(5, 25)
    inside = where_pairs(lambda a, b: 5 < a < 25)
    with_b = text(inside)
    assert found(table, middle & where("b").exists()) == with_b
    assert found(table, middle & where("b").matches("[a-z]+$")) == with_b
    assert found(table, where("b").test(lambda b: len(b) == 3) & middle) == with_b
    assert found(table, where("b").map(str.upper).one_of(["ANT", "CAT", "DOG"]) & middle) == with_b
    assert found(table, middle & Query().noop()) == text([*inside, 12])


@R3
def test_composed_ranges_choose_what_is_changed():
    from tinydb import where

    table = pairs_table()
    cats = where("a").between(5, 25) & (where("b") == "cat")
    assert text(table.update({"hit": 1}, cats)) == text([5, 8])
    assert text(table.remove(~where("a").between(5, 35))) == text([1, 2, 3, 14])
    assert text(table.count(where("hit") == 1)) == text(2)


# --- R4: values that can't be compared ---------------------------------------
# What can be compared lies off the bounds here.

MIXED = [
    "3",
    None,
    3,
    [3],
    {"v": 3},
    "three",
    2,
    [],
    {},
    "",
    9,
    (3,),
    {3},
    3j,
    b"3",
    date(2024, 1, 3),
    object(),
    -9,
    int,
]
BOTH = pytest.mark.parametrize("inclusive", [True, False])


@R4
@BOTH
def test_only_numbers_lie_between_numbers(inclusive):
    from tinydb import where

    assert matching(MIXED, where("v").between(1, 5, inclusive=inclusive)) == text([2, 6])
    assert matching(MIXED, where("v").between(-5, 7, inclusive=inclusive)) == text([2, 6])


@R4
@BOTH
def test_only_strings_lie_between_strings(inclusive):
    from tinydb import where

    assert matching(MIXED, where("v").between("1", "5", inclusive=inclusive)) == text([0])
    assert matching(MIXED, where("v").between("a", "z", inclusive=inclusive)) == text([5])


@R4
@BOTH
@pytest.mark.parametrize("value", [None, "3", "", [], [3], {}, {"v": 3}, (), object(), 3j])
def test_a_single_value_of_another_kind(value, inclusive):
    from tinydb import where

    query = where("v").between(1, 5, inclusive=inclusive)
    assert bool(query({"v": value})) is False
    assert matching([value], query) == text([])
    assert matching([value, 3, value], query) == text([1])


@R4
@BOTH
def test_moments_that_have_no_order(inclusive):
    from tinydb import where

    naive = [datetime(2024, 1, day) for day in (1, 15, 31)]
    aware = datetime(2024, 1, 15, tzinfo=timezone.utc)
    values = [aware, naive[1], date(2024, 1, 15), "2024-01-15"]
    query = where("v").between(naive[0], naive[2], inclusive=inclusive)
    assert matching(values, query) == text([1])


@R4
@BOTH
def test_values_that_can_be_compared_with_one_bound_only(inclusive):
    from tinydb import where

    values = [(1, "a"), (1, 3), (0, "a"), (1, None), "a"]
    assert matching(values, where("v").between((1,), (1, 5), inclusive=inclusive)) == text([1])
    assert matching(values, where("v").between((1, 2), (2,), inclusive=inclusive)) == text([1])


@R4
@BOTH
def test_values_that_refuse_to_be_compared(inclusive):
    from tinydb import where

    class Shy:
        def _refuse(self, other):
            raise TypeError("no order here")

        __lt__ = __le__ = __gt__ = __ge__ = _refuse

    assert matching([Shy(), 3, Shy()], where("v").between(1, 5, inclusive=inclusive)) == text([1])


@R4
@BOTH
def test_fields_that_are_not_there(inclusive):
    from tinydb import where

    table = table_of([{"n": 0}, {"n": 1, "v": 3}, {"n": 2, "v": None}, {"n": 3, "w": 3}])
    assert found(table, where("v").between(1, 5, inclusive=inclusive)) == text([1])
    assert found(table, where("x").between(1, 5, inclusive=inclusive)) == text([])


@R4
@BOTH
def test_mixed_data_in_each_table_method(tmp_path, inclusive):
    from tinydb import where

    table = json_table(tmp_path)
    table.insert_multiple(numbered(["3", None, 3, [3], {"v": 3}, 9, "x", 2]))
    query = where("v").between(1, 5, inclusive=inclusive)
    assert found(table, query) == text([2, 7])
    assert text(table.count(query)) == text(2)
    assert text(table.get(query)) == text({"n": 2, "v": 3})
    assert table.contains(query) is True
    assert table.contains(where("v").between(50, 60, inclusive=inclusive)) is False
    assert text(table.update({"hit": 1}, query)) == text([3, 8])
    assert text(table.remove(query)) == text([3, 8])
    assert text([document["n"] for document in table]) == text([0, 1, 3, 4, 5, 6])


# --- R5: the query cache -----------------------------------------------------


def outcome(table, make):
    """What a search gives, or that it raised; the query is built anew."""
    try:
        return found(table, make())
    except Exception as error:
        return f"raised {type(error).__name__}"


def told_apart(documents, makers, answers=2):
    """Each query in turn on one warm table gives what it gives on a fresh one; twice.

    On fresh tables the queries must give at least so many different answers: where they are all the
    same, nothing would be seen.
    """
    fresh = [outcome(default_table_of(documents), make) for make in makers]
    assert len({answer for answer in fresh if answer.startswith("[")}) >= answers
    warm = default_table_of(documents)
    for _ in range(2):
        assert text([outcome(warm, make) for make in makers]) == text(fresh)


def range_of(field, lower, upper, **options):
    def make():
        from tinydb import where

        return where(field).between(lower, upper, **options)

    return make


@R5
def test_other_bounds_other_results():
    table = default_table_of(numbered([15, 25, 35, 45, 55]))
    assert outcome(table, range_of("v", 10, 30)) == text([0, 1])
    assert outcome(table, range_of("v", 10, 50)) == text([0, 1, 2, 3])
    assert outcome(table, range_of("v", 30, 50)) == text([2, 3])
    assert outcome(table, range_of("v", 10, 30)) == text([0, 1])
    assert outcome(table, range_of("v", 70, 90)) == text([])
    assert outcome(table, range_of("v", 30, 50)) == text([2, 3])


@R5
def test_other_field_other_results():
    table = default_table_of({"n": n, "a": 10 * n + 5, "b": 95 - 10 * n} for n in range(5))
    assert outcome(table, range_of("a", 10, 30)) == text([1, 2])
    assert outcome(table, range_of("b", 10, 30)) == text([])
    assert outcome(table, range_of("missing", 10, 30)) == text([])
    assert outcome(table, range_of("b", 70, 90)) == text([1, 2])
    assert outcome(table, range_of("a", 70, 90)) == text([])


@R5
def test_inner_fields_are_fields_of_their_own():
    from tinydb import Query

    documents = [
        {"n": 0, "a": {"b": 2, "c": 20}, "a.b": 20, "b": 20},
        {"n": 1, "a": {"b": 20, "c": 2}, "a.b": 20, "b": 20},
        {"n": 2, "a": {"b": 20, "c": 20}, "a.b": 2, "b": 20},
        {"n": 3, "a": {"b": 20, "c": 20}, "a.b": 20, "b": 2},
    ]
    paths = [Query().a.b, Query().a.c, Query()["a.b"], Query().b]
    told_apart(documents, [lambda path=path: path.between(1, 3) for path in paths])


@R5
def test_one_field_object_asked_twice():
    from tinydb import where

    field = where("v")
    table = default_table_of(numbered([15, 25, 35, 45]))
    assert found(table, field.between(10, 30)) == text([0, 1])
    assert found(table, field.between(30, 50)) == text([2, 3])
    assert found(table, field.between(10, 30)) == text([0, 1])


@R5
@pytest.mark.parametrize("first", [True, False])
def test_with_and_without_bounds(first):
    documents = numbered([1, 2, 3, 4, 5])
    makers = [
        range_of("v", 2, 4, inclusive=first),
        range_of("v", 2, 4, inclusive=not first),
        range_of("v", 2, 4),
    ]
    # Whether the two ways differ at all isn't the cache's business.
    told_apart(documents, makers, answers=1)


@R5
def test_the_first_asked_does_not_decide():
    documents = [{"n": n, "a": n, "b": n} for n in range(6)]
    table = default_table_of(documents)
    a = [outcome(table, range_of("a", 1, 4, inclusive=i)) for i in (True, False)]
    b = [outcome(table, range_of("b", 1, 4, inclusive=i)) for i in (False, True)]
    assert a[0].startswith("[")
    assert text(a) == text(b[::-1])


@R5
def test_every_pair_of_ranges():
    """All bounds from -2 to 3, both fields, both ways, on one large warm cache."""
    documents = [
        {"n": n, "v": v, "w": w}
        for n, (v, w) in enumerate([(-3, 2), (-1, 1), (0, 0), (1, -1), (2, -2), (3, 3)])
    ]
    makers = [
        range_of(field, lower, upper, inclusive=inclusive)
        for lower in range(-2, 4)
        for upper in range(-2, 4)
        for field in ("v", "w")
        for inclusive in (True, False)
    ]
    warm = table_of(documents, cache_size=1000)
    fresh = [outcome(table_of(documents, cache_size=1000), make) for make in makers]
    assert text([outcome(warm, make) for make in makers]) == text(fresh)
    assert text([outcome(warm, make) for make in reversed(makers)]) == text(fresh[::-1])
    assert len(set(fresh)) > 6


@R5
def test_bounds_that_look_alike():
    """Bounds alike in text or in hash; whether a comparison raises is not the point."""
    documents = numbered([-3, 0, 2, 8, 20])
    bounds = [(1, 3), ("1", "3"), (1, "3"), (-1, 9), (-2, 9), (13, 5), (1, 35), (-1, -2)]
    bounds += [(-2, -1), (0, 4), ("0", 4), (-1, "9"), (2, 1), (1, 2)]
    told_apart(documents, [range_of("v", *pair) for pair in bounds])


@R5
def test_bounds_and_field_do_not_mix():
    documents = [{"n": 0, "v": "w", "w": "v"}, {"n": 1, "v": "x", "w": "u"}]
    makers = [range_of("v", "v", "w"), range_of("w", "v", "w"), range_of("v", "w", "x")]
    makers += [range_of("w", "u", "v"), range_of("w", "t", "uu"), range_of("v", "vv", "ww")]
    told_apart(documents, makers, answers=0)


@R5
def test_other_kinds_of_queries_are_others():
    from tinydb import where

    documents = numbered([15, 25, 35, 45])
    others = [
        lambda: where("v") >= 20,
        lambda: where("v") <= 40,
        lambda: where("v") > 20,
        lambda: where("v") < 40,
        lambda: where("v") == 25,
        lambda: where("v").exists(),
        lambda: where("v").one_of([20, 40]),
    ]
    told_apart(documents, [*others, range_of("v", 20, 40)])
    told_apart(documents, [range_of("v", 20, 40), *others])
    warm = default_table_of(documents)
    for make in others:
        outcome(warm, make)
    assert outcome(warm, range_of("v", 20, 40)) == text([1, 2])


@R5
def test_told_apart_on_disk(tmp_path):
    from tinydb import TinyDB, where

    db = TinyDB(tmp_path / "db.json")
    db.insert_multiple(numbered([15, 25, 35]))
    assert found(db, where("v").between(10, 20)) == text([0])
    assert found(db, where("v").between(20, 30)) == text([1])
    assert text(db.count(where("v").between(10, 30))) == text(2)
    assert found(db, where("v").between(10, 20)) == text([0])
