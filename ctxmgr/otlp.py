"""Sends what `telemetry/event` tells to a collector by OTLP, as log records over HTTP.

An extra (`otlp`), for programs that use the client.

1. The endpoint is said by the program: there is no default, and `OTEL_EXPORTER_OTLP_*` names none.
2. Records go in batches, from a thread: `__call__` returns at once, as `Host.on_telemetry` must. What a collector
   does not take is dropped, and costs the program nothing.
3. An event's name is the record's event name, its attributes are the record's. A record has no body: there is none.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ctxmgr.extras import needs
from ctxmgr.model.api import TelemetryEvent

if TYPE_CHECKING:
    from opentelemetry.sdk._logs import LoggerProvider

SCOPE = "ctxmgr"
PATH = "/v1/logs"  # of log records, where the endpoint names no path (OTLP over HTTP)
TIMEOUT_SECONDS = 10.0


class OtlpExport:
    """Made once a program, given to `Host(on_telemetry=...)`, and closed at its end; a context manager, too.

    `endpoint`: `http://localhost:4318` or the whole address of the collector's logs. `headers` for each request.
    `service`: what the program is called there. Raises ValueError where the endpoint is no address, and ImportError
    where the extra is not installed.
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
        """One event; sent with the next batch."""
        self._logger.emit(event_name=event.name, attributes=dict(event.attributes))

    def __enter__(self) -> "OtlpExport":
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def flush(self) -> bool:
        """Sends what waits; whether it was sent in time."""
        return bool(self._provider.force_flush())

    def close(self) -> None:
        """Sends what waits, and ends the thread."""
        self._provider.shutdown()


def _logs_address(endpoint: str) -> str:
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("the endpoint of a collector is an address, such as http://localhost:4318")
    return endpoint if parts.path not in ("", "/") else f"{parts.scheme}://{parts.netloc}{PATH}"


def _provider(endpoint: str, headers: dict[str, str], service: str, timeout: float) -> "LoggerProvider":
    """The SDK, loaded when it is needed."""
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource

    provider = LoggerProvider(Resource({SERVICE_NAME: service}), shutdown_on_exit=False)
    exporter = OTLPLogExporter(endpoint=endpoint, headers=headers, timeout=timeout)
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
    return provider
