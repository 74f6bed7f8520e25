"""What holds for a session's lists: its policy, and what its model's calls cost, whoever said so."""

from ctxmgr.session.in_force.model_in_use import ModelInUse, in_use
from ctxmgr.session.in_force.policy_in_force import policy_in_force

__all__ = ["ModelInUse", "in_use", "policy_in_force"]
