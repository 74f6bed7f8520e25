"""Which lines of a policy's packets the recording bears out: `grammar` takes packets apart, `judging` asks of each
line, by `quotes`, `runs` and `changes`. Nothing is classified by its wording."""

from ctxmgr.study.probes.precision.judging import LineCounts, Precision, precision

__all__ = ["LineCounts", "Precision", "precision"]
