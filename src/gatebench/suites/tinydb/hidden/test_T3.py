"""``TinyDB.rename_table(name, new_name)``.

Documents are compared with their ids, as JSON text. Storages are in memory, on disk and behind a
cache, where the file isn't the point.
"""

import json

import pytest

R1 = pytest.mark.requirement("R1")
R2 = pytest.mark.requirement("R2")
R3 = pytest.mark.requirement("R3")
R4 = pytest.mark.requirement("R4")
R5 = pytest.mark.requirement("R5")

EACH = pytest.mark.parametrize("kind", ["memory", "json", "caching"])


def opened(kind, tmp_path):
    """A fresh database of a kind."""
    from tinydb import TinyDB
    from tinydb.middlewares import CachingMiddleware
    from tinydb.storages import JSONStorage, MemoryStorage

    if kind == "memory":
        return TinyDB(storage=MemoryStorage)
    if kind == "json":
        return TinyDB(tmp_path / "db.json")
    return TinyDB(tmp_path / "db.json", storage=CachingMiddleware(JSONStorage))


def text(value):
    return json.dumps(value, sort_keys=True)


def listed(documents):
    """Documents with their ids, in the order of the ids, as JSON text."""
    pairs = [[document.doc_id, document] for document in documents]
    return text(sorted(pairs, key=lambda pair: pair[0]))


def content(pairs):
    """What ``listed`` gives for these ids and documents."""
    return text([[doc_id, document] for doc_id, document in pairs])


def fill(table, pairs):
    """Insert documents under the given ids."""
    from tinydb.table import Document

    table.insert_multiple(Document(document, doc_id) for doc_id, document in pairs)


def names(db):
    return text(sorted(db.tables()))


def names_on_disk(path):
    """The names a database opened on the file lists; the file itself must say the same."""
    from tinydb import TinyDB

    with TinyDB(path) as db:
        answer = names(db)
    assert answer == text(sorted(json.loads(path.read_text())))
    return answer


# --- R1: documents and ids kept ----------------------------------------------

PEOPLE = [
    (3, {"name": "Ann", "old": "old"}),
    (7, {"name": "Bob", "tags": ["x", {"y": [None, 1.5]}], "new": {"old": "new"}}),
    (12, {"name": "Zoë", "age": None, "": True}),
]


@R1
@EACH
def test_documents_keep_content_and_ids(kind, tmp_path):
    db = opened(kind, tmp_path)
    fill(db.table("old"), PEOPLE)
    db.rename_table("old", "new")
    assert listed(db.table("new")) == content(PEOPLE)
    assert listed(db.table("new").all()) == content(PEOPLE)
    assert text(len(db.table("new"))) == "3"


@R1
@EACH
def test_documents_are_found_by_id(kind, tmp_path):
    db = opened(kind, tmp_path)
    fill(db.table("old"), PEOPLE)
    db.rename_table("old", "new")
    table = db.table("new")
    assert text(table.get(doc_id=7)) == text(PEOPLE[1][1])
    assert text(table.get(doc_id=1)) == "null"
    assert listed(table.get(doc_ids=[3, 12])) == content([PEOPLE[0], PEOPLE[2]])
    assert table.contains(doc_id=12) is True


@R1
@EACH
def test_documents_are_found_by_query(kind, tmp_path):
    from tinydb import where

    db = opened(kind, tmp_path)
    fill(db.table("old"), PEOPLE)
    db.rename_table("old", "new")
    table = db.table("new")
    assert listed(table.search(where("name") == "Bob")) == content([PEOPLE[1]])
    assert text(table.get(where("name") == "Ann").doc_id) == "3"
    assert text(table.count(where("name").exists())) == "3"


@R1
@EACH
def test_documents_are_changed_by_id(kind, tmp_path):
    db = opened(kind, tmp_path)
    fill(db.table("old"), [(3, {"n": 1}), (7, {"n": 2}), (12, {"n": 3})])
    db.rename_table("old", "new")
    table = db.table("new")
    assert text(table.update({"n": 20}, doc_ids=[7])) == "[7]"
    assert text(table.remove(doc_ids=[3])) == "[3]"
    assert listed(table) == content([(7, {"n": 20}), (12, {"n": 3})])


