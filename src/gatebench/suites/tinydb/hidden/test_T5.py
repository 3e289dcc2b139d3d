"""Write cache size per instance: CachingMiddleware(storage_cls, write_cache_size=None).

The storage used here keeps the text of everything written to it, so that a test sees when the
middleware flushed and what. R2, R4 and R5 hold for any size that is really in force: they don't
lean on the argument being used (R1) or on the default being looked up (R3).
"""

import inspect
import json

import pytest

ENOUGH = 4000  # more writes than any size used here


@pytest.fixture(autouse=True)
def class_attributes_restored():
    from tinydb.middlewares import CachingMiddleware

    name = "WRITE_CACHE_SIZE"
    before = vars(CachingMiddleware).get(name)
    yield
    if before is not None and vars(CachingMiddleware).get(name) is not before:
        setattr(CachingMiddleware, name, before)


def recorder(content=None):
    """A storage class, and the list in which it keeps the text of each write."""
    from tinydb.storages import Storage

    log = []

    class Recorder(Storage):
        def __init__(self):
            self.closed = False

        def read(self):
            return json.loads(log[-1]) if log else content

        def write(self, data):
            assert not self.closed, "written after it was closed"
            log.append(json.dumps(data, sort_keys=True))

        def close(self):
            self.closed = True

    return Recorder, log


def state(number):
    """A database state that differs for each number."""
    return {"_default": {"1": {"n": number, "all": list(range(number % 5))}}}


def text(number):
    return json.dumps(state(number), sort_keys=True)


def writes_until_flush(cached, log, start=0):
    """How many writes it takes until the storage is written to; None if that never happens."""
    before = len(log)
    for count in range(1, ENOUGH):
        cached.write(state(start + count))
        if len(log) > before:
            return count
    return None


def expect_flush_at(cached, log, size):
    """The storage is written at the size-th write, not before, and with what was written last."""
    assert json.dumps(log) == "[]"
    for number in range(1, size):
        cached.write(state(number))
        assert json.dumps(log) == "[]", f"flushed at write {number} of {size}"
    cached.write(state(size))
    assert log, f"not flushed at write {size}"
    assert log[-1] == text(size)


# --- R1: flush after N writes --------------------------------------------------------------------


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 101, 999, 1000, 1001, 1500])
def test_flushes_at_the_given_size(size):
    from tinydb.middlewares import CachingMiddleware

    kind, log = recorder()
    expect_flush_at(CachingMiddleware(kind, write_cache_size=size)(), log, size)


@pytest.mark.requirement("R1")
def test_size_by_position():
    from tinydb.middlewares import CachingMiddleware

    kind, log = recorder()
    expect_flush_at(CachingMiddleware(kind, 4)(), log, 4)


@pytest.mark.requirement("R1")
def test_each_instance_has_its_own_size():
    from tinydb.middlewares import CachingMiddleware

    before = getattr(CachingMiddleware, "WRITE_CACHE_SIZE", None)
    sizes = (5, 2, 8, 3)
    pairs = [recorder() for _ in sizes]
    made = [
        CachingMiddleware(kind, write_cache_size=n)
        for (kind, _), n in zip(pairs, sizes, strict=True)
    ]
    opened = [middleware() for middleware in made]
    flushed = {}
    for count in range(1, 9):
        for cached, (_, log), size in zip(opened, pairs, sizes, strict=True):
            cached.write(state(count))
            if log:
                flushed.setdefault(size, count)
    assert json.dumps([flushed.get(size) for size in sizes]) == json.dumps(sizes)
    assert json.dumps(getattr(CachingMiddleware, "WRITE_CACHE_SIZE", None)) == json.dumps(before)


@pytest.mark.requirement("R1")
def test_one_size_does_not_count_for_another_instance_without():
    from tinydb.middlewares import CachingMiddleware

    def without():
        kind, log = recorder()
        return CachingMiddleware(kind)(), log

    rhythm = writes_until_flush(*without())
    earlier = without()
    small, small_log = recorder()
    expect_flush_at(CachingMiddleware(small, write_cache_size=2)(), small_log, 2)
    later = without()
    found = [writes_until_flush(*earlier), writes_until_flush(*later)]
    assert json.dumps(found) == json.dumps([rhythm, rhythm])


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("size", [2, 6])
def test_the_argument_goes_before_a_subclass_default(size):
    from tinydb.middlewares import CachingMiddleware

    class Eager(CachingMiddleware):
        WRITE_CACHE_SIZE = 4

    kind, log = recorder()
    expect_flush_at(Eager(kind, write_cache_size=size)(), log, size)


