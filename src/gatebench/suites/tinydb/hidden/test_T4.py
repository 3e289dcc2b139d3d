"""Sorted and limited searches: Table.search(cond, sort_by=None, reverse=False, limit=None).

R1-R4 use tables without a query cache, so that only R5 depends on it. The values used for R2-R5
have the same order as numbers and as text, so that only R1 depends on how values are compared.
"""

import json
import random

import pytest

BIG = 2**53


def make_table(storage, tmp_path, name="items", cache_size=0):
    """An empty table on a storage of the given kind."""
    from tinydb import TinyDB
    from tinydb.storages import JSONStorage, MemoryStorage

    if storage == "json":
        db = TinyDB(str(tmp_path / "db.json"), storage=JSONStorage)
    else:
        db = TinyDB(storage=MemoryStorage)
    return db.table(name, cache_size=cache_size)


@pytest.fixture(params=["memory", "json"])
def table(request, tmp_path):
    return make_table(request.param, tmp_path)


def kept():
    """A condition on a field that is never sorted by."""
    from tinydb import where

    return where("keep") == "yes"


def fill(table, field, values):
    """One matching document per value, and others that don't match in front and between."""
    docs = []
    for number, value in enumerate(values):
        docs.append({field: value, "keep": "no", "id": f"x{number}"})
        docs.append({field: value, "keep": "yes", "id": f"m{number}", "deep": {"n": number}})
    table.insert_multiple(docs)


def text(value):
    return json.dumps(value, sort_keys=True)


def column(docs, field):
    """The field's values, as JSON text."""
    return json.dumps([dict(doc)[field] for doc in docs])


def ids_text(docs):
    """The 'id' fields whatever their order, as JSON text."""
    return json.dumps(sorted(dict(doc)["id"] for doc in docs))


# --- R1: sorts by a field, both directions -------------------------------------------------

NUMBERS = [10, 9, 100, -5, 0, 2.5, -20, 33, 1000, -3, 7, 0.25]
WORDS = ["pear", "apple", "10", "fig", "", "9", "applesauce", "100", "kiwi"]


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("values", [NUMBERS, WORDS, [True, False]], ids=["num", "text", "bool"])
def test_ascending(table, values):
    fill(table, "v", values)
    found = list(table.search(kept(), sort_by="v"))
    assert column(found, "v") == json.dumps(sorted(values))


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("values", [NUMBERS, WORDS, [False, True]], ids=["num", "text", "bool"])
def test_descending(table, values):
    fill(table, "v", values)
    found = list(table.search(kept(), sort_by="v", reverse=True))
    assert column(found, "v") == json.dumps(sorted(values, reverse=True))


@pytest.mark.requirement("R1")
def test_reverse_false_is_ascending(table):
    fill(table, "v", NUMBERS)
    found = list(table.search(kept(), sort_by="v", reverse=False))
    assert column(found, "v") == json.dumps(sorted(NUMBERS))


@pytest.mark.requirement("R1")
def test_arguments_by_position(table):
    fill(table, "v", NUMBERS)
    assert column(table.search(kept(), "v"), "v") == json.dumps(sorted(NUMBERS))
    expected = json.dumps(sorted(NUMBERS, reverse=True))
    assert column(table.search(kept(), "v", True), "v") == expected


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("reverse", [False, True])
def test_neighbouring_big_numbers(table, reverse):
    values = [BIG + 1, BIG, BIG + 3, BIG + 2, -BIG, -BIG - 1, 10**30, 10**30 - 1]
    fill(table, "v", values)
    found = table.search(kept(), sort_by="v", reverse=reverse)
    assert column(found, "v") == json.dumps(sorted(values, reverse=reverse))


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("reverse", [False, True])
def test_many_documents(table, reverse):
    draw = random.Random(20240229)
    values = [draw.randint(-500, 1500) for _ in range(90)]
    values += [draw.randint(-500, 1500) + 0.5 for _ in range(30)]
    fill(table, "v", values)
    found = list(table.search(kept(), sort_by="v", reverse=reverse))
    assert column(found, "v") == json.dumps(sorted(values, reverse=reverse))
    assert ids_text(found) == json.dumps(sorted(f"m{n}" for n in range(120)))


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("reverse", [False, True])
def test_equal_values_are_all_kept(table, reverse):
    values = [12, 5, 12, 5, 5, 100, 12]
    fill(table, "v", values)
    found = list(table.search(kept(), sort_by="v", reverse=reverse))
    assert column(found, "v") == json.dumps(sorted(values, reverse=reverse))
    assert ids_text(found) == json.dumps([f"m{n}" for n in range(7)])


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("reverse", [False, True])
def test_all_values_equal(table, reverse):
    fill(table, "v", [11, 11, 11])
    found = list(table.search(kept(), sort_by="v", reverse=reverse))
    assert ids_text(found) == '["m0", "m1", "m2"]'


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("field", ["items", "first name", "v", "sort_by", "a.b"])
def test_only_the_named_field_counts(table, field):
    other = "zzz"
    docs = [{other: 1000 - v, field: v, "keep": "yes"} for v in (8, 70, -6, 600, 0)]
    table.insert_multiple(docs)
    found = list(table.search(kept(), sort_by=field))
    assert column(found, field) == "[-6, 0, 8, 70, 600]"
    found = list(table.search(kept(), sort_by=other))
    assert column(found, field) == "[600, 70, 8, 0, -6]"