@R1
@pytest.mark.parametrize("kind", ["json", "caching"])
def test_documents_are_there_when_opened_again(kind, tmp_path):
    from tinydb import TinyDB

    with opened(kind, tmp_path) as db:
        fill(db.table("old"), PEOPLE)
        db.rename_table("old", "new")
    stored = json.loads((tmp_path / "db.json").read_text())["new"]
    assert text(stored) == text({str(doc_id): document for doc_id, document in PEOPLE})
    with TinyDB(tmp_path / "db.json") as db:
        assert listed(db.table("new")) == content(PEOPLE)


@R1
def test_a_table_not_opened_in_this_session(tmp_path):
    with opened("json", tmp_path) as db:
        fill(db.table("old"), PEOPLE)
    with opened("json", tmp_path) as db:
        db.rename_table("old", "new")
        assert listed(db.table("new")) == content(PEOPLE)
    with opened("json", tmp_path) as db:
        assert listed(db.table("new")) == content(PEOPLE)


@R1
@EACH
def test_the_other_tables_stay_as_they_are(kind, tmp_path):
    db = opened(kind, tmp_path)
    fill(db.table("old"), PEOPLE)
    fill(db.table("older"), [(2, {"n": 1}), (5, {"n": 2})])
    fill(db, [(4, {"n": 3})])
    db.rename_table("old", "new")
    assert listed(db.table("new")) == content(PEOPLE)
    assert listed(db.table("older")) == content([(2, {"n": 1}), (5, {"n": 2})])
    assert listed(db) == content([(4, {"n": 3})])


@R1
@EACH
def test_default_table_gets_a_name(kind, tmp_path):
    db = opened(kind, tmp_path)
    fill(db, PEOPLE)
    db.rename_table("_default", "people")
    assert listed(db.table("people")) == content(PEOPLE)


@R1
@EACH
def test_a_table_becomes_the_default_table(kind, tmp_path):
    from tinydb import where

    db = opened(kind, tmp_path)
    fill(db.table("people"), PEOPLE)
    db.rename_table("people", "_default")
    assert listed(db) == content(PEOPLE)
    assert listed(db.search(where("name") == "Ann")) == content([PEOPLE[0]])
    assert text(db.get(doc_id=7)) == text(PEOPLE[1][1])


@R1
@EACH
def test_what_is_inserted_later_comes_on_top(kind, tmp_path):
    from tinydb import TinyDB

    with opened(kind, tmp_path) as db:
        fill(db.table("old"), [(1, {"n": 1}), (3, {"n": 3}), (4, {"n": 4})])
        db.rename_table("old", "new")
        doc_id = db.table("new").insert({"n": "late"})
        expected = content(
            [(1, {"n": 1}), (3, {"n": 3}), (4, {"n": 4}), (doc_id, {"n": "late"})]
        )
        assert listed(db.table("new")) == expected
    if kind != "memory":
        with TinyDB(tmp_path / "db.json") as db:
            assert listed(db.table("new")) == expected


@R1
@EACH
def test_renamed_again_and_again(kind, tmp_path):
    db = opened(kind, tmp_path)
    fill(db.table("a"), PEOPLE)
    db.rename_table("a", "b")
    assert listed(db.table("b")) == content(PEOPLE)
    db.rename_table("b", "c")
    assert listed(db.table("c")) == content(PEOPLE)
    db.rename_table("c", "d")
    assert listed(db.table("d")) == content(PEOPLE)


@R1
def test_names_as_keywords(tmp_path):
    db = opened("json", tmp_path)
    fill(db.table("old"), PEOPLE)
    db.rename_table(new_name="new", name="old")
    assert listed(db.table("new")) == content(PEOPLE)


@R1
@pytest.mark.parametrize(
    ("name", "new_name"),
    [
        ("a", "a2"),
        ("table", "tab"),
        ("naïve ☃", 'q"uo\\te'),
        ("3", "7"),
        ("name", "tables"),
        ("x/y", "x y\n"),
    ],
    ids=["longer", "shorter", "quotes", "digits", "words", "blanks"],
)
def test_names_of_every_kind(tmp_path, name, new_name):
    with opened("json", tmp_path) as db:
        fill(db.table(name), PEOPLE)
        db.rename_table(name, new_name)
        assert listed(db.table(new_name)) == content(PEOPLE)
    with opened("json", tmp_path) as db:
        assert listed(db.table(new_name)) == content(PEOPLE)


# --- R2: in the file when the call returns -----------------------------------


@R2
def test_file_lists_new_and_not_old_at_once(tmp_path):
    db = opened("json", tmp_path)
    db.table("old").insert({"n": 1})
    db.table("other").insert({"n": 1})
    db.rename_table("old", "new")
    assert names_on_disk(tmp_path / "db.json") == text(["new", "other"])
    assert names(db) == text(["new", "other"])


