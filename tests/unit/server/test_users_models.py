"""A user's facts of models reach the sessions of a connection."""

from ctxmgr.known_models import read
from ctxmgr.server.config import ConnectionOptions
from ctxmgr.server.connection import Connection


def test_a_users_file_holds_for_all_sessions_of_a_connection() -> None:
    models = read(b'{"models": [{"id": "claude-opus-5-5", "maxOutputTokens": 5}]}')
    assert Connection(ConnectionOptions(models=models)).terms.models is models
    assert Connection(ConnectionOptions()).terms.models is None