@pytest.mark.requirement("R1")
def test_documents_come_back_whole(table):
    table.insert_multiple(
        [{"v": 20, "keep": "yes", "a": [1, None]}, {"v": 3, "keep": "yes", "b": {"c": ""}}]
    )
    found = [dict(doc) for doc in table.search(kept(), sort_by="v")]
    expected = [{"v": 3, "keep": "yes", "b": {"c": ""}}, {"v": 20, "keep": "yes", "a": [1, None]}]
    assert text(found) == text(expected)


@pytest.mark.requirement("R1")
def test_nothing_matches(table):
    assert text(list(table.search(kept(), sort_by="v"))) == "[]"
    table.insert({"v": 1, "keep": "no"})
    assert text(list(table.search(kept(), sort_by="v", reverse=True))) == "[]"


@pytest.mark.requirement("R1")
def test_through_the_database():
    from tinydb import TinyDB
    from tinydb.storages import MemoryStorage

    db = TinyDB(storage=MemoryStorage)
    db.insert_multiple([{"v": v, "keep": "yes"} for v in (10, 9, 101)])
    assert column(db.search(kept(), sort_by="v", reverse=True), "v") == "[101, 10, 9]"


# --- R2: documents without the field come last, in both directions --------------------------

PRESENT = {
    "text": ["m", "", "zzzzzzzz", "A", "\U0010ffff\U0010ffff"],
    "numbers": [3, 0, 10**40, -(10**40), 1],
    "zero": [0],
    "empty text": [""],
    "false": [False, True],
    "falsy": [0, 0.5],
}


def last_ones(docs, count):
    """The ids of the last documents, whatever their order among themselves."""
    return ids_text(list(docs)[-count:])


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", sorted(PRESENT))
def test_missing_come_last(tmp_path, kind, reverse):
    present = [{"v": v, "keep": "yes", "id": f"p{n}"} for n, v in enumerate(PRESENT[kind])]
    gone = [{"keep": "yes", "id": f"g{n}"} for n in range(4)]
    half = len(present) // 2
    for docs in (
        gone + present,
        present[:half] + gone + present[half:],
        present + gone,
        gone[:1] + present[:half] + gone[1:2] + present[half:] + gone[2:],
    ):
        table = make_table("memory", tmp_path)
        table.insert_multiple(docs)
        found = list(table.search(kept(), sort_by="v", reverse=reverse))
        assert last_ones(found, 4) == '["g0", "g1", "g2", "g3"]'
        assert ids_text(found) == ids_text(docs)


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("reverse", [False, True])
def test_one_is_missing(table, reverse):
    table.insert_multiple(
        [
            {"v": "b", "keep": "yes", "id": "p0"},
            {"keep": "yes", "id": "gone"},
            {"keep": "no", "id": "other"},
            {"v": "a", "keep": "yes", "id": "p1"},
        ]
    )
    found = list(table.search(kept(), sort_by="v", reverse=reverse))
    assert last_ones(found, 1) == '["gone"]'
    assert ids_text(found) == '["gone", "p0", "p1"]'


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("reverse", [False, True])
def test_all_are_missing(table, reverse):
    table.insert_multiple({"keep": "yes", "id": f"g{n}"} for n in range(5))
    found = list(table.search(kept(), sort_by="v", reverse=reverse))
    assert ids_text(found) == '["g0", "g1", "g2", "g3", "g4"]'


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("reverse", [False, True])
def test_the_field_elsewhere_is_not_the_field(table, reverse):
    table.insert_multiple(
        [
            {"keep": "yes", "id": "inner", "deep": {"v": "q"}},
            {"v": "q", "keep": "yes", "id": "p0"},
            {"keep": "yes", "id": "similar", "V": "q", "vv": "q"},
            {"v": "r", "keep": "yes", "id": "p1"},
        ]
    )
    found = list(table.search(kept(), sort_by="v", reverse=reverse))
    assert last_ones(found, 2) == '["inner", "similar"]'
    assert ids_text(found) == '["inner", "p0", "p1", "similar"]'


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("reverse", [False, True])
def test_searching_gives_nobody_the_field(table, reverse):
    docs = [{"keep": "yes", "id": "gone"}, {"v": "a", "keep": "yes", "id": "p0"}]
    table.insert_multiple(docs)
    found = [dict(doc) for doc in table.search(kept(), sort_by="v", reverse=reverse)]
    assert text(found[-1]) == text(docs[0])
    stored = sorted((dict(doc) for doc in table.all()), key=lambda doc: doc["id"])
    assert text(stored) == text(docs)


