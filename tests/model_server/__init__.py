"""A scripted model server on the loopback: replies well or as badly as it is told to."""

from tests.model_server.replies import Gate, Reply, Request, Way
from tests.model_server.server import ModelServer, Script

__all__ = ["Gate", "ModelServer", "Reply", "Request", "Script", "Way"]