@R2
@EACH
def test_the_database_itself_lists_new_and_not_old(kind, tmp_path):
    db = opened(kind, tmp_path)
    db.table("old").insert_multiple({"n": n} for n in range(3))
    db.insert({"n": 1})
    db.rename_table("old", "new")
    assert names(db) == text(["_default", "new"])


@R2
@pytest.mark.parametrize("kind", ["json", "caching"])
def test_file_lists_new_and_not_old_after_closing(kind, tmp_path):
    with opened(kind, tmp_path) as db:
        db.table("a longer name").insert({"n": 1})
        db.rename_table("a longer name", "n")
    assert names_on_disk(tmp_path / "db.json") == text(["n"])


@R2
def test_empty_tables_are_renamed_too(tmp_path):
    db = opened("json", tmp_path)
    db.table("empty", persist_empty=True)
    db.table("emptied").insert({"n": 1})
    db.table("emptied").truncate()
    db.rename_table("empty", "new")
    assert names_on_disk(tmp_path / "db.json") == text(["emptied", "new"])
    db.rename_table("emptied", "newer")
    assert names_on_disk(tmp_path / "db.json") == text(["new", "newer"])


@R2
def test_a_file_of_another_session(tmp_path):
    with opened("json", tmp_path) as db:
        db.table("old").insert({"n": 1})
    db = opened("json", tmp_path)
    db.rename_table("old", "new")
    assert names_on_disk(tmp_path / "db.json") == text(["new"])


@R2
def test_default_table_in_the_file(tmp_path):
    db = opened("json", tmp_path)
    db.insert({"n": 1})
    db.rename_table("_default", "people")
    assert names_on_disk(tmp_path / "db.json") == text(["people"])
    db.rename_table("people", "_default")
    assert names_on_disk(tmp_path / "db.json") == text(["_default"])


@R2
def test_there_and_back_again(tmp_path):
    db = opened("json", tmp_path)
    db.table("a").insert({"n": 1})
    for name, new_name in [("a", "b"), ("b", "a"), ("a", "b"), ("b", "c")]:
        db.rename_table(name, new_name)
        assert names_on_disk(tmp_path / "db.json") == text([new_name])


@R2
def test_old_name_stays_away_when_others_write(tmp_path):
    db = opened("json", tmp_path)
    other = db.table("other")
    other.insert({"n": 1})
    db.table("old").insert({"n": 1})
    db.rename_table("old", "new")
    other.insert({"n": 2})
    db.table("new").insert({"n": 2})
    assert names_on_disk(tmp_path / "db.json") == text(["new", "other"])


# --- R3: a name that is not there --------------------------------------------


@R3
@EACH
def test_unknown_name(kind, tmp_path):
    db = opened(kind, tmp_path)
    db.table("people").insert({"n": 1})
    db.insert({"n": 1})
    with pytest.raises(KeyError):
        db.rename_table("persons", "new")
    with pytest.raises(KeyError):
        db.rename_table("People", "new")


@R3
@EACH
@pytest.mark.parametrize("name", ["people", "_default"])
def test_fresh_database(kind, tmp_path, name):
    db = opened(kind, tmp_path)
    with pytest.raises(KeyError):
        db.rename_table(name, "new")


@R3
@EACH
def test_opened_but_never_written(kind, tmp_path):
    from tinydb import where

    db = opened(kind, tmp_path)
    db.table("people").search(where("n") == 1)
    db.all()
    with pytest.raises(KeyError):
        db.rename_table("people", "new")
    with pytest.raises(KeyError):
        db.rename_table("_default", "new")
    db.table("other").insert({"n": 1})
    with pytest.raises(KeyError):
        db.rename_table("people", "new")


@R3
@EACH
def test_dropped_table(kind, tmp_path):
    db = opened(kind, tmp_path)
    people = db.table("people")
    people.insert({"n": 1})
    db.table("other").insert({"n": 1})
    db.drop_table("people")
    with pytest.raises(KeyError):
        db.rename_table("people", "new")
    db.drop_tables()
    with pytest.raises(KeyError):
        db.rename_table("other", "new")


