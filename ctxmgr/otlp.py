"""Sends `telemetry/event` data to a collector over OTLP, as log records over HTTP.

An extra (`otlp`), for programs that use the client.

1. The program sets the endpoint. There is no default, and `OTEL_EXPORTER_OTLP_*` variables are ignored.
2. A thread sends records in batches: `__call__` returns at once, as `Host.on_telemetry` must. Records that a
   collector rejects are dropped, at no cost to the program.
3. A record has the event's name and attributes. It has no body.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ctxmgr.extras import needs
from ctxmgr.model.api import TelemetryEvent

if TYPE_CHECKING:
    from opentelemetry.sdk._logs import LoggerProvider

SCOPE = "ctxmgr"
PATH = "/v1/logs"  # for log records, if the endpoint has no path (OTLP over HTTP)
TIMEOUT_SECONDS = 10.0


class OtlpExport:
    """Create one per program, pass it to `Host(on_telemetry=...)`, and close it at the end. Also a context manager.

    `endpoint`: `http://localhost:4318`, or the full address of the collector's logs. `headers`: for each request.
    `service`: the program's name at the collector. Raises ValueError if the endpoint is not an address, and
    ImportError if the extra is not installed.
    """

    def __init__(
        self,
        endpoint: str,
        *,
        headers: Mapping[str, str] | None = None,
        service: str = "ctxmgr",
        timeout: float = TIMEOUT_SECONDS,
    ) -> None:
        self.endpoint = _logs_address(endpoint)
        try:
            self._provider = _provider(self.endpoint, dict(headers or {}), service, timeout)
        except ImportError:
            raise ImportError(f"telemetry by OTLP {needs('otlp')}") from None
        self._logger = self._provider.get_logger(SCOPE)

    def __call__(self, event: TelemetryEvent) -> None:
        """Queues one event for the next batch."""
        self._logger.emit(event_name=event.name, attributes=dict(event.attributes))

    def __enter__(self) -> "OtlpExport":
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def flush(self) -> bool:
        """Sends the queued events. Returns whether they were sent in time."""
        return bool(self._provider.force_flush())

    def close(self) -> None:
        """Sends the queued events, and ends the thread."""
        self._provider.shutdown()


def _logs_address(endpoint: str) -> str:
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("the endpoint of a collector is an address, such as http://localhost:4318")
    return endpoint if parts.path not in ("", "/") else f"{parts.scheme}://{parts.netloc}{PATH}"


def _provider(endpoint: str, headers: dict[str, str], service: str, timeout: float) -> "LoggerProvider":
    """The SDK's provider. The SDK is loaded here."""
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource

    provider = LoggerProvider(Resource({SERVICE_NAME: service}), shutdown_on_exit=False)
    exporter = OTLPLogExporter(endpoint=endpoint, headers=headers, timeout=timeout)
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
    return provider
