"""The command `run`: its arguments, and what runs it."""

import argparse

DESCRIPTION = (
    "Runs an agent program in this terminal with ctxmgr between it and its provider, and says at the end what was "
    "saved. Claude Code, Codex, opencode and Gemini CLI are known; any other program is pointed here by what it "
    "speaks: --anthropic, --openai, --responses or --gemini. The program's own files are not changed; its exit "
    "code is the command's."
)
EXAMPLE = "ctxmgr run -- claude"


def add_arguments(command: argparse.ArgumentParser) -> None:
    from ctxmgr.cli.arguments import add_settings

    speaks = command.add_mutually_exclusive_group()
    for api, what in (
        ("anthropic", "Anthropic's messages, at ANTHROPIC_BASE_URL"),
        ("openai", "OpenAI's chat completions, at OPENAI_BASE_URL"),
        ("responses", "OpenAI's responses, at OPENAI_BASE_URL"),
        ("gemini", "Gemini's contents, at GOOGLE_GEMINI_BASE_URL"),
    ):
        speaks.add_argument(
            f"--{api}", dest="api", action="store_const", const=api, help=f"the program speaks {what}"
        )
    command.add_argument("--upstream", metavar="URL", help="the provider (default: where the program would go)")
    add_settings(command)
    command.add_argument("program", metavar="-- PROGRAM", nargs=argparse.REMAINDER, help="what to run")


def run(parsed: argparse.Namespace) -> int:
    from ctxmgr.programs import running

    return running.run(parsed)
