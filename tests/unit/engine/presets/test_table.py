"""The table of presets: a row each, and nobody asks a preset's name for what its object tells."""

import re
from pathlib import Path

from ctxmgr.engine.presets import PRESETS
from ctxmgr.model.policy import Preset

PACKAGE = Path(__file__).parents[4] / "ctxmgr"
NAMES: tuple[str, ...] = Preset.__args__  # type: ignore[attr-defined]
NAME = rf"""["'](?:{"|".join(NAMES)})["']"""
PRESET = r"""\b_?(?:preset|strategy)(?:\.name)?(?:["']\])?"""
COMPARED = re.compile(
    rf"(?<!for ){PRESET} (?:[!=]=|in|not in) \W?{NAME}|{NAME} [!=]= [\w.]*?{PRESET}|match .*{PRESET}:"
)


def test_each_preset_that_a_policy_may_name_has_a_row() -> None:
    assert tuple(PRESETS) == NAMES
    assert [preset.name for preset in PRESETS.values()] == list(NAMES)


def test_no_preset_is_asked_for_by_its_name() -> None:
    found = {path: COMPARED.findall(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}
    assert {path: texts for path, texts in found.items() if texts} == {}