@pytest.mark.requirement("R1")
def test_the_argument_goes_before_the_class_default(monkeypatch):
    from tinydb.middlewares import CachingMiddleware

    monkeypatch.setattr(CachingMiddleware, "WRITE_CACHE_SIZE", 3, raising=False)
    kind, log = recorder()
    expect_flush_at(CachingMiddleware(kind, write_cache_size=5)(), log, 5)


@pytest.mark.requirement("R1")
def test_reading_does_not_count():
    from tinydb.middlewares import CachingMiddleware

    kind, log = recorder()
    cached = CachingMiddleware(kind, write_cache_size=3)()
    for number in (1, 2):
        for _ in range(5):
            cached.read()
        cached.write(state(number))
        assert json.dumps(cached.read(), sort_keys=True) == text(number)
    for _ in range(5):
        cached.read()
    assert json.dumps(log) == "[]"
    cached.write(state(3))
    assert json.dumps(log) == json.dumps([text(3)])


@pytest.mark.requirement("R1")
def test_equal_states_count_too():
    from tinydb.middlewares import CachingMiddleware

    kind, log = recorder()
    cached = CachingMiddleware(kind, write_cache_size=3)()
    same = state(7)
    cached.write(same)
    cached.write(same)
    assert json.dumps(log) == "[]"
    cached.write(state(7))
    assert json.dumps(log) == json.dumps([text(7)])


@pytest.mark.requirement("R1")
def test_in_a_database_on_a_file(tmp_path):
    from tinydb import TinyDB
    from tinydb.middlewares import CachingMiddleware
    from tinydb.storages import JSONStorage

    path = tmp_path / "db.json"
    db = TinyDB(str(path), storage=CachingMiddleware(JSONStorage, write_cache_size=3))
    db.insert({"n": 1})
    db.insert({"n": 2})
    assert path.read_text() == ""
    assert json.dumps([dict(doc) for doc in db.all()]) == '[{"n": 1}, {"n": 2}]'
    db.insert({"n": 3})
    stored = json.loads(path.read_text())
    assert json.dumps([doc["n"] for doc in stored["_default"].values()]) == "[1, 2, 3]"
    db.close()


@pytest.mark.requirement("R1")
def test_around_another_middleware():
    from tinydb.middlewares import CachingMiddleware, Middleware

    class Passing(Middleware):
        pass

    kind, log = recorder()
    expect_flush_at(CachingMiddleware(Passing(kind), write_cache_size=4)(), log, 4)


@pytest.mark.requirement("R1")
def test_storage_arguments_are_passed_on(tmp_path):
    from tinydb import TinyDB
    from tinydb.middlewares import CachingMiddleware
    from tinydb.storages import JSONStorage

    path = tmp_path / "deep" / "db.json"
    storage = CachingMiddleware(JSONStorage, write_cache_size=1)
    db = TinyDB(str(path), create_dirs=True, sort_keys=True, storage=storage)
    db.insert({"b": 1, "a": 2})
    assert path.read_text() == '{"_default": {"1": {"a": 2, "b": 1}}}'
    db.close()


# --- R2: counting starts again after a flush -------------------------------------------------------


def fresh(size):
    """A new instance with the given size, its log, and the number of writes to its first flush."""
    from tinydb.middlewares import CachingMiddleware

    kind, log = recorder()
    rhythm = writes_until_flush(CachingMiddleware(kind, write_cache_size=size)(), log)
    assert rhythm, "never flushed"
    kind, log = recorder()
    return CachingMiddleware(kind, write_cache_size=size)(), log, rhythm


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_the_same_rhythm_again(size):
    cached, log, rhythm = fresh(size)
    again = [writes_until_flush(cached, log, start=100 * n) for n in range(4)]
    assert json.dumps(again) == json.dumps([rhythm] * 4)


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("size", [2, 3, 5, 8])
@pytest.mark.parametrize("early", [1, 2, 4, 7])
def test_a_flush_by_hand_starts_it_again(size, early):
    cached, log, rhythm = fresh(size)
    for number in range(min(early, rhythm - 1)):
        cached.write(state(number))
    assert json.dumps(log) == "[]"
    cached.flush()
    again = [writes_until_flush(cached, log, start=100 * n + 10_000) for n in range(3)]
    assert json.dumps(again) == json.dumps([rhythm] * 3)


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("size", [3, 6])
def test_flushes_by_hand_after_flushes_of_its_own(size):
    cached, log, rhythm = fresh(size)
    for _ in range(3):
        assert writes_until_flush(cached, log) == rhythm
        cached.write(state(1))
        cached.write(state(2))
        cached.flush()
    assert json.dumps(writes_until_flush(cached, log)) == json.dumps(rhythm)


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("size", [2, 3, 6])
@pytest.mark.parametrize("times", [1, 2, 5])
def test_a_flush_with_nothing_to_write_changes_no_rhythm(size, times):
    cached, log, rhythm = fresh(size)
    for _ in range(times):
        cached.flush()
    assert json.dumps(writes_until_flush(cached, log)) == json.dumps(rhythm)
    for _ in range(times):
        cached.flush()
    assert json.dumps(writes_until_flush(cached, log)) == json.dumps(rhythm)


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("size", [3, 6])
def test_flushed_by_hand_at_every_write(size):
    cached, log, rhythm = fresh(size)
    for number in range(2 * rhythm + 1):
        cached.write(state(number))
        cached.flush()
    assert json.dumps(writes_until_flush(cached, log)) == json.dumps(rhythm)


