"""The command `corpus`: the arguments of its two parts, and what runs them."""

import argparse

from ctxmgr.cli.arguments import positive, share

DESCRIPTION = (
    "Tries policies on many recordings, on all cores of this machine or on a Dask cluster that exists, and "
    "compares them. What was computed stays as Parquet in a folder: a second run computes only what is new."
)
EXAMPLE = "ctxmgr corpus run recordings --policies balanced turns --out results"
WHERE = "the folder of results"


def add_arguments(command: argparse.ArgumentParser) -> None:
    parts = command.add_subparsers(required=True, metavar="PART")
    _run_arguments(parts)
    _report_arguments(parts)


def _run_arguments(parts: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    part = parts.add_parser(
        "run",
        help="drive recordings through policies, and keep the figures",
        epilog=f"for example: {EXAMPLE}",
        description="Drives each recording through each policy as `ctxmgr replay` does, with its modelled host, "
        "measures and probes, and keeps a row a call and a row a recording and policy. What can not be read is "
        "a row with a reason. Whoever is killed loses what was under way: the same command goes on from there.",
    )
    part.add_argument(
        "source",
        metavar="SOURCE",
        nargs="+",
        help="a folder, a glob, a file, a Parquet file with a column `content`, or a URL of an object store, such "
        "as s3://bucket/prefix",
    )
    part.add_argument(
        "--policies",
        metavar="POLICY",
        nargs="+",
        default=["balanced"],
        help="PRESET or PRESET:KEY=VALUE,KEY=VALUE, such as balanced:keep=500, or a peer of `ctxmgr replay "
        "--peers`, such as masking-10; preset off always runs, costs are told as shares of it (default: balanced)",
    )
    part.add_argument("--out", metavar="DIR", required=True, help=WHERE)
    part.add_argument(
        "--scheduler",
        metavar="URL",
        help="a Dask cluster that exists, such as tcp://host:8786, whose workers have this ctxmgr and reach the "
        "sources; without it a cluster on this machine",
    )
    part.add_argument(
        "--workers", metavar="N", type=positive, help="processes on this machine (default: one a core)"
    )
    part.add_argument("--sample", metavar="N", type=positive, help="only so many recordings, the same each time")
    part.add_argument(
        "--window", metavar="TOKENS", type=positive, help="the context window, instead of the recorded one"
    )
    part.add_argument("--no-probes", action="store_true", help="do not ask what the model could still answer")
    part.set_defaults(run_part="run")


def _report_arguments(parts: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    part = parts.add_parser(
        "report",
        help="show what a run came to, or whether it is worse than another",
        epilog="for example: ctxmgr corpus report results --html corpus.html",
        description="Shows closed cost, recall, probes, epochs and faults of what the last run asked for: of all, "
        "by host, model and length, policies in pairs with 95 % intervals, and the ten recordings where it paid "
        "least. With --against the exit code is 1 where something became worse.",
    )
    part.add_argument("results", metavar="DIR", help=WHERE)
    part.add_argument("--against", metavar="DIR", help="other results, that these are held against")
    part.add_argument(
        "--threshold",
        metavar="SHARE",
        type=share,
        default=0.01,
        help="how much worse a mean may be: closed cost of off's, recall, probes (default: 0.01)",
    )
    part.add_argument(
        "--html", metavar="FILE", help="write a page, and beside it one of each recording where it paid least"
    )
    part.add_argument("--json", action="store_true", help="print all figures as JSON")
    part.set_defaults(run_part="report")


def run(parsed: argparse.Namespace) -> int:
    """The part that was named."""
    from ctxmgr.study.corpus import command

    parts = {"run": command.run, "report": command.report}
    return parts[parsed.run_part](parsed)
