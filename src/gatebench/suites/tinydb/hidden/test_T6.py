"""Table.upsert_many(documents, key): merge or insert many documents, told apart by a field.

R2-R5 don't depend on whether fields are merged (R1), and only R2 has batches in which a key value
occurs twice.
"""

import json

import pytest


def make_db(storage, tmp_path):
    from tinydb import TinyDB
    from tinydb.storages import JSONStorage, MemoryStorage

    if storage == "json":
        return TinyDB(str(tmp_path / "db.json"), storage=JSONStorage)
    return TinyDB(storage=MemoryStorage)


@pytest.fixture(params=["memory", "json"])
def table(request, tmp_path):
    return make_db(request.param, tmp_path).table("items")


def text(value):
    return json.dumps(value, sort_keys=True)


def contents(table):
    """Doc ids and documents, by id, as JSON text."""
    return text(sorted([doc.doc_id, dict(doc)] for doc in table.all()))


def under(table, key, value):
    """The documents with a value in a field, as JSON text."""
    return text([dict(doc) for doc in table.all() if dict(doc).get(key) == value])


# --- R1: merged into the stored document -----------------------------------------------------------


@pytest.mark.requirement("R1")
def test_other_fields_are_kept(table):
    table.insert_multiple([{"sku": "a", "n": 1, "tags": ["x"]}, {"sku": "b", "n": 2}])
    table.upsert_many([{"sku": "a", "n": 10}], "sku")
    expected = [[1, {"sku": "a", "n": 10, "tags": ["x"]}], [2, {"sku": "b", "n": 2}]]
    assert contents(table) == text(expected)


@pytest.mark.requirement("R1")
def test_new_fields_are_added(table):
    table.insert_multiple([{"sku": "a", "n": 1}, {"sku": "b", "n": 2}])
    table.upsert_many([{"sku": "b", "color": None, "deep": {"x": []}}], "sku")
    expected = [[1, {"sku": "a", "n": 1}], [2, {"sku": "b", "n": 2, "color": None, "deep": {"x": []}}]]
    assert contents(table) == text(expected)


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("values", [["a", "b", "c"], [0, 1, 2], ["", "0", "x"], [0.5, -1, 7]])
def test_every_document_of_the_batch(table, values):
    table.insert_multiple({"k": v, "old": n, "keep": n} for n, v in enumerate(values))
    table.upsert_many([{"k": v, "old": "new"} for v in reversed(values)], "k")
    expected = [[n + 1, {"k": v, "old": "new", "keep": n}] for n, v in enumerate(values)]
    assert contents(table) == text(expected)


@pytest.mark.requirement("R1")
def test_among_documents_that_are_inserted(table):
    table.insert_multiple([{"sku": "a", "n": 1, "x": 1}, {"other": True}])
    table.upsert_many([{"sku": "z", "n": 0}, {"sku": "a", "n": 5}, {"sku": "y", "n": 9}], "sku")
    assert under(table, "sku", "a") == text([{"sku": "a", "n": 5, "x": 1}])
    assert under(table, "sku", "z") == text([{"sku": "z", "n": 0}])
    assert under(table, "sku", "y") == text([{"sku": "y", "n": 9}])
    assert text(dict(table.get(doc_id=1))) == text({"sku": "a", "n": 5, "x": 1})
    assert text(dict(table.get(doc_id=2))) == text({"other": True})
    assert len(table) == 4


@pytest.mark.requirement("R1")
def test_nested_values_are_set_not_merged(table):
    table.insert({"sku": "a", "deep": {"x": 1, "y": 2}, "keep": 1})
    table.upsert_many([{"sku": "a", "deep": {"x": 3}}], "sku")
    assert contents(table) == text([[1, {"sku": "a", "deep": {"x": 3}, "keep": 1}]])


@pytest.mark.requirement("R1")
def test_a_later_batch_is_merged_too(table):
    table.upsert_many([{"sku": "a", "one": 1}], "sku")
    table.upsert_many([{"sku": "a", "two": 2}], "sku")
    assert under(table, "sku", "a") == text([{"sku": "a", "one": 1, "two": 2}])