@pytest.mark.requirement("R2")
def test_a_flush_of_one_instance_is_not_one_of_another():
    cached, log, rhythm = fresh(4)
    other, other_log, _ = fresh(4)
    for number in range(rhythm - 1):
        cached.write(state(number))
        other.write(state(number))
        other.flush()
    cached.write(state(0))
    assert len(log) == 1
    assert json.dumps(writes_until_flush(other, other_log)) == json.dumps(rhythm)


# --- R3 (regression guard): class and subclass default ---------------------------------------------


def without_size(kind_of_middleware, storage, explicit_none=False):
    """An instance without a size; None is given where the constructor takes one."""
    takes = "write_cache_size" in inspect.signature(kind_of_middleware.__init__).parameters
    extra = {"write_cache_size": None} if explicit_none and takes else {}
    return kind_of_middleware(storage, **extra)()


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("explicit_none", [False, True])
def test_default_is_a_thousand(explicit_none):
    from tinydb.middlewares import CachingMiddleware

    assert json.dumps(CachingMiddleware.WRITE_CACHE_SIZE) == "1000"
    kind, log = recorder()
    expect_flush_at(without_size(CachingMiddleware, kind, explicit_none), log, 1000)


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("size", [1, 4, 6, 1200])
@pytest.mark.parametrize("explicit_none", [False, True])
def test_default_set_on_the_class(monkeypatch, size, explicit_none):
    from tinydb.middlewares import CachingMiddleware

    monkeypatch.setattr(CachingMiddleware, "WRITE_CACHE_SIZE", size)
    kind, log = recorder()
    expect_flush_at(without_size(CachingMiddleware, kind, explicit_none), log, size)


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("size", [1, 3, 7, 1100])
@pytest.mark.parametrize("explicit_none", [False, True])
def test_default_set_by_a_subclass(size, explicit_none):
    from tinydb.middlewares import CachingMiddleware

    class Own(CachingMiddleware):
        WRITE_CACHE_SIZE = size

    class Below(Own):
        pass

    for kind_of_middleware in (Own, Below):
        kind, log = recorder()
        expect_flush_at(without_size(kind_of_middleware, kind, explicit_none), log, size)


@pytest.mark.requirement("R3")
def test_a_subclass_without_a_default_of_its_own(monkeypatch):
    from tinydb.middlewares import CachingMiddleware

    class Plain(CachingMiddleware):
        pass

    monkeypatch.setattr(CachingMiddleware, "WRITE_CACHE_SIZE", 5)
    kind, log = recorder()
    expect_flush_at(without_size(Plain, kind), log, 5)


@pytest.mark.requirement("R3")
def test_subclasses_side_by_side():
    from tinydb.middlewares import CachingMiddleware

    class Small(CachingMiddleware):
        WRITE_CACHE_SIZE = 2

    class Large(CachingMiddleware):
        WRITE_CACHE_SIZE = 6

    first, first_log = recorder()
    second, second_log = recorder()
    large, small = without_size(Large, first), without_size(Small, second)
    expect_flush_at(small, second_log, 2)
    expect_flush_at(large, first_log, 6)


@pytest.mark.requirement("R3")
def test_subclass_with_a_constructor_of_the_old_form():
    from tinydb.middlewares import CachingMiddleware

    class Old(CachingMiddleware):
        WRITE_CACHE_SIZE = 3

        def __init__(self, storage_cls):
            super().__init__(storage_cls)

    kind, log = recorder()
    expect_flush_at(Old(kind)(), log, 3)


# --- R4: an argument of zero or less raises at construction ----------------------------------------


@pytest.mark.requirement("R4")
@pytest.mark.parametrize("size", [0, -1, -2, -3, -10, -1000, -(10**12)])
@pytest.mark.parametrize("how", ["keyword", "position"])
def test_sizes_of_zero_or_less_raise(size, how):
    from tinydb.middlewares import CachingMiddleware
    from tinydb.storages import MemoryStorage

    with pytest.raises(ValueError):
        if how == "keyword":
            CachingMiddleware(MemoryStorage, write_cache_size=size)
        else:
            CachingMiddleware(MemoryStorage, size)


