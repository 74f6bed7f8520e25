"""The command `doctor`: its arguments, and what runs it."""

import argparse

DESCRIPTION = (
    "Looks at the installation, a spawned sidecar, the state directory, settings and the agents on this machine, "
    "and at a recording if one is named; says what is there and what to do. Changes nothing. The exit code is 1 if "
    "something is bad."
)
EXAMPLE = "ctxmgr doctor ~/.claude/projects/NAME/SESSION.jsonl"


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("recording", metavar="FILE", nargs="?", help="a recorded session, to see what is in it")
    command.add_argument("--state-dir", metavar="DIR", help="the state directory (default: the user's)")
    command.add_argument(
        "--compare",
        action="store_true",
        help="start the agents that are here without a key, and tell what their first call lacks behind a base URL",
    )
    command.add_argument("--json", action="store_true", help="print what was found as JSON")


def run(parsed: argparse.Namespace) -> int:
    import json
    import os

    from ctxmgr import doctor, plain_text

    place = doctor.surroundings(os.environ, os.getcwd(), parsed.state_dir, parsed.recording, parsed.compare)
    said = []
    for one in doctor.examine(place):
        said.append(one)
        for line in () if parsed.json else doctor.lines(one):
            plain_text.write(line)
    if parsed.json:
        print(json.dumps(doctor.as_json(said), indent=2))
    return 0 if doctor.is_well(said) else 1
