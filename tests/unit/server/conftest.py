"""A host in both framings, which must never have heard a word of a conversation in an error."""

import json
from collections.abc import Iterator

import pytest

from tests.unit.server.host import SECRET, Host


@pytest.fixture(params=[False, True], ids=["content-length", "ndjson"])
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    one = Host(ndjson=request.param)
    yield one
    said = "\n".join(one.said) + json.dumps([answer["error"] for answer in one.sent if "error" in answer])
    assert SECRET not in said