@pytest.mark.requirement("R4")
@pytest.mark.parametrize("size", [0, -1, -7])
def test_in_a_subclass_too(size):
    from tinydb.middlewares import CachingMiddleware
    from tinydb.storages import JSONStorage

    class Own(CachingMiddleware):
        WRITE_CACHE_SIZE = 5

    with pytest.raises(ValueError):
        Own(JSONStorage, write_cache_size=size)


@pytest.mark.requirement("R4")
@pytest.mark.parametrize("size", [0, -1])
def test_nothing_is_opened(size):
    from tinydb.middlewares import CachingMiddleware

    opened = []

    def storage(*args, **kwargs):
        opened.append(args)

    with pytest.raises(ValueError):
        CachingMiddleware(storage, write_cache_size=size)
    assert json.dumps(opened) == "[]"


# --- R5: close flushes what is left ------------------------------------------------------------------


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("size", [2, 3, 10, 5000])
@pytest.mark.parametrize("writes", [1, 2, 3, 4, 7, 11])
def test_close_writes_the_last_state(size, writes):
    from tinydb.middlewares import CachingMiddleware

    kind, log = recorder()
    cached = CachingMiddleware(kind, write_cache_size=size)()
    for number in range(1, writes + 1):
        cached.write(state(number))
    cached.close()
    assert log, "nothing written"
    assert log[-1] == text(writes)


@pytest.mark.requirement("R5")
def test_close_after_a_flush_by_hand():
    from tinydb.middlewares import CachingMiddleware

    kind, log = recorder()
    cached = CachingMiddleware(kind, write_cache_size=50)()
    cached.write(state(1))
    cached.write(state(2))
    cached.flush()
    cached.write(state(3))
    cached.close()
    assert log and log[-1] == text(3)


@pytest.mark.requirement("R5")
def test_close_after_a_read():
    from tinydb.middlewares import CachingMiddleware

    kind, log = recorder()
    cached = CachingMiddleware(kind, write_cache_size=50)()
    cached.read()
    cached.write(state(1))
    cached.read()
    cached.close()
    assert log and log[-1] == text(1)


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("size", [2, 100])
def test_close_in_a_database_on_a_file(tmp_path, size):
    from tinydb import TinyDB
    from tinydb.middlewares import CachingMiddleware
    from tinydb.storages import JSONStorage

    path = str(tmp_path / "db.json")
    with TinyDB(path, storage=CachingMiddleware(JSONStorage, write_cache_size=size)) as db:
        for number in range(5):
            db.insert({"n": number})
    with open(path, encoding="utf-8") as file:
        stored = json.load(file)
    assert json.dumps([doc["n"] for doc in stored["_default"].values()]) == "[0, 1, 2, 3, 4]"


@pytest.mark.requirement("R5")
def test_close_closes_the_storage():
    from tinydb.middlewares import CachingMiddleware

    kind, log = recorder()
    cached = CachingMiddleware(kind, write_cache_size=9)()
    cached.write(state(1))
    inner = cached.storage
    cached.close()
    assert inner.closed is True
    assert log and log[-1] == text(1)


@pytest.mark.requirement("R5")
@pytest.mark.parametrize("read", [False, True])
def test_close_without_writes_leaves_the_data_alone(tmp_path, read):
    from tinydb import TinyDB
    from tinydb.middlewares import CachingMiddleware
    from tinydb.storages import JSONStorage

    path = tmp_path / "db.json"
    before = '{"_default": {"1": {"n": 1}}}'
    path.write_text(before)
    db = TinyDB(str(path), storage=CachingMiddleware(JSONStorage, write_cache_size=9))
    if read:
        assert json.dumps([dict(doc) for doc in db.all()]) == '[{"n": 1}]'
    db.close()
    assert path.read_text() == before


@pytest.mark.requirement("R5")
def test_close_of_a_database_opened_for_reading(tmp_path):
    from tinydb import TinyDB
    from tinydb.middlewares import CachingMiddleware
    from tinydb.storages import JSONStorage

    path = tmp_path / "db.json"
    path.write_text('{"_default": {"1": {"n": 1}}}')
    storage = CachingMiddleware(JSONStorage, write_cache_size=2)
    with TinyDB(str(path), access_mode="r", storage=storage) as db:
        assert json.dumps([dict(doc) for doc in db.all()]) == '[{"n": 1}]'
    assert path.read_text() == '{"_default": {"1": {"n": 1}}}'
