"""Sends what `telemetry/event` tells to a collector by OTLP: for programs that use the client. An extra (`otlp`).

Nothing is sent anywhere but to the endpoint that is named here; variables of the environment name none.
"""

from ctxmgr.otlp.exporting import NOT_INSTALLED, OtlpExport

__all__ = ["NOT_INSTALLED", "OtlpExport"]
