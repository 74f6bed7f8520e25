"""Turns lines and a layout into text that weighs no more than its budget.

Rules:
1. What fits whole is told whole. So a summary that was written within a budget is written again as it is.
2. Else each kind first gets its share, newest lines first: most of the share in full, the rest in brief. What is
   left over is filled by right to stay, then brief lines are told in full again, newest first.
3. The text is weighed as a whole at the end, and what has the least right to stay goes until it fits.
4. Of the user's rules the newest 3,000 tokens are told word for word, whatever else there is, in at most seven
   tenths of the budget; older ones are told in brief, and a line says how many.
5. A section without a line says "(none)" where there is room for that.
"""

import msgspec

from ctxmgr.engine.extractive.layout import RIGHTS, LineStyle, SectionLayout, SummaryLayout
from ctxmgr.engine.extractive.lines import Kind, SummaryLine
from ctxmgr.engine.text import heading, rules_in_short, rules_left
from ctxmgr.model import Weigh

NONE = "(none)"
INDENT = "    "  # of a code fence's lines; four: a heading has at most three
NONE_TOKENS = 300  # of budget, from which on empty sections are named
FULL_SHARE = 0.6  # of a kind's share, for its newest lines in full; older ones are told in brief
RULES_TOKENS = 3_000  # of rules that are told word for word, the newest
RULES_SHARE = 0.7  # of a budget that is smaller: goal and newest request have the rest
RULES_LINE_TOKENS = 16  # of the line that says how many are not
JOIN_TOKENS = 1  # a line end, and what joins at it


class _Choice(msgspec.Struct):
    """One line on its way: what it weighs in full and in brief, and which of the two is chosen (0: neither)."""

    line: SummaryLine
    full_weight: int
    brief_weight: int
    chosen_form: int = 0


def fit(kinds: dict[Kind, list[SummaryLine]], layout: SummaryLayout, budget: int, weigh: Weigh) -> str:
    """The text, at most `budget` tokens; "" where not even the first line fits."""
    rules, left_before, verbatim = _rules(kinds.get("constraint", []), weigh)
    kinds = {**kinds, "constraint": rules}
    budget = min(budget, layout.max_tokens + verbatim)
    kinds = {kind: lines[-layout.line_limits.get(kind, len(lines) or 1) :] for kind, lines in kinds.items()}
    shown = {put.kind for part in layout.parts for put in part.line_styles}
    kinds = {kind: lines for kind, lines in kinds.items() if kind in shown and lines}
    if not kinds:
        return ""
    whole = {kind: [line.text for line in lines] for kind, lines in kinds.items()}
    _count(whole, left_before)
    for nones in (True, False):
        text = _composed(whole, layout, nones and budget >= NONE_TOKENS)
        if weigh(text) <= budget:
            return text
    return _trimmed(kinds, layout, budget, weigh, left_before)


def _rules(lines: list[SummaryLine], weigh: Weigh) -> tuple[list[SummaryLine], int, int]:
    """The user's rules, those beyond rule 4 in brief; how many a summary before left out, and the tokens of what is
    told word for word."""
    left = [max(0, rules_left(line.text)) for line in lines]
    found: list[SummaryLine] = []
    spent, over = 0, False
    for line in reversed([line for line in lines if rules_left(line.text) < 0]):
        weight = weigh(line.text)
        over = over or spent + weight > RULES_TOKENS
        found.append(SummaryLine(line.brief) if over and line.brief else line)
        spent += 0 if over else weight
    return found[::-1], sum(left), spent


def _count(told: dict[Kind, list[str]], left_count: int) -> None:
    """Says of the rules told how many are not as they were said (rule 4)."""
    rules = told.get("constraint", [])
    line = rules_in_short(sum(text.strip('"').endswith("…") for text in rules), left_count)
    if line:
        told["constraint"] = [line, *rules]


