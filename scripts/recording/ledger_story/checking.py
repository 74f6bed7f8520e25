"""The real books: long outputs, and what is still found in them."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, fails, patch, plan, run, step

STORY: Story = (
    step(
        "All 48 green. Now the real books.",
        fails(run("python3 -m tally lint books/2025.journal")),
        fails(run("python3 -m tally import books/bank.csv --rules books/bank.rules 2>&1 >/dev/null")),
    ),
    step(
        "No balance differs by nothing any more. What is left of `import` is one jump: the bank's balance is a cent too high in lines 220 and 221 and right again in 222. The rows around:",
        run("grep -n '1[2-6].05.2025' books/bank.csv"),
        run("grep -n -A 2 '2025-05-1[2-6]' books/2025.journal"),
    ),
    step(
        "The whole register of the bank account, to see that no other sum drifts:",
        run("python3 -m tally register books/2025.journal assets:bank"),
    ),
    step("", run("python3 -m tally balance books/2025.journal && python3 -m tally flow books/2025.journal")),
    step("", run("python3 -m tally budget books/2025.journal books/budget.txt")),
    step(
        "And what an import writes, which must be read again without a fault:",
        run("python3 -m tally import books/bank.csv --rules books/bank.rules 2>/dev/null | head -400"),
    ),
    step(
        "",
        run("""
python3 - <<'EOF'
from pathlib import Path
from tally.csvimport import read_rows, transactions, written
from tally.parser import parse
from tally.rules import parse_rules, unused
rows = read_rows(Path("books/bank.csv").read_text(encoding="utf-8"))
rules = parse_rules(Path("books/bank.rules").read_text(encoding="utf-8"))
again = parse(written(transactions(rows, rules, "assets:bank")))
real = parse(Path("books/2025.journal").read_text(encoding="utf-8"))
print(len(again.transactions), "imported,", len(real.transactions), "in the journal")
print("unknown:", [one.payee for one in again.transactions if one.postings[0].account == "expenses:unknown"])
print("rules that no row needs:", [(rule.line, rule.pattern.pattern, rule.account) for rule in unused(rules, [f"{row.payee} {row.purpose}" for row in rows])])
for one, other in zip(again.transactions, real.transactions):
    mine, theirs = [str(posting.amount) for posting in one.postings], [str(posting.amount) for posting in other.postings]
    if (one.day, mine) != (other.day, theirs):
        print("differs:", one.day, one.payee, mine, "|", other.day, other.payee, theirs)
EOF
"""),
        thinking="Garden rule can never match because winter comes first. Not mine to change: bank.rules is under books/.",
    ),
    step("Import and journal agree to the cent. Next the build.", fails(run("python3 build.py --strict"))),
    step(
        "Docstrings for the classes that are named there.",
        run(
            "grep -nE -A 2 '^class (Transaction|Journal|Finding|Parser|Rule)' tally/journal.py tally/lint.py tally/parser.py tally/rules.py"
        ),
    ),
    step(
        "",
        patch("""
*** Update File: tally/journal.py
@@
 class Transaction:
+    \"\"\"What happened on a day: postings that add up to nothing.\"\"\"
+
     day: date
@@
 class Journal:
+    \"\"\"The whole book, in the order of the file.\"\"\"
+
     transactions: list[Transaction] = field(default_factory=list)
*** Update File: tally/lint.py
@@
 class Finding:
+    \"\"\"One thing that looks wrong, and by which rule.\"\"\"
+
     line: int
*** Update File: tally/parser.py
@@
 class Parser:
+    \"\"\"Takes lines one by one; `journal` is what they came to.\"\"\"
+
     def __init__(self) -> None:
*** Update File: tally/rules.py
@@
 class Rule:
+    \"\"\"Rows that match `pattern` go to `account`.\"\"\"
+
     pattern: re.Pattern[str]
"""),
        run("python3 build.py --strict && python3 run_tests.py"),
        plan(
            "x amounts.py: Decimal, Amount.zero, Amount.share, rounded()",
            "x sums.py",
            "x prices.py: rates as Fraction",
            "x budget.py and reports.py",
            "x csvimport.py and lint.py",
            "x parser.py: ParseError for a price that is none",
            "x build.py --strict: docstrings and the long line",
            "> docs/format.md, report on the real books",
        ),
    ),
    step("", run("sed -n 1,80p docs/api.md")),
)
