"""push and pull: what the operations promise, seen from outside."""

import json

import pytest

NOT_LISTS = [
    pytest.param(None, id="none"),
    pytest.param("", id="empty-text"),
    pytest.param("abc", id="text"),
    pytest.param(0, id="zero"),
    pytest.param(7, id="number"),
    pytest.param({}, id="empty-dict"),
    pytest.param({"a": 1}, id="dict"),
]


def as_json(value):
    """A text, so that no object with an equality of its own can pass for another value."""
    return json.dumps(value, sort_keys=True)


def operation(name):
    from tinydb import operations

    return getattr(operations, name)


def memory_db(*documents):
    from tinydb import TinyDB
    from tinydb.storages import MemoryStorage

    db = TinyDB(storage=MemoryStorage)
    for document in documents:
        db.insert(document)
    return db


def contents(db):
    return as_json([dict(document) for document in db.all()])


@pytest.mark.requirement("R1")
def test_push_appends_at_the_end():
    db = memory_db({"name": "a", "tags": ["z", "m"]})
    db.update(operation("push")("tags", "b"))
    assert contents(db) == as_json([{"name": "a", "tags": ["z", "m", "b"]}])


@pytest.mark.requirement("R1")
@pytest.mark.parametrize(
    "value",
    [
        pytest.param(["x", "y"], id="list"),
        pytest.param([], id="empty-list"),
        pytest.param(["x"], id="list-of-one"),
        pytest.param("xy", id="text"),
        pytest.param("", id="empty-text"),
        pytest.param({"x": 1}, id="dict"),
        pytest.param(None, id="none"),
        pytest.param(0, id="zero"),
    ],
)
def test_push_adds_exactly_one_element(value):
    db = memory_db({"items": ["first", ["nested"]]})
    db.update(operation("push")("items", value))
    assert contents(db) == as_json([{"items": ["first", ["nested"], value]}])


@pytest.mark.requirement("R1")
def test_push_keeps_duplicates_and_repeats():
    db = memory_db({"n": [2, 1]})
    push = operation("push")("n", 2)
    db.update(push)
    db.update(push)
    assert contents(db) == as_json([{"n": [2, 1, 2, 2]}])


@pytest.mark.requirement("R1")
def test_push_onto_an_empty_list():
    db = memory_db({"n": []})
    db.update(operation("push")("n", 1))
    assert contents(db) == as_json([{"n": [1]}])


@pytest.mark.requirement("R1")
def test_push_touches_only_the_documents_asked_for():
    from tinydb import where

    db = memory_db({"id": 1, "n": [1]}, {"id": 2, "n": [1]})
    db.update(operation("push")("n", 5), where("id") == 2)
    assert contents(db) == as_json([{"id": 1, "n": [1]}, {"id": 2, "n": [1, 5]}])


@pytest.mark.requirement("R2")
def test_push_on_a_missing_field_makes_the_list():
    db = memory_db({"name": "a"})
    db.update(operation("push")("tags", "x"))
    assert contents(db) == as_json([{"name": "a", "tags": ["x"]}])


@pytest.mark.requirement("R2")
def test_lists_made_by_one_push_are_independent():
    from tinydb import where

    db = memory_db({"id": 1}, {"id": 2})
    push = operation("push")("n", 1)
    db.update(push)
    db.update(operation("push")("n", 2), where("id") == 1)
    first, second = [dict(document)["n"] for document in db.all()]
    assert as_json([sorted(first), second]) == as_json([[1, 2], [1]])


@pytest.mark.requirement("R2")
def test_a_made_list_reaches_the_file(tmp_path):
    from tinydb import TinyDB

    path = tmp_path / "db.json"
    with TinyDB(path) as db:
        db.insert({"name": "a"})
        db.update(operation("push")("tags", "x"))
    stored = json.loads(path.read_text())
    assert as_json(stored) == as_json({"_default": {"1": {"name": "a", "tags": ["x"]}}})


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        pytest.param(["a", "b", "a", "c", "a"], "a", ["b", "c"], id="scattered"),
        pytest.param(["c", "a", "a", "b"], "a", ["c", "b"], id="adjacent"),
        pytest.param(["a", "a"], "a", [], id="all"),
        pytest.param([["x"], "x", ["x"]], ["x"], ["x"], id="lists"),
        pytest.param([None, 1, None], None, [1], id="none"),
        pytest.param([0, "", 0, None], 0, ["", None], id="falsy"),
        pytest.param([1, "1", 1], "1", [1, 1], id="look-alikes"),
        pytest.param([{"k": 1}, {"k": 2}, {"k": 1}], {"k": 1}, [{"k": 2}], id="dicts"),
    ],
)
def test_pull_removes_every_occurrence(before, value, after):
    db = memory_db({"name": "n", "items": before})
    db.update(operation("pull")("items", value))
    assert contents(db) == as_json([{"name": "n", "items": after}])


@pytest.mark.requirement("R3")
def test_pull_in_several_documents():
    db = memory_db({"n": [1, 2, 1]}, {"n": [1, 1]}, {"n": [3, 2]}, {"n": []})
    db.update(operation("pull")("n", 1))
    assert contents(db) == as_json([{"n": [2]}, {"n": []}, {"n": [3, 2]}, {"n": []}])


@pytest.mark.requirement("R4")
def test_pull_on_a_missing_field_changes_nothing():
    db = memory_db({"name": "a", "other": ["x"]}, {})
    db.update(operation("pull")("tags", "x"))
    assert contents(db) == as_json([{"name": "a", "other": ["x"]}, {}])


@pytest.mark.requirement("R4")
def test_pull_goes_on_past_a_document_without_the_field(tmp_path):
    from tinydb import TinyDB

    path = tmp_path / "db.json"
    with TinyDB(path) as db:
        db.insert({"id": 1})
        db.insert({"id": 2, "tags": [1, 2]})
        db.update(operation("pull")("tags", 1))
    stored = json.loads(path.read_text())["_default"]
    assert as_json(stored) == as_json({"1": {"id": 1}, "2": {"id": 2, "tags": [2]}})


def works_on_a_list(name):
    """The operation is there and does its work, in whatever order, where nothing is odd."""
    db = memory_db({"n": [1, 2]})
    value, after = {"push": (3, [1, 2, 3]), "pull": (2, [1])}[name]
    db.update(operation(name)("n", value))
    (document,) = db.all()
    assert as_json(sorted(document["n"])) == as_json(after)


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("value", NOT_LISTS)
@pytest.mark.parametrize("name", ["push", "pull"])
@pytest.mark.parametrize("argument", [pytest.param("a", id="a"), pytest.param(None, id="nothing")])
def test_a_field_that_is_no_list_is_refused(name, value, argument):
    works_on_a_list(name)
    db = memory_db({"id": 1, "field": value})
    with pytest.raises(TypeError):
        db.update(operation(name)("field", argument))
    assert contents(db) == as_json([{"id": 1, "field": value}])


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("value", NOT_LISTS)
@pytest.mark.parametrize("name", ["push", "pull"])
def test_a_refused_update_writes_nothing(name, value, tmp_path):
    from tinydb import TinyDB

    works_on_a_list(name)
    path = tmp_path / "db.json"
    with TinyDB(path) as db:
        db.insert({"id": 1, "field": ["a"]})
        db.insert({"id": 2, "field": value})
        before = path.read_bytes()
        with pytest.raises(TypeError):
            db.update(operation(name)("field", "a"))
        assert path.read_bytes() == before
    assert path.read_bytes() == before
