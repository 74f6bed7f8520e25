"""A second task: payments that come again, in a module of their own."""

# ruff: noqa: E501, W293 (long lines are the words of the user and the agent, blanks are a patch's)

from recording.moves import Story, fails, patch, plan, run, step, user

STORY: Story = (
    user(
        "Last thing for today: a command `recurring` that lists payments which come again each month (same payee, same account, at least three months, amounts within 5 % of their median) and what they come to a year. As exact as the rest, no floats. `recurring` must not count the salary. Tests like the others, README gets a line.",
        after=700,
    ),
    step(
        "",
        plan(
            "> look at what there is: accounts, tables, cli",
            ". tally/recurring.py",
            ". tests/test_recurring.py",
            ". command, README, docs",
        ),
        run("sed -n 1,52p tally/accounts.py"),
    ),
    step("", run("sed -n 1,58p tally/journal.py")),
    step("", run("sed -n 1,62p tally/cli.py")),
    step(
        "What can be found at all in the books, by payee and month:",
        run("""
python3 - <<'EOF'
from collections import defaultdict
from pathlib import Path
from tally.parser import parse
journal = parse(Path("books/2025.journal").read_text(encoding="utf-8"))
found = defaultdict(list)
for one, posting in journal.postings():
    if posting.account != "assets:bank":
        found[one.payee, posting.account].append((one.day.month, str(posting.amount)))
for (payee, account), rows in sorted(found.items()):
    print(payee, account, len(rows), rows[:14])
EOF
"""),
    ),
    step(
        "Rent and power are the plain cases. Trams cost 2.90 or 2.91... but several times a month: those are no monthly payments. So: exactly one payment a month, months in a row. The module:",
        run("""
cat > tally/recurring.py <<'EOF'
\"\"\"Payments that come again each month: turns a journal into one row a payee and account.\"\"\"

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from tally.accounts import is_below
from tally.amounts import Amount
from tally.journal import Journal

LEAST_MONTHS = 3
WITHIN_PERCENT = 5  # of the median
MONTHS_A_YEAR = 12


@dataclass(frozen=True)
class Recurring:
    \"\"\"One payment a month: `months` in a row up to the newest, and what it comes to.\"\"\"

    payee: str
    account: str
    months: int
    median: Amount
    yearly: Amount


def recurring(journal: Journal) -> list[Recurring]:
    \"\"\"The dearest first. Income does not count.\"\"\"
    found: dict[tuple[str, str, str], dict[tuple[int, int], list[Decimal]]] = defaultdict(lambda: defaultdict(list))
    for transaction, posting in journal.postings():
        if is_below(posting.account, "expenses"):
            key = (transaction.payee, posting.account, posting.amount.currency)
            found[key][transaction.day.year, transaction.day.month].append(posting.amount.value)
    rows = [row for key, months in found.items() if (row := _row(key, months)) is not None]
    return sorted(rows, key=lambda row: (-row.yearly.value, row.payee))


def _row(key: tuple[str, str, str], months: dict[tuple[int, int], list[Decimal]]) -> Recurring | None:
    payee, account, currency = key
    run = newest_run(months)
    values = sorted(value for month in run for value in months[month])
    if len(run) < LEAST_MONTHS or len(values) != len(run):
        return None
    median = middle(values)
    if any(abs(value - median) * 100 > median * WITHIN_PERCENT for value in values):
        return None
    return Recurring(payee, account, len(run), Amount(median, currency), Amount(median * MONTHS_A_YEAR, currency))


def newest_run(months: dict[tuple[int, int], list[Decimal]]) -> list[tuple[int, int]]:
    \"\"\"The months up to the newest without a gap.\"\"\"
    run: list[tuple[int, int]] = []
    for month in sorted(months, reverse=True):
        if run and after(month) != run[-1]:
            break
        run.append(month)
    return run


def after(month: tuple[int, int]) -> tuple[int, int]:
    year, number = month
    return (year + 1, 1) if number == 12 else (year, number + 1)


def middle(values: list[Decimal]) -> Decimal:
    \"\"\"The median; of an even number the mean of both.\"\"\"
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2
EOF
python3 build.py --strict | tail -3
"""),
        thinking="Salary is income:work, so below expenses is enough. Median of an even number may have three decimals: fine, Amount keeps them.",
    ),
    step(
        "An import too many, `date`. Out, and the tests:",
        run("""
sed -i -e '/^from datetime import date$/d' tally/recurring.py
cat > tests/test_recurring.py <<'EOF'
import unittest

from tally.parser import parse
from tally.recurring import after, middle, newest_run, recurring


def paid(*rows, payee="Rent", account="expenses:home"):
    return "".join(f"{day} {payee}\\n    {account}  {amount}\\n    assets:bank\\n\\n" for day, amount in rows)


def found(text):
    return [(one.payee, one.months, str(one.median), str(one.yearly)) for one in recurring(parse(text))]


THREE = (("2025-01-01", "945.00 EUR"), ("2025-02-01", "945.00 EUR"), ("2025-03-01", "945.00 EUR"))


class Found(unittest.TestCase):
    def test_three_months(self):
        self.assertEqual(found(paid(*THREE)), [("Rent", 3, "945.00 EUR", "11,340.00 EUR")])

    def test_two_months_are_too_few(self):
        self.assertEqual(found(paid(*THREE[:2])), [])

    def test_twice_in_a_month(self):
        self.assertEqual(found(paid(*THREE, ("2025-03-20", "945.00 EUR"))), [])

    def test_a_gap_begins_anew(self):
        self.assertEqual(found(paid(("2024-11-01", "1 EUR"), *THREE))[0][1], 3)

    def test_over_the_turn_of_the_year(self):
        rows = (("2024-11-01", "10 EUR"), ("2024-12-01", "10 EUR"), *((day, "10 EUR") for day, _ in THREE))
        self.assertEqual(found(paid(*rows))[0][1], 5)

    def test_five_percent_are_in(self):
        rows = (("2025-01-01", "95.00 EUR"), ("2025-02-01", "100.00 EUR"), ("2025-03-01", "105.00 EUR"))
        self.assertEqual(found(paid(*rows)), [("Rent", 3, "100.00 EUR", "1,200.00 EUR")])

    def test_a_cent_more_is_out(self):
        rows = (("2025-01-01", "94.99 EUR"), ("2025-02-01", "100.00 EUR"), ("2025-03-01", "105.00 EUR"))
        self.assertEqual(found(paid(*rows)), [])

    def test_salary_does_not_count(self):
        self.assertEqual(found(paid(*((day, "-2000 EUR") for day, _ in THREE), account="income:work")), [])

    def test_dearest_first(self):
        text = paid(*((day, "1 EUR") for day, _ in THREE), payee="Small") + paid(*THREE)
        self.assertEqual([row[0] for row in found(text)], ["Rent", "Small"])


class Parts(unittest.TestCase):
    def test_after_december(self):
        self.assertEqual(after((2024, 12)), (2025, 1))

    def test_median_of_an_even_number(self):
        self.assertEqual(middle([1, 2, 4, 9]), 3)

    def test_run_of_nothing(self):
        self.assertEqual(newest_run({}), [])
EOF
python3 run_tests.py recurring
"""),
    ),
    step(
        "All twelve. On the books, before there is a command:",
        run("""
python3 - <<'EOF'
from pathlib import Path
from tally.parser import parse
from tally.recurring import recurring
for one in recurring(parse(Path("books/2025.journal").read_text(encoding="utf-8"))):
    print(one)
EOF
"""),
    ),
    step("", run("sed -n 62,100p tally/cli.py && sed -n 1,24p tally/reports.py")),
    step(
        "",
        patch("""
*** Update File: tally/reports.py
@@
 from tally.prices import PriceList
+from tally.recurring import recurring
 from tally.sums import Sum
@@
+def recurring_report(journal: Journal) -> str:
+    \"\"\"Each payment that comes again, and all of them together a year.\"\"\"
+    found = recurring(journal)
+    rows = [(one.payee, one.account, str(one.months), str(one.median), str(one.yearly)) for one in found]
+    rows.append(("all", "", "", "", str(Sum(one.yearly for one in found))))
+    return table(rows, "llrrr")
+
+
 def cash_flow(journal: Journal) -> str:
*** Update File: tally/cli.py
@@
-from tally.reports import balance, budget_report, cash_flow, register
+from tally.reports import balance, budget_report, cash_flow, recurring_report, register
@@
     one = commands.add_parser("flow")
     one.add_argument("journal", type=Path)
+    one = commands.add_parser("recurring")
+    one.add_argument("journal", type=Path)
@@
     elif options.command == "flow":
         print(cash_flow(journal))
+    elif options.command == "recurring":
+        print(recurring_report(journal))
"""),
        run("python3 -m tally recurring books/2025.journal"),
    ),
    step(
        "", fails(run("python3 -m tally recurring books/2024.journal 2>&1 | tail -1; test -f books/2024.journal"))
    ),
    step(
        "A file that is not there ends in an exception, as with every other command today; that was so before and is not what was asked. Documentation:",
        run("""
sed -i -e 's|^    python3 -m tally lint books/2025.journal$|&\\n    python3 -m tally recurring books/2025.journal|' README.md
sed -n 1,16p README.md
"""),
    ),
    step(
        "",
        patch("""
*** Update File: docs/format.md
@@
 # Open points
 
+- [ ] a journal that is not there ends a command with an exception
"""),
        run("python3 run_tests.py && python3 build.py --strict"),
    ),
    step(
        "Reading it over once more, with the numbers of the register beside it.",
        run("cat tally/recurring.py"),
        run("python3 -m tally register books/2025.journal expenses:home"),
    ),
    step(
        "",
        run(
            "python3 -m tally register books/2025.journal expenses:travel && python3 -m tally register books/2025.journal expenses:work"
        ),
    ),
    step("", run("python3 -m tally register books/2025.journal expenses:food"), run("ls -1 tally tests docs")),
    step(
        "",
        run(
            "python3 -m tally balance books/2025.journal --below expenses --currency EUR && (shasum -a 256 books/* 2>/dev/null || sha256sum books/*)"
        ),
    ),
    step(
        "`recurring` is there: rent and power, one payment a month for six months, 12,098.04 EUR a year. 62 tests are green, `build.py --strict` has no warnings, books/ has the checksums of this morning. A journal that does not exist still ends every command with an exception; I noted that in docs/format.md and left it.",
        plan(
            "x look at what there is: accounts, tables, cli",
            "x tally/recurring.py",
            "x tests/test_recurring.py",
            "x command, README, docs",
        ),
    ),
)
