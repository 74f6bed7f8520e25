"""The first place where two JSON texts differ, by its path."""

from ctxmgr.study.conformance.differences import first


def test_the_first_path() -> None:
    for recorded, now, path, old, new in (
        ('{"a":1}', '{"a":2}', "$.a", "1", "2"),
        ('{"a":[1,{"b":"x"}]}', '{"a":[1,{"b":"y"}]}', "$.a[1].b", '"x"', '"y"'),
        ('{"a":1,"b":2}', '{"a":1}', "$.b", "2", "nothing"),
        ('{"a":1}', '{"a":1,"c d":null}', '$["c d"]', "nothing", "null"),
        ("[1,2]", "[1]", "$[1]", "2", "nothing"),
        ("[true]", "[1]", "$[0]", "true", "1"),
        ("[1]", "[1.0]", "$[0]", "1", "1.0"),
        ('{"a":1}', "[1]", "$", '{"a": 1}', "[1]"),
        ("not json", '{"a":1}', "$", "not json", '{"a":1}'),
    ):
        difference = first(recorded.encode(), now.encode())
        assert difference is not None, recorded
        assert (difference.path, difference.recorded, difference.received) == (path, old, new), recorded


def test_the_same_bytes_do_not_differ() -> None:
    assert first(b'{"a":1}', b'{"a":1}') is None


def test_other_bytes_of_the_same_values_differ() -> None:
    difference = first(b'{"a":1,"b":2}', b'{"a":1, "b":2}')
    assert difference is not None
    assert "other bytes from 7 on" in difference.path


def test_long_values_are_shortened_in_the_middle() -> None:
    difference = first(b'"' + b"a" * 900 + b'"', b'"' + b"a" * 900 + b'b"')
    assert difference is not None
    assert len(difference.received) < 140
    assert difference.received.endswith('ab"')
