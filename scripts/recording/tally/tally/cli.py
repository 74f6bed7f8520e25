"""The command line."""

import argparse
import sys
from datetime import date
from pathlib import Path

from tally.budget import parse_budget
from tally.csvimport import ImportFault, read_rows, reconcile, transactions, written
from tally.lint import CHECKS, lint
from tally.parser import ParseError, parse
from tally.reports import balance, budget_report, cash_flow, register
from tally.rules import parse_rules


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tally")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("balance")
    one.add_argument("journal", type=Path)
    one.add_argument("--below", default="")
    one.add_argument("--currency", default="")
    one = commands.add_parser("register")
    one.add_argument("journal", type=Path)
    one.add_argument("account")
    one = commands.add_parser("budget")
    one.add_argument("journal", type=Path)
    one.add_argument("budget", type=Path)
    one.add_argument("--today", type=date.fromisoformat, default=date(2025, 6, 30))
    one = commands.add_parser("flow")
    one.add_argument("journal", type=Path)
    one = commands.add_parser("lint")
    one.add_argument("journal", type=Path)
    one.add_argument("--without", action="append", default=[], choices=sorted(CHECKS))
    one = commands.add_parser("import")
    one.add_argument("csv", type=Path)
    one.add_argument("--rules", type=Path, required=True)
    one.add_argument("--account", default="assets:bank")
    return parser


def main(given: list[str] | None = None) -> int:
    """0: done; 1: findings, or a file that can not be read."""
    options = arguments().parse_args(given)
    try:
        return run(options)
    except (ParseError, ImportFault) as error:
        print(f"tally: {error}", file=sys.stderr)
        return 1


def run(options: argparse.Namespace) -> int:
    if options.command == "import":
        return bring_in(options)
    journal = parse(options.journal.read_text(encoding="utf-8"))
    if options.command == "balance":
        print(balance(journal, options.below, options.currency))
    elif options.command == "register":
        print(register(journal, options.account))
    elif options.command == "budget":
        print(budget_report(journal, parse_budget(options.budget.read_text(encoding="utf-8")), options.today))
    elif options.command == "flow":
        print(cash_flow(journal))
    else:
        found = lint(journal, tuple(options.without))
        for one in found:
            print(one)
        return 1 if found else 0
    return 0


def bring_in(options: argparse.Namespace) -> int:
    rows = read_rows(options.csv.read_text(encoding="utf-8"))
    faults = reconcile(rows)
    for fault in faults:
        print(f"tally: {options.csv.name}: {fault}", file=sys.stderr)
    rules = parse_rules(options.rules.read_text(encoding="utf-8"))
    print(written(transactions(rows, rules, options.account)), end="")
    return 1 if faults else 0