@pytest.mark.requirement("R1")
def test_by_keyword(table):
    table.insert({"sku": "a", "n": 1})
    table.upsert_many(documents=[{"sku": "a", "m": 2}], key="sku")
    assert contents(table) == text([[1, {"sku": "a", "n": 1, "m": 2}]])


@pytest.mark.requirement("R1")
def test_the_key_given_is_the_key(table):
    table.insert_multiple([{"sku": "a", "ean": 1, "x": 0}, {"sku": "b", "ean": 2, "x": 0}])
    table.upsert_many([{"sku": "b", "ean": 1}], "ean")
    expected = [[1, {"sku": "b", "ean": 1, "x": 0}], [2, {"sku": "b", "ean": 2, "x": 0}]]
    assert contents(table) == text(expected)


# --- R2: a key value twice in the batch is one document -----------------------------------------------


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("times", [2, 3, 6])
def test_a_new_key_value_several_times(table, times):
    table.insert({"sku": "a", "n": 0})
    table.upsert_many([{"sku": "new", "n": n} for n in range(times)], "sku")
    assert under(table, "sku", "new") == text([{"sku": "new", "n": times - 1}])
    assert len(table) == 2


@pytest.mark.requirement("R2")
def test_a_new_key_value_with_others_between(table):
    batch = [{"sku": s, "n": n} for n, s in enumerate("abacba")]
    table.upsert_many(batch, "sku")
    assert under(table, "sku", "a") == text([{"sku": "a", "n": 5}])
    assert under(table, "sku", "b") == text([{"sku": "b", "n": 4}])
    assert under(table, "sku", "c") == text([{"sku": "c", "n": 3}])
    assert len(table) == 3


@pytest.mark.requirement("R2")
def test_stored_and_new_key_values_several_times(table):
    table.insert({"sku": "a", "n": 100})
    batch = [{"sku": s, "n": n} for n, s in enumerate("aabbaxb")]
    table.upsert_many(batch, "sku")
    assert under(table, "sku", "a") == text([{"sku": "a", "n": 4}])
    assert under(table, "sku", "b") == text([{"sku": "b", "n": 6}])
    assert len(table) == 3


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("value", [0, "", False, 7])
def test_any_value_several_times(table, value):
    table.upsert_many([{"k": value, "n": 1}, {"k": value, "n": 2}], "k")
    assert text([dict(doc) for doc in table.all()]) == text([{"k": value, "n": 2}])


# --- R3: one id per given document, in order ------------------------------------------------------------


def expect_ids(table, key, batch, ids):
    """One id each, and under each id the document with that key value."""
    assert text(list(ids)) == text([
        next(doc.doc_id for doc in table.all() if dict(doc)[key] == document[key])
        for document in batch
    ])


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("order", ["abxy", "xyab", "xayb", "yxba", "bxay", "a", "x", "ba", "yx"])
def test_one_id_each_in_the_given_order(table, order):
    table.insert_multiple({"sku": s, "n": 0} for s in "cab")
    batch = [{"sku": s, "n": 1} for s in order]
    expect_ids(table, "sku", batch, table.upsert_many(batch, "sku"))
    assert len(table) == len(set("cab") | set(order))


@pytest.mark.requirement("R3")
def test_ids_for_a_generator(table):
    table.insert_multiple({"sku": s, "n": 0} for s in "ab")
    batch = [{"sku": s, "n": 1} for s in "xbya"]
    ids = table.upsert_many((dict(document) for document in batch), "sku")
    expect_ids(table, "sku", batch, ids)
    assert len(table) == 4


@pytest.mark.requirement("R3")
def test_ids_for_an_empty_batch(table):
    table.insert({"sku": "a"})
    assert text(list(table.upsert_many([], "sku"))) == "[]"
    assert contents(table) == text([[1, {"sku": "a"}]])


@pytest.mark.requirement("R3")
def test_ids_that_are_not_in_sequence(table):
    from tinydb.table import Document

    table.insert_multiple([Document({"sku": "a"}, 40), Document({"sku": "b"}, 7)])
    ids = list(table.upsert_many([{"sku": "b"}, {"sku": "n"}, {"sku": "a"}, {"sku": "m"}], "sku"))
    assert text([ids[0], ids[2]]) == "[7, 40]"
    expect_ids(table, "sku", [{"sku": s} for s in "bnam"], ids)
    assert len(set(ids)) == 4


