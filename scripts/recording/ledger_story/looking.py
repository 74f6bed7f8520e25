"""The task, and the whole project read by shell."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, fails, plan, run, step, user

STORY: Story = (
    user(
        """
Money in this project is a float, and it shows: `lint` reports balances that differ by nothing, `import` does not reconcile. Make it exact everywhere in `tally/` (decimal or integers, your choice), keep more than two decimals where they were written, round half even where something has to be rounded.

- all tests green (`python3 run_tests.py`), the ones that fail today are the specification
- `python3 build.py --strict` without warnings
- never edit anything under books/, they are the real books
- no new dependency

Work through it on your own, I am away until the afternoon. At the end tell me what `lint` and `import` still find.
"""
    ),
    step(
        "I'll look at the layout and the failing tests first.",
        run("ls -1 . tally tests docs books && wc -l tally/*.py tests/*.py | sort -k2"),
        fails(run("python3 run_tests.py")),
        thinking="Constraints: books/ is read only, standard library, build.py --strict. Read everything before choosing between Decimal and integers.",
    ),
    step("", run("cat README.md docs/format.md")),
    step("", run("cat tally/amounts.py tally/sums.py")),
    step("", run("cat tally/journal.py tally/parser.py")),
    step("", run("cat tally/prices.py tally/budget.py")),
    step("", run("cat tally/csvimport.py tally/rules.py")),
    step("", run("cat tally/lint.py tally/tables.py tally/accounts.py")),
    step("", run("cat tally/reports.py tally/cli.py")),
    step("", run("cat build.py && python3 build.py")),
    step(
        "Where floats are made, compared and multiplied:",
        run("grep -nE 'float|round\\(|\\.value|0\\.0|1\\.0' tally/*.py"),
        run("grep -rnE 'zero|share|rounded' tests/*.py"),
    ),
    step(
        "What the two complaints look like on the real books:",
        fails(run("python3 -m tally lint books/2025.journal")),
        fails(run("python3 -m tally import books/bank.csv --rules books/bank.rules 2>&1 >/dev/null")),
    ),
    step(
        "The shape of the data, before I decide how many decimals can occur.",
        run("sed -n 1,160p books/2025.journal"),
    ),
    step("", run("head -90 books/bank.csv && cat books/bank.rules books/budget.txt")),
    step("", run("cat tests/test_amounts.py tests/test_prices.py tests/test_budget.py")),
    step("", run("cat tests/test_parser.py tests/test_lint.py tests/test_csvimport.py tests/test_reports.py")),
    step(
        "Decision: `decimal.Decimal` in `Amount.value` (1.799 EUR must survive, integers of cents can not hold it), exchange rates as `fractions.Fraction` so that the way back is exact, one place that rounds (`amounts.rounded`, half even).",
        plan(
            "> amounts.py: Decimal, Amount.zero, Amount.share, rounded()",
            ". sums.py",
            ". prices.py: rates as Fraction",
            ". budget.py and reports.py",
            ". csvimport.py and lint.py",
            ". parser.py: ParseError for a price that is none",
            ". build.py --strict: docstrings and the long line",
            ". docs/format.md, report on the real books",
        ),
        run("shasum -a 256 books/* 2>/dev/null || sha256sum books/*"),
        thinking="Decimal addition is exact within context precision 28, fine for books. Fraction for 1/0.96. The half cent test wants is_zero to be exactly zero.",
    ),
)
