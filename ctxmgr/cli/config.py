"""The command `config`: its arguments, and what runs it."""

import argparse

DESCRIPTION = (
    "Shows what holds for `ctxmgr run` and `ctxmgr proxy`, and where each value comes from: default, the user's "
    "file, the project's (.ctxmgr.toml), the environment, in this order. Nothing is changed. The exit code is 1 if "
    "a file or a variable can not be used."
)
EXAMPLE = "ctxmgr config --program claude --model claude-opus-5-5"


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--program", metavar="NAME", help="for this program, such as claude or codex")
    command.add_argument("--model", metavar="ID", help="for this model, as requests name it")
    command.add_argument("--subagent", action="store_true", help="for a sub-agent")
    command.add_argument("--all", action="store_true", help="show every key, and not the main ones and what is set")
    command.add_argument("--json", action="store_true", help="print all keys as JSON")


def run(parsed: argparse.Namespace) -> int:
    import json
    import sys

    from ctxmgr import plain_text, settings

    try:
        layers = settings.read()
        holding = layers.settings_for(parsed.program, parsed.model, parsed.subagent)
    except settings.SettingsFault as fault:
        print(f"ctxmgr config: {plain_text.safe(str(fault))}", file=sys.stderr)
        return 1
    if parsed.json:
        print(json.dumps({"files": layers.paths, "settings": settings.as_json(holding)}, indent=2))
        return 0
    for line in (*settings.lines(holding, parsed.all), "", f"files read: {', '.join(layers.paths) or 'none'}"):
        plain_text.write(line)
    return 0
