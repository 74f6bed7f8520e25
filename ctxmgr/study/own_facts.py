"""Turns a user's file of models into what it says of one: only what it says itself, for commands that have defaults
of their own where nobody says anything.
"""

import os

import msgspec

from ctxmgr.known_models import ModelFacts, Registry, shipped
from ctxmgr.settings import models_file


class OwnFacts(msgspec.Struct, frozen=True):
    """`path`: absolute, for a sidecar that reads the file as well; both None without a file."""

    path: str | None = None
    registry: Registry | None = None

    def of(self, model: str) -> ModelFacts | None:
        """None where the file changes nothing of what is known of this model."""
        if self.registry is None:
            return None
        facts = self.registry.find(model)
        return None if facts == shipped().find(model) else facts


def own_facts(path: str | None) -> OwnFacts:
    """Raises SettingsFault, with what is wrong with the file and where."""
    return OwnFacts(None if path is None else os.path.abspath(path), models_file(path))
