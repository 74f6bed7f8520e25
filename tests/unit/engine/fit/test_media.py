"""Which pictures become a text: where a request would hold too many or too much, and where a list is too heavy."""

import math

from ctxmgr.engine.fit import FitInputs, MediaLimits, fitted
from ctxmgr.engine.invariants import STEPS
from ctxmgr.model import BlockEdit, Decision, Media, Plan
from tests.notation import Json, Said, a, call, indexed, quarters, talk
from tests.unit.engine.fit.test_fitting import whole

TOKENS = 1_568  # of a picture of unknown size, as the reader weighs it
GONE = "[image left out]"


def picture(size: int) -> Json:
    return {"type": "image", "data": "A" * size, "mimeType": "image/png"}


def holding(role: str, *blocks: str | Json) -> Said:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    fields = {"role": role, "content": content}
    return Said({**fields, "isError": False}, "") if role == "toolResult" else Said(fields)


SAID = (
    holding("user", "see", picture(900), picture(800)),
    a("ok", call("shot")),
    holding("toolResult", "screen", picture(700)),
    a("so", call("shot")),
    holding("toolResult", "b", picture(600)),
    holding("user", "now", picture(500)),
    a("x"),
)
MESSAGES = talk(*SAID)
WEIGHT = sum(message.weight for message in MESSAGES)
SIZE = sum(len(message.raw) + 1 for message in MESSAGES)
ALL = [(0, 0), (0, 1), (2, 0), (4, 0), (5, 0)]  # message, number in its block: the oldest first


def limits(most_bytes: float = math.inf, most_images: float = math.inf, tokens: int = TOKENS) -> MediaLimits:
    return MediaLimits(most_bytes, most_images, lambda one: tokens)


def inputs(media: MediaLimits, limit: float = 90_000) -> FitInputs:
    return FitInputs(limit, quarters, STEPS, lambda key: "", media)


def shown(plan: Plan) -> tuple[list[tuple[int, int]], int]:
    """Which became a text, and how much lighter each edited block says it is, in all."""
    edits = [piece for piece in plan.pieces if isinstance(piece, BlockEdit)]
    assert all(text == GONE for edit in edits for _, text in edit.media)
    places = [(edit.message_index, number) for edit in edits for number, _ in edit.media]
    return places, sum(edit.before_tokens - edit.after_tokens for edit in edits)


def test_the_oldest_over_what_a_request_takes() -> None:
    for media, count in (
        (limits(), 0),
        (limits(most_images=4), 1),  # to 95 % of four, rounded up
        (limits(most_images=0), 5),
        (limits(most_bytes=(SIZE - 1_700) / 0.95 - 1), 3),
        (limits(most_bytes=10), 5),
        (limits(most_images=0, tokens=3), 0),  # the text would be heavier
    ):
        plan = fitted(indexed(MESSAGES), whole(MESSAGES), inputs(media)).plan
        places, lighter = shown(plan)
        assert places == ALL[:count], count
        assert lighter == count * (media.weigh(Media("image")) - quarters(GONE)) == WEIGHT - plan.weight, count
        assert plan.too_big == () or media.most_bytes == 10, count


def test_by_weight_all_but_the_newest_users_and_those_of_the_newest_step() -> None:
    one = TOKENS - quarters(GONE)
    for over, count in ((one, 1), (one + 1, 2), (3 * one, 3), (4 * one, 4)):
        plan = fitted(indexed(MESSAGES), whole(MESSAGES), inputs(limits(), (WEIGHT - over) / 0.95)).plan
        assert shown(plan)[0] == ALL[:count], over


def test_what_became_a_text_stays_one_and_the_next_goes_with_it() -> None:
    index = indexed(MESSAGES)
    first = fitted(index, whole(MESSAGES), inputs(limits(most_images=4))).plan
    second = fitted(index, first, inputs(limits(most_images=3))).plan
    assert shown(second)[0] == ALL[:2]
    (edit,) = (piece for piece in second.pieces if isinstance(piece, BlockEdit))
    media = ((0, GONE), (1, GONE))
    assert second.decisions[edit.key] == Decision("cut", weight=edit.after_tokens, media=media)
    assert fitted(index, second, inputs(limits(most_images=3))).plan == second
