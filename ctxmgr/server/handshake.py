"""Turns the params of `initialize` into the terms of a connection and the answer. Knows no session."""

import msgspec

from ctxmgr import __version__
from ctxmgr.formats import AUTO, FIRST_NAMES, FORMATS, checked_name
from ctxmgr.model import Preset, check_tools, invalid_params, policy_keys
from ctxmgr.model.api import lifecycle, since
from ctxmgr.server.config import ConnectionConfig

PRESETS: tuple[str, ...] = Preset.__args__  # type: ignore[attr-defined]


def settled(
    params: lifecycle.InitializeParams, terms: ConnectionConfig, state_dir: str | None
) -> tuple[ConnectionConfig, lifecycle.InitializeResult]:
    """The terms with what the host says, `state_dir` where it names none. InvalidParams: it can not be had."""
    version = since.agreed(params.protocol_version)
    if version is None:
        raise invalid_params(f"this server speaks {since.PROTOCOL_VERSION}", "$.protocolVersion")
    format_name = checked_name(params.message_format or "pi", "$.messageFormat")
    keys = params.policy or {}
    try:
        policy = policy_keys.policy(keys)
    except policy_keys.InvalidPolicy as refused:
        raise invalid_params(str(refused), f"$.policy{refused.path}") from None
    check_tools(params.tools or (), "$.tools")
    agreed = msgspec.structs.replace(
        terms,
        format_name=format_name,
        version=version,
        keys=keys,
        capabilities=params.capabilities or lifecycle.HostCapabilities(),
        state_dir=params.state_dir or state_dir,
        tools=params.tools or (),
    )
    formats = FIRST_NAMES if version == since.FIRST_VERSION else (*FORMATS, AUTO)
    result = lifecycle.InitializeResult(
        version,
        lifecycle.ServerInfo("ctxmgr", __version__),
        lifecycle.ServerCapabilities(formats, PRESETS),
        policy,
    )
    return agreed, result
