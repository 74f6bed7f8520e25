"""What `ctxmgr models` shows: what is known of models, for people and for programs."""

from ctxmgr.study.models.command import run

__all__ = ["run"]