@R3
def test_known_elsewhere_is_unknown_here(tmp_path):
    (tmp_path / "here").mkdir()
    elsewhere, here = opened("json", tmp_path), opened("json", tmp_path / "here")
    elsewhere.table("people").insert({"people": 1})
    here.table("other").insert({"people": 1})
    with pytest.raises(KeyError):
        here.rename_table("people", "new")
    with pytest.raises(KeyError):
        here.rename_table("1", "new")


# --- R4: a new name that is taken --------------------------------------------

ONE = [(2, {"n": "one"}), (5, {"n": "two"})]
OTHER = [(1, {"n": "three"}), (5, {"n": "four"}), (9, {"n": "five"})]


def two_tables(kind, tmp_path, name="one", new_name="other"):
    db = opened(kind, tmp_path)
    fill(db.table(name), ONE)
    fill(db.table(new_name), OTHER)
    return db


@R4
@EACH
def test_taken_name_is_refused_and_both_stay(kind, tmp_path):
    db = two_tables(kind, tmp_path)
    with pytest.raises(ValueError):
        db.rename_table("one", "other")
    assert listed(db.table("one")) == content(ONE)
    assert listed(db.table("other")) == content(OTHER)
    assert names(db) == text(["one", "other"])


@R4
@EACH
def test_table_objects_and_their_queries_stay(kind, tmp_path):
    from tinydb import where

    db = two_tables(kind, tmp_path)
    one, other = db.table("one"), db.table("other")
    for table in (one, other):
        table.search(where("n") != "five")
    with pytest.raises(ValueError):
        db.rename_table("one", "other")
    assert text([one.name, other.name]) == text(["one", "other"])
    assert listed(one) == content(ONE)
    assert listed(other) == content(OTHER)
    for table in (one, db.table("one")):
        assert listed(table.search(where("n") != "five")) == content(ONE)
        assert listed(table.search(where("n") == "two")) == content(ONE[1:])
    for table in (other, db.table("other")):
        assert listed(table.search(where("n") != "five")) == content(OTHER[:2])
        assert listed(table.search(where("n") == "four")) == content(OTHER[1:2])


@R4
@EACH
def test_both_can_be_written_afterwards(kind, tmp_path):
    db = two_tables(kind, tmp_path)
    with pytest.raises(ValueError):
        db.rename_table("one", "other")
    first, second = db.table("one").insert({"n": 1}), db.table("other").insert({"n": 2})
    assert listed(db.table("one")) == content([*ONE, (first, {"n": 1})])
    assert listed(db.table("other")) == content([*OTHER, (second, {"n": 2})])


@R4
def test_file_stays_as_it_was(tmp_path):
    db = two_tables("json", tmp_path)
    before = json.loads((tmp_path / "db.json").read_text())
    with pytest.raises(ValueError):
        db.rename_table("one", "other")
    assert text(json.loads((tmp_path / "db.json").read_text())) == text(before)
    db.close()
    with opened("json", tmp_path) as db:
        assert listed(db.table("one")) == content(ONE)
        assert listed(db.table("other")) == content(OTHER)


@R4
def test_taken_in_another_session(tmp_path):
    two_tables("json", tmp_path).close()
    with opened("json", tmp_path) as db:
        with pytest.raises(ValueError):
            db.rename_table("one", "other")
        assert listed(db.table("one")) == content(ONE)
        assert listed(db.table("other")) == content(OTHER)


@R4
@EACH
def test_taken_by_an_empty_table(kind, tmp_path):
    db = opened(kind, tmp_path)
    fill(db.table("one"), ONE)
    db.table("empty", persist_empty=True)
    with pytest.raises(ValueError):
        db.rename_table("one", "empty")
    assert listed(db.table("one")) == content(ONE)
    assert listed(db.table("empty")) == content([])


@R4
@EACH
def test_empty_table_takes_no_taken_name(kind, tmp_path):
    db = opened(kind, tmp_path)
    db.table("empty", persist_empty=True)
    fill(db.table("other"), OTHER)
    with pytest.raises(ValueError):
        db.rename_table("empty", "other")
    assert listed(db.table("empty")) == content([])
    assert listed(db.table("other")) == content(OTHER)


@R4
@EACH
def test_taken_by_the_default_table(kind, tmp_path):
    db = two_tables(kind, tmp_path, new_name="_default")
    with pytest.raises(ValueError):
        db.rename_table("one", "_default")
    with pytest.raises(ValueError):
        db.rename_table("_default", "one")
    assert listed(db.table("one")) == content(ONE)
    assert listed(db) == content(OTHER)