# --- R3: limit after ordering ----------------------------------------------------------------

LETTERS = ["e", "c", "h", "a", "g", "b", "f", "d"]


@pytest.mark.requirement("R3")
def test_the_first_of_the_ordered_result(table):
    fill(table, "v", LETTERS)
    for limit in (1, 2, 3, 5, 7, 8, 9, 100):
        found = list(table.search(kept(), sort_by="v", limit=limit))
        assert column(found, "v") == json.dumps(sorted(LETTERS)[:limit])


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("reverse", [False, True])
def test_a_limited_result_begins_like_the_whole(table, reverse):
    fill(table, "v", LETTERS)
    order = {"sort_by": "v", "reverse": reverse}
    whole = [dict(doc) for doc in table.search(kept(), **order)]
    for limit in (1, 2, 3, 5, 7, 8, 9, 100):
        part = [dict(doc) for doc in table.search(kept(), limit=limit, **order)]
        assert text(part) == text(whole[:limit])


@pytest.mark.requirement("R3")
def test_without_ordering_the_first_matches(table):
    fill(table, "v", LETTERS)
    for limit in (1, 2, 3, 7, 8, 9, 100):
        found = list(table.search(kept(), limit=limit))
        assert column(found, "v") == json.dumps(LETTERS[:limit])


@pytest.mark.requirement("R3")
def test_no_limit_is_everything(table):
    fill(table, "v", LETTERS)
    assert column(table.search(kept(), limit=None), "v") == json.dumps(LETTERS)
    found = table.search(kept(), sort_by="v", limit=None)
    assert column(found, "v") == json.dumps(sorted(LETTERS))


@pytest.mark.requirement("R3")
def test_limit_counts_matches_only(table):
    table.insert_multiple({"v": "a", "keep": "no"} for _ in range(6))
    table.insert_multiple({"v": v, "keep": "yes"} for v in "zyx")
    assert column(table.search(kept(), limit=2), "v") == '["z", "y"]'
    assert column(table.search(kept(), sort_by="v", limit=2), "v") == '["x", "y"]'


@pytest.mark.requirement("R3")
def test_limit_by_position(table):
    fill(table, "v", LETTERS)
    assert column(table.search(kept(), None, False, 3), "v") == '["e", "c", "h"]'
    assert column(table.search(kept(), "v", False, 3), "v") == '["a", "b", "c"]'


@pytest.mark.requirement("R3")
def test_limit_among_many(table):
    draw = random.Random(77)
    values = [f"{draw.randrange(10**6):06d}" for _ in range(80)]
    fill(table, "v", values)
    for limit in (1, 13, 41, 79, 80, 81):
        found = table.search(kept(), sort_by="v", limit=limit)
        assert column(found, "v") == json.dumps(sorted(values)[:limit])


@pytest.mark.requirement("R3")
def test_nothing_to_limit(table):
    assert text(list(table.search(kept(), limit=3))) == "[]"
    assert text(list(table.search(kept(), sort_by="v", limit=3))) == "[]"


# --- R4: limit 0 gives nothing, negative raises ------------------------------------------------

ORDERS = {
    "unordered": {},
    "ascending": {"sort_by": "v"},
    "descending": {"sort_by": "v", "reverse": True},
    "absent field": {"sort_by": "nowhere"},
}


def fill_matching(table, matching):
    """A table of which none, one or more documents match; 'empty' is never written to."""
    count = {"empty": 0, "none": 0, "one": 1, "some": 5}[matching]
    if matching != "empty":
        table.insert_multiple({"v": v, "keep": "no"} for v in "ab")
    if count:
        table.insert_multiple({"v": v, "keep": "yes"} for v in "edcba"[:count])


@pytest.mark.requirement("R4")
@pytest.mark.parametrize("order", sorted(ORDERS))
@pytest.mark.parametrize("matching", ["empty", "none", "one", "some"])
def test_limit_zero_gives_nothing(table, order, matching):
    fill_matching(table, matching)
    assert text(list(table.search(kept(), limit=0, **ORDERS[order]))) == "[]"