# --- R4: a document without the field ---------------------------------------------------------------------


@pytest.mark.requirement("R4")
@pytest.mark.parametrize("position", [0, 1, 2, 3])
def test_a_document_without_the_field_changes_nothing(table, position):
    table.insert_multiple([{"sku": "a", "n": 0}, {"sku": "b", "n": 0}, {"n": 0}])
    before = contents(table)
    batch = [{"sku": "a", "n": 1}, {"sku": "new", "n": 1}, {"sku": "b", "n": 1}]
    batch.insert(position, {"n": 1})
    with pytest.raises(ValueError):
        table.upsert_many(batch, "sku")
    assert contents(table) == before
    with pytest.raises(ValueError):
        table.upsert_many(iter(batch), "sku")
    assert contents(table) == before


@pytest.mark.requirement("R4")
@pytest.mark.parametrize("bad", [{}, {"SKU": "a"}, {"deep": {"sku": "a"}}, {"id": 1, "n": 2}])
def test_the_only_document_lacks_the_field(table, bad):
    with pytest.raises(ValueError):
        table.upsert_many([bad], "sku")
    assert contents(table) == "[]"
    table.insert({"sku": "a"})
    with pytest.raises(ValueError):
        table.upsert_many([bad], "sku")
    assert contents(table) == text([[1, {"sku": "a"}]])


@pytest.mark.requirement("R4")
def test_nothing_reaches_the_file(tmp_path):
    table = make_db("json", tmp_path).table("items")
    table.insert({"sku": "a", "n": 0})
    before = (tmp_path / "db.json").read_text()
    with pytest.raises(ValueError):
        table.upsert_many([{"sku": "a", "n": 1}, {"sku": "b"}, {"n": 1}], "sku")
    assert (tmp_path / "db.json").read_text() == before


@pytest.mark.requirement("R4")
@pytest.mark.parametrize("value", [0, "", False])
def test_a_falsy_value_is_a_value(table, value):
    with pytest.raises(ValueError):
        table.upsert_many([{"k": value}, {"n": 1}], "k")
    assert contents(table) == "[]"
    table.upsert_many([{"k": value, "n": 1}], "k")
    assert text([dict(doc) for doc in table.all()]) == text([{"k": value, "n": 1}])


# --- R5: one write -----------------------------------------------------------------------------------------


def counting_table(documents=()):
    """A table on a storage that counts its writes, and the list of what was written."""
    from tinydb import TinyDB
    from tinydb.storages import Storage

    log = []

    class Counting(Storage):
        def read(self):
            return json.loads(log[-1]) if log else None

        def write(self, data):
            log.append(json.dumps(data, sort_keys=True))

    table = TinyDB(storage=Counting).table("items")
    table.insert_multiple(documents)
    return table, log


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("order", ["a", "x", "ab", "xy", "axby", "xyzabcuvw"])
def test_one_write_for_the_batch(order):
    table, log = counting_table({"sku": s, "n": 0} for s in "abc")
    before = len(log)
    table.upsert_many([{"sku": s, "n": 1} for s in order], "sku")
    assert json.dumps(len(log) - before) == "1"
    stored = json.loads(log[-1])["items"].values()
    changed = sorted(doc["sku"] for doc in stored if doc["n"] == 1)
    assert json.dumps(changed) == json.dumps(sorted(order))
    assert json.dumps(sorted(doc["sku"] for doc in stored)) == json.dumps(sorted({*"abc", *order}))


@pytest.mark.requirement("R5")
def test_one_write_for_a_large_batch():
    table, log = counting_table({"sku": f"s{n}", "n": 0} for n in range(40))
    before = len(log)
    table.upsert_many([{"sku": f"s{n}", "n": 1} for n in range(20, 70)], "sku")
    assert json.dumps(len(log) - before) == "1"
    stored = json.loads(log[-1])["items"].values()
    assert json.dumps(sum(doc["n"] for doc in stored)) == "50"
    assert json.dumps(len(stored)) == "70"


@pytest.mark.requirement("R5")
def test_one_write_on_an_empty_database():
    table, log = counting_table()
    before = len(log)
    table.upsert_many([{"sku": "a"}, {"sku": "b"}], "sku")
    assert json.dumps(len(log) - before) == "1"
