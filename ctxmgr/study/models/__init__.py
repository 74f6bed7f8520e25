"""What `ctxmgr models` shows: what is known of models, for people and for programs."""

from ctxmgr.study.models.command import run
from ctxmgr.study.models.own_facts import OwnFacts, own_facts

__all__ = ["OwnFacts", "own_facts", "run"]
