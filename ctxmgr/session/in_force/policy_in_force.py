"""Turns the keys that a session's policy is made of into the policy in force."""

from typing import Any, NamedTuple

from ctxmgr.engine.presets import KEY_PRESETS, PRESETS
from ctxmgr.model import Policy, policy_keys
from ctxmgr.model.saved import State


class PolicyInForce(NamedTuple):
    """`overrides` that fit, the paths of those `set_aside`, and what is to be said of keys that do nothing."""

    overrides: dict[str, Any]
    set_aside: tuple[str, ...]
    policy: Policy
    idle_keys: tuple[str, ...]


def policy_in_force(defaults: dict[str, Any], state: State) -> PolicyInForce:
    """`defaults`: of the host; what a session has of its own is in its state."""
    overrides, set_aside = policy_keys.fitting(defaults, state.overrides, state.model.id)
    keys = policy_keys.merged(defaults, overrides)
    policy = policy_keys.policy(keys, state.model.id)
    preset = PRESETS[policy.preset]
    given = {*keys, *keys.get("models", {}).get(state.model.id, {})}
    idle = sorted(key for key in given if key in KEY_PRESETS and key not in preset.policy_keys)
    told = tuple(f"the policy key {key} does nothing in preset {preset.name}" for key in idle)
    return PolicyInForce(overrides, set_aside, policy, told)
