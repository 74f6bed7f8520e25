"""Statements of a list that it does not hold to be so: `stating` reads the lines of what stands for others,
`judging` asks of each kind, `disproved` of what only certain lines can say."""

from ctxmgr.study.probes.untrue.judging import untrue

__all__ = ["untrue"]
