"""What a session asks of its store is counted, and is what the docs say of it."""

from pathlib import Path

import pytest

from scripts.handing.costs import costs


def test_two_puts_a_turn_and_few_for_start_and_end(tmp_path: Path) -> None:
    found = {what: (much, price) for what, much, price in costs(tmp_path, 3)}
    assert found["3 turns"] == ("6 PUT", pytest.approx(30.0))
    assert found["start"][0] == "1 GET, 3 PUT"
    assert found["end"][0] == "2 PUT"
    assert found["started elsewhere, and ended"][0] == "6 GET, 1 LIST, 3 PUT"  # the head, and a part for each batch


def test_who_goes_on_elsewhere_gets_no_object_for_each_turn_of_which_something_left(tmp_path: Path) -> None:
    found = {what: much for what, much, _ in costs(tmp_path, 75, originals=True)}
    gets = int(found["started elsewhere, and ended"].split(" GET")[0].split()[-1])
    assert " GET" in found["75 turns"]  # to put together what is not full
    assert 1 < gets <= 1 + 24 + 24
