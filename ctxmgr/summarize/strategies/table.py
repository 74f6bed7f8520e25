"""The table of strategies that ask a model; `extractive` asks none and is in `writing`."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ctxmgr.model.compaction import Asking, Strategy
from ctxmgr.summarize.request import AcceptedAnswer, PromptTask, SummaryTerms
from ctxmgr.summarize.strategies import incremental, parallel, sequential, single

STRATEGIES: Mapping[Strategy, Callable[[SummaryTerms, PromptTask], Asking[AcceptedAnswer]]] = MappingProxyType(
    {
        "single-shot": single.written,
        "parallel-stitch": parallel.written,
        "sequential-accumulated": sequential.accumulated,
        "sequential-rolling": sequential.rolling,
        "incremental": incremental.written,
    }
)
