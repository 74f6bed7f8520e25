"""The table of strategies that ask a model; `extractive` asks none and is in `writing`."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ctxmgr.model.compaction import Strategy
from ctxmgr.summarize import incremental, parallel, sequential, single
from ctxmgr.summarize.asking import Asking
from ctxmgr.summarize.job import Job, Terms
from ctxmgr.summarize.reading import Accepted

STRATEGIES: Mapping[Strategy, Callable[[Terms, Job], Asking[Accepted]]] = MappingProxyType(
    {
        "single-shot": single.written,
        "parallel-stitch": parallel.written,
        "sequential-accumulated": sequential.accumulated,
        "sequential-rolling": sequential.rolling,
        "incremental": incremental.written,
    }
)
