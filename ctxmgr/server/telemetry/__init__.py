"""Tells a host that asked for it what happened in its sessions."""

from ctxmgr.server.telemetry.telling import Telling

__all__ = ["Telling"]
