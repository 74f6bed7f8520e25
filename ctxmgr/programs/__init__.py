"""Programs that people run through ctxmgr: how one is pointed at a proxy and started in this terminal."""

from ctxmgr.programs import proxying

__all__ = ["proxying"]