@pytest.mark.requirement("R4")
@pytest.mark.parametrize("order", sorted(ORDERS))
@pytest.mark.parametrize("matching", ["empty", "none", "one", "some"])
def test_negative_limit_raises(tmp_path, order, matching):
    table = make_table("memory", tmp_path)
    fill_matching(table, matching)
    for limit in (-1, -2, -4, -5, -6, -1000):
        with pytest.raises(ValueError):
            table.search(kept(), limit=limit, **ORDERS[order])


@pytest.mark.requirement("R4")
@pytest.mark.parametrize("order", sorted(ORDERS))
def test_negative_limit_raises_on_a_file(tmp_path, order):
    table = make_table("json", tmp_path)
    fill_matching(table, "some")
    with pytest.raises(ValueError):
        table.search(kept(), limit=-1, **ORDERS[order])


@pytest.mark.requirement("R4")
def test_zero_and_negative_by_position(table):
    fill_matching(table, "some")
    assert text(list(table.search(kept(), "v", True, 0))) == "[]"
    with pytest.raises(ValueError):
        table.search(kept(), "v", True, -1)


# --- R5: nothing shows in later searches; results are Documents with doc_id ----------------------

PEOPLE = [
    ("mia", "3", 17),
    ("ben", "1", 4),
    ("kim", "7", 58),
    ("zoe", "2", 90),
    ("ada", "5", 41),
    ("leo", "4", 23),
    ("ola", "6", 2),
]


def people(storage="memory", tmp_path=None):
    """A fresh table, query cache on, doc ids that follow neither position nor any field."""
    from tinydb.table import Document

    table = make_table(storage, tmp_path, name="people", cache_size=10)
    table.insert_multiple(
        Document({"name": name, "rank": rank, "keep": "yes"}, doc_id)
        for name, rank, doc_id in PEOPLE
    )
    return table


def full(docs):
    """Ids and contents, as JSON text."""
    return json.dumps([[doc.doc_id, dict(doc)] for doc in docs], sort_keys=True)


def outcome(table, request):
    """What a search gives: its result as text, or what it raises for a limit of 0 or less."""
    try:
        return full(table.search(kept(), **request))
    except Exception as error:
        if request.get("limit", 1) > 0:
            raise
        return type(error).__name__


PLAIN = {}
NAME = {"sort_by": "name"}
RANK = {"sort_by": "rank"}
TWO = {"limit": 2}
FOUR = {"limit": 4}
DISTINCT = {"plain": PLAIN, "name": NAME, "rank": RANK, "two": TWO, "four": FOUR}
REQUESTS = {
    **DISTINCT,
    "name down": {"sort_by": "name", "reverse": True},
    "name two": {"sort_by": "name", "limit": 2},
    "name down two": {"sort_by": "name", "reverse": True, "limit": 2},
    "rank two": {"sort_by": "rank", "limit": 2},
    "zero": {"limit": 0},
    "name zero": {"sort_by": "name", "limit": 0},
    "negative": {"limit": -1},
    "name negative": {"sort_by": "name", "limit": -1},
    "absent": {"sort_by": "nowhere"},
}


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("first", sorted(REQUESTS))
def test_a_warm_table_answers_like_a_fresh_one(first):
    for second in REQUESTS:
        warm = people()
        outcome(warm, REQUESTS[first])
        assert outcome(warm, REQUESTS[second]) == outcome(people(), REQUESTS[second]), second
    if first in DISTINCT:
        own = outcome(people(), REQUESTS[first])
        others = [outcome(people(), DISTINCT[name]) for name in DISTINCT if name != first]
        assert own not in others


@pytest.mark.requirement("R5")
def test_many_searches_in_a_row():
    warm = people()
    draw = random.Random(5)
    for name in draw.choices(sorted(REQUESTS), k=120):
        assert outcome(warm, REQUESTS[name]) == outcome(people(), REQUESTS[name]), name


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("request_", [NAME, TWO, {"sort_by": "rank", "reverse": True}])
def test_the_plain_search_on_a_file_stays(tmp_path, request_):
    warm = people("json", tmp_path)
    plain = outcome(people(), PLAIN)
    assert outcome(warm, request_) == outcome(people(), request_)
    assert outcome(warm, PLAIN) == plain
    assert outcome(warm, request_) == outcome(people(), request_)
    assert outcome(warm, PLAIN) == plain
    assert outcome(people(), NAME) != plain
    assert full(warm.all()) == full(people().all())


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("request_", [NAME, RANK, TWO, {"sort_by": "name", "reverse": True}])
@pytest.mark.parametrize("spoil", ["clear", "reverse", "pop", "append"])
def test_a_spoilt_result_spoils_no_search(request_, spoil):
    warm = people()
    for earlier in (request_, PLAIN, request_):
        result = warm.search(kept(), **earlier)
        if isinstance(result, list):
            getattr(result, spoil)(*[None] * (spoil == "append"))
    for name in ("plain", "name", "rank", "two", "name down"):
        assert outcome(warm, REQUESTS[name]) == outcome(people(), REQUESTS[name]), name


