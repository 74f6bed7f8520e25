"""Telemetry by OTLP: what a collector decodes is what was told, and nobody else is asked."""

import socket
import sys
import threading
from collections.abc import Iterator
from gzip import decompress
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from ctxmgr.extras import needs
from ctxmgr.model.api.reports import TelemetryEvent
from ctxmgr.otlp import OtlpExport

EVENT = TelemetryEvent(
    "ctxmgr.list",
    {
        "gen_ai.conversation.id": "s",
        "ctxmgr.list.tokens_in": 7,
        "ctxmgr.list.fallback": False,
        "ctxmgr.latency_ms": 1.5,
    },
)


class Collector(HTTPServer):
    """On the loopback; keeps each request. `status`: what it answers."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.came: list[tuple[str, dict[str, str], bytes]] = []
        self.status = 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def records(self) -> list[Any]:
        """Of all requests, decoded."""
        found = []
        for _, headers, body in self.came:
            raw = decompress(body) if headers.get("content-encoding") == "gzip" else body
            for resource in ExportLogsServiceRequest.FromString(raw).resource_logs:
                names = {one.key: one.value.string_value for one in resource.resource.attributes}
                for scope in resource.scope_logs:
                    found += [(names, scope.scope.name, record) for record in scope.log_records]
        return found


class Answering(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers["content-length"]))
        self.server.came.append((self.path, headers, body))
        self.send_response(self.server.status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def values(record: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in record.attributes}


def test_what_arrives_is_what_was_told(collector: Collector) -> None:
    with OtlpExport(collector.url, headers={"x-key": "k"}, service="agent") as export:
        export(EVENT)
        export(TelemetryEvent("ctxmgr.epoch", {"ctxmgr.epoch.number": 2}))
        assert export.flush()
    assert [(path, headers["x-key"]) for path, headers, _ in collector.came] == [("/v1/logs", "k")]
    (resource, scope, first), (_, _, second) = collector.records()
    assert (resource["service.name"], scope) == ("agent", "ctxmgr")
    assert (first.event_name, second.event_name) == ("ctxmgr.list", "ctxmgr.epoch")
    assert values(first) == EVENT.attributes
    assert values(second) == {"ctxmgr.epoch.number": 2}
    assert not first.body.WhichOneof("value")


def test_no_variable_of_the_environment_names_another_endpoint(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        other = f"http://127.0.0.1:{unused.getsockname()[1]}"
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"):
        monkeypatch.setenv(name, other)
    with OtlpExport(collector.url) as export:
        export(EVENT)
    assert len(collector.records()) == 1


@pytest.mark.parametrize("endpoint", ["", "localhost:4318", "file:///tmp/x", "http://"])
def test_an_endpoint_is_an_address(endpoint: str) -> None:
    with pytest.raises(ValueError, match="address"):
        OtlpExport(endpoint)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk._logs", None)
    with pytest.raises(ImportError) as missing:
        OtlpExport("http://127.0.0.1:9")
    assert str(missing.value) == f"telemetry by OTLP {needs('otlp')}"
