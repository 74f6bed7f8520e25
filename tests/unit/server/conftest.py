"""A host, which must never have heard a word of a conversation in an error."""

import json
from collections.abc import Iterator

import pytest

from tests.unit.server.host import SECRET, Host


@pytest.fixture
def host() -> Iterator[Host]:
    host = Host()
    yield host
    lines = "\n".join(host.said) + json.dumps([answer["error"] for answer in host.sent if "error" in answer])
    assert SECRET not in lines
