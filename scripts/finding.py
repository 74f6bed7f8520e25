"""Measures what a model finds again that asks for what its list misses: `search`, then `retrieve`.

    python -m scripts.finding --window 64000 RECORDING...

`ctxmgr.study.finding` says how it is measured. `--failed FILE` takes what was not found, one JSON object a line,
readable by its owner alone: it holds conversation. The exit code is 1 where a drive failed, or where `--least` is
given and a kind has a smaller share.
"""

import argparse
import sys
from pathlib import Path

from rich.console import Console

from ctxmgr.study.finding import KINDS, FindingCount, failed_lines, finding, finding_table
from ctxmgr.study.probes import write_failed
from ctxmgr.study.recordings import Recording, UnreadableRecording, readers


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", metavar="RECORDING", nargs="+", type=Path)
    parser.add_argument("--window", type=int, default=64_000, help="tokens (default: 64000)")
    parser.add_argument("--failed", metavar="FILE", type=Path, help="write what was not found there")
    parser.add_argument("--least", metavar="SHARE", type=float, help="of what was missed, of each kind")
    parsed = parser.parse_args(arguments)
    together = dict.fromkeys(KINDS, FindingCount())
    lines: list[str] = []
    bad = False
    for path in parsed.recordings:
        try:
            recorded = readers.read(readers.source(path))
        except UnreadableRecording as fault:
            print(fault, file=sys.stderr)
            bad = True
            continue
        if not isinstance(recorded, Recording):
            print(f"{path.name}: a stream of events has no whole list", file=sys.stderr)
            continue
        one = finding(recorded, parsed.window)
        together = {kind: count + one.counts[kind] for kind, count in together.items()}
        lines += failed_lines(path.name, one.failed)
        every = sum(one.counts.values(), FindingCount())
        print(f"{path.name}: {every.recovered_count} of {every.missed_count}", file=sys.stderr, flush=True)
        for text in one.failures:
            print(f"{path.name}: {text}", file=sys.stderr)
        bad = bad or bool(one.failures)
    Console().print(finding_table(together))
    if parsed.failed:
        write_failed(parsed.failed, lines)
    short = parsed.least is not None and any(
        one.share is not None and one.share < parsed.least for one in together.values()
    )
    return int(bad or short)


if __name__ == "__main__":
    sys.exit(main())
