"""The scripted sidecar, for every test of the client."""

from tests.unit.client.scripted import script

__all__ = ["script"]
