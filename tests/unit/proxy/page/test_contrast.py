"""The page's colours, computed from its style: WCAG AA asks 4.5:1 of what is read, and 3:1 of what is drawn."""

import re
from importlib.resources import files

import pytest

from tests.unit.study.report.test_page import contrast

STYLE = files("ctxmgr.proxy").joinpath("page.html").read_text("utf-8").partition("</style>")[0]
TEXT, DRAWN = ("ink", "soft", "link", "error", "good"), ("own", "sent", "epoch", "error", "rule", "link")


def colours(of: str) -> dict[str, str]:
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", of))


LIGHT_STYLE, _, DARK_STYLE = STYLE.partition("@media (prefers-color-scheme: dark)")
THEMES = {"light": colours(LIGHT_STYLE), "dark": colours(DARK_STYLE)}


@pytest.mark.parametrize("theme", THEMES)
def test_text_and_drawings_have_the_contrast_of_aa(theme: str) -> None:
    by_name = THEMES[theme]
    for ground in ("ground", "raised"):
        for name in TEXT:
            assert contrast(by_name[name], by_name[ground]) >= 4.5, (name, ground)
    for name in DRAWN:
        assert contrast(by_name[name], by_name["ground"]) >= 3, name


def test_each_colour_that_is_used_is_one_of_both_themes() -> None:
    assert THEMES["light"].keys() == THEMES["dark"].keys()
    assert set(re.findall(r"var\(--(\w+)\)", STYLE)) == THEMES["light"].keys()
    rules = STYLE.partition("* {")[2]
    assert "opacity" not in rules
    assert not re.search(r"#[0-9a-f]{3,8};", rules)
