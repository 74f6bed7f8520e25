"""The OpenRPC document keeps the rules of the meta-schema (1.3.2), as far as they go without a network."""

import jsonschema_rs

from ctxmgr import __version__
from scripts.generating.spec import openrpc

DOCUMENT = openrpc.document(__version__)


def test_its_schemas_are_schemas() -> None:
    for name, one in DOCUMENT["components"]["schemas"].items():
        jsonschema_rs.meta.validate(one)
        assert one["title"] == name
    for method in DOCUMENT["methods"]:
        for content in [*method["params"], *([method["result"]] if "result" in method else [])]:
            jsonschema_rs.meta.validate(content["schema"])
