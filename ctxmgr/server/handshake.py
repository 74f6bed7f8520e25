"""Turns the params of `initialize` into the terms of a connection and the answer. Knows no session."""

import msgspec

from ctxmgr import __version__
from ctxmgr.formats import FORMATS, form_of
from ctxmgr.model import Preset, invalid_params, policy_keys
from ctxmgr.model.api import lifecycle
from ctxmgr.server.config import ConnectionConfig

PROTOCOL_VERSION = "1.0"
PRESETS: tuple[str, ...] = Preset.__args__  # type: ignore[attr-defined]


def settled(
    params: lifecycle.InitializeParams, terms: ConnectionConfig, state_dir: str | None
) -> tuple[ConnectionConfig, lifecycle.InitializeResult]:
    """The terms with what the host says, `state_dir` where it names none. InvalidParams: it can not be had."""
    major = params.protocol_version.partition(".")[0]
    if major != PROTOCOL_VERSION.partition(".")[0]:
        raise invalid_params(f"this server speaks {PROTOCOL_VERSION}", "$.protocolVersion")
    form = form_of(params.message_format or "pi", "$.messageFormat")
    keys = params.policy or {}
    try:
        policy = policy_keys.policy(keys)
    except policy_keys.InvalidPolicy as refused:
        raise invalid_params(str(refused), f"$.policy{refused.path}") from None
    agreed = msgspec.structs.replace(
        terms,
        form=form,
        keys=keys,
        capabilities=params.capabilities or lifecycle.HostCapabilities(),
        state_dir=params.state_dir or state_dir,
    )
    result = lifecycle.InitializeResult(
        PROTOCOL_VERSION,
        lifecycle.ServerInfo("ctxmgr", __version__),
        lifecycle.ServerCapabilities(tuple(FORMATS), PRESETS),
        policy,
    )
    return agreed, result