@R4
@EACH
def test_own_name_loses_nothing(kind, tmp_path):
    """Whether one's own name counts as taken is left open here; the documents stay."""
    db = two_tables(kind, tmp_path)
    try:
        db.rename_table("one", "one")
    except ValueError:
        pass
    assert listed(db.table("one")) == content(ONE)
    assert listed(db.table("other")) == content(OTHER)
    with pytest.raises(ValueError):
        db.rename_table("one", "other")


# --- R5: the old name is empty, the ids go on --------------------------------


def shown(table):
    """All that a table object shows, by every way to look, as JSON text."""
    from tinydb import where

    return text(
        {
            "all": table.all(),
            "iter": list(table),
            "len": len(table),
            "some": table.search(where("n") == 1),
            "any": table.search(where("n").exists()),
            "count": table.count(where("n") > 0),
            "contains": table.contains(where("n") == 1),
            "get": table.get(where("n") == 2),
            "id": [table.get(doc_id=doc_id) for doc_id in (1, 2, 3)],
        }
    )


NOTHING = text(
    {
        "all": [],
        "iter": [],
        "len": 0,
        "some": [],
        "any": [],
        "count": 0,
        "contains": False,
        "get": None,
        "id": [None, None, None],
    }
)


def three(table):
    table.insert_multiple({"n": n} for n in (1, 2, 3))
    return table


@R5
@EACH
def test_old_name_shows_nothing(kind, tmp_path):
    db = opened(kind, tmp_path)
    three(db.table("old"))
    db.rename_table("old", "new")
    assert shown(db.table("old")) == NOTHING


@R5
@EACH
def test_old_name_shows_nothing_of_cached_queries(kind, tmp_path):
    db = opened(kind, tmp_path)
    assert shown(three(db.table("old"))) != NOTHING
    db.rename_table("old", "new")
    assert shown(db.table("old")) == NOTHING
    assert shown(db.table("old")) == NOTHING


@R5
@EACH
def test_a_table_object_with_the_old_name_shows_nothing(kind, tmp_path):
    """It may follow the rename or refuse its service; it may not go on as if nothing happened."""
    db = opened(kind, tmp_path)
    table = three(db.table("old"))
    assert shown(table) != NOTHING
    db.rename_table("old", "new")
    if table.name != "new":
        try:
            after = shown(table)
        except Exception:
            after = NOTHING
        assert after == NOTHING


@R5
@EACH
def test_default_table_shows_nothing(kind, tmp_path):
    db = opened(kind, tmp_path)
    three(db)
    assert shown(db) != NOTHING
    db.rename_table("_default", "new")
    assert shown(db) == NOTHING
    assert shown(db.table("_default")) == NOTHING


@R5
def test_old_name_shows_nothing_in_the_file(tmp_path):
    with opened("json", tmp_path) as db:
        assert shown(three(db.table("old"))) != NOTHING
        db.rename_table("old", "new")
    with opened("json", tmp_path) as db:
        assert shown(db.table("old")) == NOTHING


@R5
@EACH
def test_old_name_used_anew_is_another_table(kind, tmp_path):
    db = opened(kind, tmp_path)
    assert shown(three(db.table("old"))) != NOTHING
    db.rename_table("old", "new")
    db.table("old").insert({"n": "anew"})
    assert text(db.table("old").all()) == text([{"n": "anew"}])
    assert text(len(db.table("new"))) == "3"
    db.table("new").insert({"n": 4})
    assert text(db.table("old").all()) == text([{"n": "anew"}])
    assert text(len(db.table("new"))) == "4"


def found(table):
    """What some queries find, as JSON text."""
    from tinydb import where

    some, every = where("n") == 2, where("n").exists()
    return text([table.search(some), table.count(some), table.search(every), table.count(every)])


FOUND = text([[{"n": 2}], 1, [{"n": 1}, {"n": 2}, {"n": 3}], 3])


@R5
@EACH
def test_cached_queries_hide_nothing_under_the_new_name(kind, tmp_path):
    db = opened(kind, tmp_path)
    three(db.table("old"))
    assert found(db.table("new")) != FOUND
    db.rename_table("old", "new")
    assert found(db.table("new")) == FOUND


@R5
@EACH
def test_cached_queries_hide_nothing_in_the_default_table(kind, tmp_path):
    db = opened(kind, tmp_path)
    three(db.table("old"))
    assert found(db) != FOUND
    db.rename_table("old", "_default")
    assert found(db) == FOUND


