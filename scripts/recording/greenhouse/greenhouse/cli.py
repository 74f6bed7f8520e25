"""The command line: turns arguments into a report, alerts, a watering plan or the journal's sums.

Exit codes: 0 fine, 1 alerts were found, 2 something could not be read.
"""

import argparse
import sys
from collections.abc import Sequence
from datetime import date, datetime

from greenhouse.alerts import count_by_kind, find_alerts, format_alert
from greenhouse.beds import CONFIG, load_beds
from greenhouse.journal import load_journal, minutes_per_bed
from greenhouse.readings import load_readings
from greenhouse.report import format_report, format_table, summaries_for
from greenhouse.schedule import plan_watering
from greenhouse.units import parse_temperature

USAGE = """python3 -m greenhouse COMMAND FILE [options]

  report FILE [--day DAY]
  alerts FILE [--threshold TEMP]
  plan FILE --now TIME [--journal LOG]
  journal LOG"""


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="greenhouse", usage=USAGE, add_help=False, allow_abbrev=False)
    parser.add_argument("command")
    parser.add_argument("file")
    parser.add_argument("--beds", default=str(CONFIG))
    parser.add_argument("--day", type=date.fromisoformat)
    parser.add_argument("--journal")
    parser.add_argument("--now", type=datetime.fromisoformat)
    parser.add_argument("--threshold", type=parse_temperature)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; the exit code."""
    options = build_parser().parse_args(argv)
    command = COMMANDS.get(options.command)
    if command is None:
        print(f"error: no command named {options.command}\n\nusage: {USAGE}", file=sys.stderr)
        return 2
    try:
        return command(options)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def report(options: argparse.Namespace) -> int:
    print(format_report(summaries_for(load_readings(options.file), options.day)))
    return 0


def alerts(options: argparse.Namespace) -> int:
    found = find_alerts(load_readings(options.file), load_beds(options.beds), options.threshold)
    for alert in found:
        print(format_alert(alert))
    counts = count_by_kind(found)
    if found:
        print(", ".join(f"{count} {kind}" for kind, count in counts.items() if count))
    return 1 if found else 0


def plan(options: argparse.Namespace) -> int:
    if options.now is None:
        raise ValueError("plan needs --now")
    journal = load_journal(options.journal) if options.journal else []
    plans = plan_watering(load_readings(options.file), load_beds(options.beds), journal, options.now)
    for each in plans:
        print(f"{each.start:%H:%M:%S} valve {each.valve} {each.bed:<8} {each.minutes:>2} min  {each.reason}")
    if not plans:
        print("nothing to water")
    return 0


def journal(options: argparse.Namespace) -> int:
    minutes = minutes_per_bed(load_journal(options.file))
    print(format_table(("bed", "minutes"), [(bed, str(total)) for bed, total in sorted(minutes.items())]))
    return 0


COMMANDS = {"report": report, "alerts": alerts, "plan": plan, "journal": journal}