def _trimmed(
    kinds: dict[Kind, list[SummaryLine]], layout: SummaryLayout, budget: int, weigh: Weigh, left_before: int
) -> str:
    choices = {kind: [_weighed(kind, line, layout, weigh) for line in lines] for kind, lines in kinds.items()}
    headings = {put.kind: weigh(f"\n\n{part.heading}\n") for part in layout.parts for put in part.line_styles}
    fixed = RULES_LINE_TOKENS if "constraint" in choices else 0
    fixed += weigh(layout.opening) + sum(weigh(f"\n\n{part.heading}") for part in layout.parts if part.bare)
    taken = _choose(choices, headings, budget - fixed, budget, weigh)
    while taken:
        told = _told(choices)
        _count(told, left_before + sum(not one.chosen_form for one in choices.get("constraint", [])))
        text = _composed(told, layout, nones=False)
        over = weigh(text) - budget
        if over <= 0:
            return text
        while taken and over > 0:
            last = taken.pop()
            over -= last.full_weight if last.chosen_form == 2 else last.brief_weight
            last.chosen_form = 0
    return ""


def _weighed(kind: Kind, line: SummaryLine, layout: SummaryLayout, weigh: Weigh) -> _Choice:
    put = next(put for part in layout.parts for put in part.line_styles if put.kind == kind)
    extra = weigh(put.bullet + put.label) + JOIN_TOKENS
    full = weigh(line.text) + extra
    return _Choice(line, full, weigh(line.brief) + extra if line.brief else full)


def _choose(
    choices: dict[Kind, list[_Choice]], headings: dict[Kind, int], room: int, budget: int, weigh: Weigh
) -> list[_Choice]:
    """Choose lines (rule 2); what was chosen, the best right to stay first."""
    order: list[_Choice] = []
    for sharing in (True, False):
        for kind, share in RIGHTS:
            lines = choices.get(kind, [])
            limit, full_share = int(budget * share) if sharing else room, FULL_SHARE if len(lines) > 1 else 1.0
            if sharing and kind == "constraint":
                limit, full_share = max(limit, min(RULES_TOKENS, int(budget * RULES_SHARE))), 1.0
            spent = 0
            for choice in reversed(lines):
                if choice.chosen_form:
                    continue
                opening = 0 if any(other.chosen_form for other in lines) else headings[kind]
                in_full = not sharing or spent + choice.full_weight <= limit * full_share
                sizes = (
                    ((2, choice.full_weight), (1, choice.brief_weight)) if in_full else ((1, choice.brief_weight),)
                )
                for chosen, size in sizes:
                    if size + opening <= room and (spent + size <= limit or (sharing and kind == "goal")):
                        choice.chosen_form = chosen
                        room -= size + opening
                        spent += size
                        order.append(choice)
                        break
    for choice in order:
        if choice.chosen_form == 1 and choice.full_weight - choice.brief_weight <= room:
            room -= choice.full_weight - choice.brief_weight
            choice.chosen_form = 2
    return order


def _told(choices: dict[Kind, list[_Choice]]) -> dict[Kind, list[str]]:
    """What is chosen, as texts; two lines may have one brief form."""
    told: dict[Kind, list[str]] = {}
    for kind, some in choices.items():
        shown = (
            choice.line.text if choice.chosen_form == 2 or not choice.line.brief else choice.line.brief
            for choice in some
            if choice.chosen_form
        )
        told[kind] = list(dict.fromkeys(shown))
    return told


def _composed(told: dict[Kind, list[str]], layout: SummaryLayout, nones: bool) -> str:
    """Lines under their headings, in reading order; a heading over others only where one of them stands."""
    blocks = [layout.opening] if layout.opening else []
    pending = ""
    for part in layout.parts:
        if part.bare:
            pending = f"{part.heading}\n\n"
            continue
        lines = _lines(part, told)
        if not part.heading.startswith("###"):
            pending = ""
        if not lines and not nones:
            continue
        blocks.append(f"{pending}{part.heading}\n" + "\n".join(lines or [NONE]))
        pending = ""
    return "\n\n".join(blocks)


def _lines(part: SectionLayout, told: dict[Kind, list[str]]) -> list[str]:
    lines: list[str] = []
    for put in part.line_styles:
        for number, text in enumerate(told.get(put.kind, []), 1):
            lines.append(_line(put, number, text))
    return lines


def _line(put: LineStyle, number: int, text: str) -> str:
    """One line under its heading: never one that reads as a heading itself."""
    bullet = f"{number}. " if put.bullet == "1. " else put.bullet
    first, *more = f"{put.label}{text}".split("\n")  # more lines are a code fence's
    line = f"{bullet}{first}"
    if heading(line) is not None:
        line = f"- {first}"
    return "\n".join([line, *(f"{INDENT}{one}".rstrip() for one in more)])