def change_insert(table):
    table.insert({"name": "abe", "rank": "0", "keep": "yes"})


def change_update(table):
    table.update({"name": "zzz", "rank": "9"}, doc_ids=[41])


def change_remove(table):
    table.remove(doc_ids=[4, 17])


def change_truncate(table):
    table.truncate()


CHANGES = [change_insert, change_update, change_remove, change_truncate]


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("change", CHANGES)
def test_writes_show_in_the_next_search(change):
    for name in ("plain", "name", "name down", "rank", "two", "name two"):
        warm, fresh = people(), people()
        for earlier in ("name", "two", "plain", name):
            outcome(warm, REQUESTS[earlier])
        change(warm)
        change(fresh)
        assert outcome(warm, REQUESTS[name]) == outcome(fresh, REQUESTS[name]), name


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("name", ["name", "rank", "two"])
def test_clear_cache_clears(name):
    warm, fresh = people(), people()
    outcome(warm, REQUESTS[name])
    outcome(warm, PLAIN)
    for table in (warm, fresh):
        data = table.storage.read()
        data["people"] = {
            "8": {"name": "x", "rank": "7", "keep": "yes"},
            "6": {"name": "w", "rank": "8", "keep": "yes"},
            "7": {"name": "v", "rank": "9", "keep": "yes"},
        }
        table.storage.write(data)
    warm.clear_cache()
    assert outcome(warm, REQUESTS[name]) == outcome(fresh, REQUESTS[name])
    assert outcome(warm, PLAIN) == outcome(fresh, PLAIN)


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("request_", [NAME, TWO])
def test_tables_do_not_answer_for_each_other(request_):
    from tinydb import TinyDB
    from tinydb.storages import MemoryStorage

    db = TinyDB(storage=MemoryStorage)
    one, other = db.table("one"), db.table("other")
    one.insert_multiple({"name": n, "rank": "1", "keep": "yes"} for n in ("b", "a", "c"))
    other.insert_multiple({"name": n, "rank": "1", "keep": "yes"} for n in ("q", "p", "r"))
    first = [dict(doc)["name"] for doc in one.search(kept(), **request_)]
    second = [dict(doc)["name"] for doc in other.search(kept(), **request_)]
    assert set(first) <= set("abc") and set(second) <= set("pqr")
    assert first and second


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("request_", [NAME, RANK, {"limit": 20}])
def test_conditions_that_must_not_be_cached(request_):
    from tinydb import where

    table = people()
    wanted = {"names": ["mia", "zoe"]}
    moving = where("name").map(lambda name: name in wanted["names"]) == True  # noqa: E712

    def found():
        return json.dumps(sorted(dict(d)["name"] for d in table.search(moving, **request_)))

    assert found() == '["mia", "zoe"]'
    wanted["names"] = ["ada", "leo"]
    assert found() == '["ada", "leo"]'
    other = where("name").map(len) == 99
    assert text(list(table.search(other, **request_))) == "[]"
    assert found() == '["ada", "leo"]'


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("storage", ["memory", "json"])
@pytest.mark.parametrize("name", ["name", "name down", "rank", "two", "four", "name two"])
def test_results_are_documents_with_their_ids(tmp_path, storage, name):
    from tinydb.table import Document

    ids = {name: doc_id for name, _, doc_id in PEOPLE}
    table = people(storage, tmp_path)
    for _ in range(3):
        found = list(table.search(kept(), **REQUESTS[name]))
        assert found
        for doc in found:
            assert isinstance(doc, Document)
            assert json.dumps(doc.doc_id) == json.dumps(ids[dict(doc)["name"]])
            assert text(dict(table.get(doc_id=doc.doc_id))) == text(dict(doc))


@pytest.mark.requirement("R5")
def test_counting_is_not_limited():
    table = people()
    for name in ("two", "name two", "zero", "name"):
        outcome(table, REQUESTS[name])
        assert text(table.count(kept())) == "7"
    assert outcome(people(), TWO) != outcome(people(), PLAIN)