def next_ids(table):
    return text([table.insert({}), *table.insert_multiple([{}, {}]), table.insert({})])


@R5
@EACH
def test_ids_go_on(kind, tmp_path):
    db = opened(kind, tmp_path)
    three(db.table("old"))
    db.rename_table("old", "new")
    assert next_ids(db.table("new")) == text([4, 5, 6, 7])


@R5
@EACH
def test_ids_go_on_after_the_newest_was_removed(kind, tmp_path):
    db = opened(kind, tmp_path)
    three(db.table("old")).remove(doc_ids=[3])
    db.rename_table("old", "new")
    assert next_ids(db.table("new")) == text([4, 5, 6, 7])


@R5
@EACH
def test_ids_go_on_after_all_were_removed(kind, tmp_path):
    from tinydb import where

    db = opened(kind, tmp_path)
    three(db.table("old")).remove(where("n") > 0)
    db.rename_table("old", "new")
    assert next_ids(db.table("new")) == text([4, 5, 6, 7])


@R5
@EACH
def test_ids_of_the_default_table_go_on(kind, tmp_path):
    db = opened(kind, tmp_path)
    three(db).remove(doc_ids=[2, 3])
    db.rename_table("_default", "new")
    assert next_ids(db.table("new")) == text([4, 5, 6, 7])


@R5
@EACH
def test_ids_go_on_in_the_default_table(kind, tmp_path):
    db = opened(kind, tmp_path)
    three(db.table("old")).remove(doc_ids=[3])
    db.rename_table("old", "_default")
    assert next_ids(db) == text([4, 5, 6, 7])


@R5
@EACH
def test_ids_go_on_where_the_new_name_was_looked_at(kind, tmp_path):
    db = opened(kind, tmp_path)
    db.table("new").all()
    three(db.table("old")).remove(doc_ids=[3])
    db.rename_table("old", "new")
    assert next_ids(db.table("new")) == text([4, 5, 6, 7])


@R5
@EACH
def test_ids_go_on_where_the_new_name_was_used_and_dropped(kind, tmp_path):
    db = opened(kind, tmp_path)
    db.table("new").insert_multiple({"n": n} for n in range(9))
    db.drop_table("new")
    three(db.table("old")).remove(doc_ids=[3])
    db.rename_table("old", "new")
    assert next_ids(db.table("new")) == text([4, 5, 6, 7])


@R5
@EACH
def test_ids_go_on_through_many_names(kind, tmp_path):
    db = opened(kind, tmp_path)
    three(db.table("a")).remove(doc_ids=[3])
    db.rename_table("a", "b")
    db.rename_table("b", "c")
    assert text(db.table("c").insert({})) == "4"
    db.table("c").remove(doc_ids=[4])
    db.rename_table("c", "d")
    assert next_ids(db.table("d")) == text([5, 6, 7, 8])


@R5
def test_ids_go_on_in_a_table_not_opened_in_this_session(tmp_path):
    with opened("json", tmp_path) as db:
        fill(db.table("old"), [(1, {}), (2, {}), (5, {})])
    with opened("json", tmp_path) as db:
        db.rename_table("old", "new")
        assert next_ids(db.table("new")) == text([6, 7, 8, 9])


def after_inserts(table):
    three(table)


def after_a_high_id_came_and_went(table):
    three(table)
    fill(table, [(40, {})])
    table.remove(doc_ids=[40])


def after_an_insert_under_a_given_id(table):
    from tinydb.table import Document

    three(table)
    table.insert(Document({}, 40))


def after_truncation(table):
    three(table)
    table.truncate()


def after_truncation_and_inserts(table):
    three(table)
    table.truncate()
    three(table).remove(doc_ids=[2, 3])


def after_an_upsert(table):
    from tinydb import where

    three(table)
    table.upsert({"n": 9}, where("n") == 9)
    table.remove(where("n") == 9)


@R5
@pytest.mark.parametrize(
    "story",
    [
        after_inserts,
        after_a_high_id_came_and_went,
        after_an_insert_under_a_given_id,
        after_truncation,
        after_truncation_and_inserts,
        after_an_upsert,
    ],
)
def test_next_id_is_the_one_the_old_name_would_have_given(story, tmp_path):
    db, twin = opened("memory", tmp_path), opened("memory", tmp_path)
    story(db.table("old"))
    story(twin.table("old"))
    db.rename_table("old", "new")
    assert next_ids(db.table("new")) == next_ids(twin.table("old"))
