"""A host hears what is taken to hold of its model, and who said it."""

from ctxmgr.formats import format_of
from ctxmgr.model.api import lifecycle
from ctxmgr.model.saved import ModelSpec, State
from ctxmgr.session import Reader, SessionCore
from ctxmgr.session.methods import queries
from ctxmgr.session.methods.queries import model_status

FORM = format_of("pi", "$")


def session(model: ModelSpec) -> SessionCore:
    return SessionCore(State("s", model), FORM, {}, lifecycle.HostCapabilities(), Reader(FORM))


def test_what_is_known_of_the_model_is_told_with_its_source() -> None:
    told = model_status(session(ModelSpec("claude-opus-5-5", 200_000)))
    assert (told.context_window, told.max_output_tokens, told.like) == (200_000, 128_000, "claude-opus-5-5")
    assert told.prices == (lifecycle.TierPrices(0, 4, 20, 0.2, 5),)
    assert (told.prices_by, told.cache_by, told.lifetime_by, told.output_by) == ("registry",) * 4
    assert (told.cache.kind, told.cache.look_back_blocks, told.cache.least_tokens) == ("marks", 20, 512)
    assert told.source.startswith("LiteLLM ")


def test_each_turn_is_not_told_again() -> None:
    living = session(ModelSpec("m", 1_000))
    assert queries.status(living, tells_model=False).model is None
    status = queries.status(living).model
    assert status is not None
    assert status.prices_by == "default"
