"""Accounts: names with colons make a tree."""

from collections.abc import Iterable, Iterator

ROOTS = ("assets", "liabilities", "income", "expenses", "equity")


class AccountError(ValueError):
    """A name that no account may have."""


def parts(account: str) -> list[str]:
    return account.split(":")


def check_name(account: str) -> str:
    """The name itself; AccountError when a part is empty or the root is unknown."""
    if not all(parts(account)):
        raise AccountError(f"an empty part in {account!r}")
    if parts(account)[0] not in ROOTS:
        raise AccountError(f"{account!r} begins with none of {', '.join(ROOTS)}")
    return account


def parents(account: str) -> Iterator[str]:
    """All accounts above, the nearest first."""
    above = parts(account)[:-1]
    while above:
        yield ":".join(above)
        above.pop()


def is_below(account: str, above: str) -> bool:
    """Is the account `above` or one below it?"""
    return account == above or account.startswith(above + ":")


def tree(accounts: Iterable[str]) -> list[str]:
    """All accounts with all their parents, sorted so that children follow their parent."""
    every = set(accounts)
    for account in list(every):
        every.update(parents(account))
    return sorted(every, key=parts)


def depth(account: str) -> int:
    return account.count(":")
