"""The command `replay`: its arguments, and what runs it."""

import argparse
from typing import get_args

from ctxmgr.cli.arguments import add_bill, add_models, add_probes_failed, keep, policy_key, positive
from ctxmgr.model import Preset

HOSTS = ("modelled", "recorded")
FETCHES = ("whole", "part")
PRESETS: tuple[str, ...] = get_args(Preset)
DESCRIPTION = (
    "What happens depends on the file. A recorded session (of pi, Claude Code, Codex, OpenCode, "
    "OpenHands, SWE-agent or mini-swe-agent, or a stream of pi's extension events) is driven through ctxmgr as its "
    "host would have done, each answer is checked, and tables show what became of the context. A transcript "
    "(written by `ctxmgr serve --record FILE`) is fed to this version, and its answers are compared with the "
    "recorded ones. The exit code is 1 if a check failed or an answer differs."
)
EXAMPLE = "ctxmgr replay session.jsonl --preset balanced --preset turns"


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("files", metavar="FILE", nargs="+", help="a recorded session or a transcript")
    sessions = command.add_argument_group("for recorded sessions")
    sessions.add_argument(
        "--preset",
        metavar="NAME",
        action="append",
        choices=PRESETS,
        help=f"drive it with this preset ({', '.join(PRESETS)}); several times: side by side",
    )
    sessions.add_argument(
        "--policy",
        metavar="KEY=VALUE",
        type=policy_key,
        action="append",
        help="drive it with this key of the policy, such as keep=2500; several times",
    )
    sessions.add_argument(
        "--window",
        metavar="TOKENS",
        type=positive,
        help="the model's context window, instead of the recorded one (200000 where none is recorded)",
    )
    sessions.add_argument(
        "--append", action="store_true", help="send only what is new with each call, and take edits back"
    )
    sessions.add_argument(
        "--host",
        metavar="NAME",
        choices=HOSTS,
        default=HOSTS[0],
        help="how the host that is stood in for counts and keeps time: modelled (its list as ctxmgr weighs it and "
        "overhead, a summary that copies, a cache that is never cold: as closed-loop cost is defined), or "
        "recorded (the usage and the pauses that were recorded) (default: modelled)",
    )
    sessions.add_argument(
        "--recorded-compactions",
        action="store_true",
        help="compact where the recording did, instead of when ctxmgr asks for it",
    )
    sessions.add_argument(
        "--record", metavar="DIR", help="write a transcript of each drive; it holds the conversation"
    )
    sessions.add_argument(
        "--spawn",
        action="store_true",
        help="through a spawned sidecar, as a host does, instead of in this process: the same answers, with the "
        "times of a process (--record does so by itself)",
    )
    _measures(command)
    add_models(command)
    command.add_argument("--wide", action="store_true", help="show all figures, not the six that count most")
    command.add_argument("--json", action="store_true", help="print all figures as JSON")
    transcripts = command.add_argument_group("for transcripts")
    transcripts.add_argument(
        "--update", action="store_true", help="write ctxmgr's lines anew from the host's, instead of comparing"
    )


def _measures(command: argparse.ArgumentParser) -> None:
    measures = command.add_argument_group("for measures of recorded sessions")
    measures.add_argument(
        "--no-measures",
        action="store_true",
        help="do not work out what the input costs and what the model could still see; without it preset off is "
        "driven as well, for comparison",
    )
    add_bill(measures)
    measures.add_argument(
        "--fetch",
        choices=FETCHES,
        default=FETCHES[0],
        help="what a re-fetch brings, for closed-loop cost: the whole original, or a part of it, 1000 tokens "
        "around what was asked for, as a model gets it that asks by a range (default: whole)",
    )
    measures.add_argument(
        "--peers",
        action="store_true",
        help="beside them, what others do by their published rules: observation masking, clearing, pruning, and a "
        "plain cut to the newest 20000 tokens",
    )
    measures.add_argument(
        "--warm",
        action="store_true",
        help="with --host recorded: tell ctxmgr that the cache never gets cold: no epoch opens for that; cold "
        "calls cost what they do",
    )
    measures.add_argument(
        "--weighed-usage",
        action="store_true",
        help="with --host recorded: the host compacts by its list as ctxmgr weighs it, with the overhead, not by "
        "the usage recorded",
    )
    measures.add_argument(
        "--host-keep",
        metavar="TOKENS",
        type=positive,
        help="what the host's own compaction keeps (default: 20000, at most half of what is below "
        "its reserve; recorded: at most a quarter of the window)",
    )
    own = "the summaries of the host's compactions are written by ctxmgr, without a model"
    measures.add_argument("--own-summaries", action="store_true", help=own)
    knob = "preset balanced with this keep as well (lean, balanced, careful or tokens); several times: its curve"
    measures.add_argument("--knob", metavar="KEEP", type=keep, action="append", help=knob)
    measures.add_argument(
        "--front",
        action="store_true",
        help="every preset, what stands beside them, and the curve of keep through its points: the "
        "picture of closed-loop cost against re-fetches, in --report and as figures",
    )
    probes = "ask what the model could still answer from its list (goal, files, tasks, ...), and judge its packets"
    measures.add_argument("--probes", action="store_true", help=probes)
    add_probes_failed(measures, ", and each line of a packet that the recording does not bear out")
    measures.add_argument("--report", metavar="FILE.html", help="write a page with plots of all of this")


def run(parsed: argparse.Namespace) -> int:
    from ctxmgr.study.replay import command as replaying

    return replaying.run(parsed)
