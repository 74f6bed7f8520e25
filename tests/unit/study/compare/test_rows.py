"""What rows of a comparison are called in the file that a later run reads."""

import msgspec

from ctxmgr.study.compare.rows import RetainedCount


def test_a_count_keeps_its_names_in_the_file() -> None:
    raw = msgspec.json.encode(RetainedCount(1, 2, 3, 4))
    assert msgspec.json.decode(raw) == {"held": 1, "total": 2, "weightedHeld": 3, "weightedTotal": 4}
