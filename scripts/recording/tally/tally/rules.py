"""Rules of an import: a pattern and the account that its rows go to."""

import re
from dataclasses import dataclass

from tally.accounts import check_name

UNKNOWN = "expenses:unknown"


class RuleError(ValueError):
    """A line that is no rule."""


@dataclass(frozen=True)
class Rule:
    pattern: re.Pattern[str]
    account: str
    line: int


def parse_rules(text: str) -> list[Rule]:
    rules = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        pattern, arrow, account = line.partition(" -> ")
        if not arrow:
            raise RuleError(f"line {number}: no arrow")
        try:
            rules.append(Rule(re.compile(pattern, re.IGNORECASE), check_name(account.strip()), number))
        except re.error as error:
            raise RuleError(f"line {number}: {error}") from None
    return rules


def account_for(rules: list[Rule], text: str) -> str:
    """The account of the first rule that matches."""
    return next((rule.account for rule in rules if rule.pattern.search(text)), UNKNOWN)


def unused(rules: list[Rule], texts: list[str]) -> list[Rule]:
    """Rules that no text needs: none matches, or an earlier rule takes them all."""
    needed = set()
    for text in texts:
        for rule in rules:
            if rule.pattern.search(text):
                needed.add(rule.line)
                break
    return [rule for rule in rules if rule.line not in needed]
