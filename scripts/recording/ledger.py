"""Turns the folder `tally` beside this file and a few numbers into the repository the shell agent works on.

The texts are copied; a year's journal, the bank's rows and prices are computed, with integers alone.
"""

from datetime import date, timedelta
from pathlib import Path

from recording.repository import Dice, write

TEMPLATE = Path(__file__).parent / "tally"
SUFFIXES = (".py", ".md")

# payee, account, least cents, spread
SHOPS = (
    ("Bakery Ohlsen", "expenses:food:bread", 240, 400),
    ("Market Hall Nord", "expenses:food:market", 1_150, 4_800),
    ("Fuel Station 24", "expenses:car:fuel", 3_900, 2_600),
    ("Tram and Bus", "expenses:travel:local", 290, 1),
    ("Bookshop Winter", "expenses:leisure:books", 890, 2_900),
    ("Pharmacy am Ring", "expenses:health", 450, 2_400),
    ("Cafe Lind", "expenses:food:out", 380, 900),
    ("Cinema Metropol", "expenses:leisure:film", 950, 500),
    ("Hardware Store Voss", "expenses:home:repair", 620, 5_400),
    ("Print and Copy", "expenses:work:paper", 120, 700),
)
FIXED = ((1, "Rent Weber", "expenses:home:rent", 94_500), (3, "Power Grid", "expenses:home:power", 6_317))
SALARY = 286_543
FIRST, DAYS = date(2025, 1, 1), 181
RULES = """# groceries
ohlsen -> expenses:food:bread
market hall -> expenses:food:market
lind -> expenses:food:out
# getting about
fuel -> expenses:car:fuel
tram -> expenses:travel:local
# the rest
book|winter -> expenses:leisure:books
pharmacy -> expenses:health
metropol -> expenses:leisure:film
voss -> expenses:home:repair
winter garden -> expenses:leisure:garden
rent -> expenses:home:rent
power -> expenses:home:power
salary -> income:work
"""
BUDGET = """# a month
expenses:food  420.00 EUR
expenses:car  130.00 EUR
expenses:home  1,080.00 EUR
expenses:leisure  95.50 EUR
expenses:travel  40.60 EUR
"""


def build(root: Path) -> None:
    """Writes the whole repository under `root`, which must be empty."""
    for source in sorted(TEMPLATE.rglob("*")):
        if source.suffix in SUFFIXES:
            write(root / source.relative_to(TEMPLATE), source.read_text(encoding="utf-8"))
    journal, bank = books()
    write(root / "books" / "2025.journal", journal)
    write(root / "books" / "bank.csv", bank)
    write(root / "books" / "bank.rules", RULES)
    write(root / "books" / "budget.txt", BUDGET)


def books() -> tuple[str, str]:
    """The journal, and what the bank says of the same payments: one row of it is wrong by a cent."""
    dice, held = Dice(11), 0
    blocks, rows = [], ["booked;payee;purpose;amount;currency;balance"]
    for number in range(DAYS):
        day = FIRST + timedelta(days=number)
        if day.day in (1, 15):
            blocks.append(f"P {day} USD 0.{9_400 + dice.roll(400)} EUR")
        found = [(payee, account, cents) for on, payee, account, cents in FIXED if day.day == on]
        if day.day == 27:
            found.append(("Salary Norddruck", "income:work", -SALARY))
        for _ in range(1 + dice.roll(2)):
            payee, account, least, spread = SHOPS[dice.roll(len(SHOPS))]
            found.append((payee, account, least + dice.roll(spread)))
        for payee, account, cents in found:
            held -= cents
            said = f" = {money(held)} EUR" if day.day == 28 else ""
            postings = f"    {account:<28}  {money(cents)} EUR\n    {'assets:bank':<28}  {money(-cents)} EUR{said}"
            blocks.append(f"{day} * {payee}\n{postings}")
            off = 1 if (day.month, day.day) == (5, 14) else 0
            cells = (f"{day:%d.%m.%Y}", payee.upper(), f"ref {number:03d}-{dice.roll(9_000)}", german(-cents))
            rows.append(";".join((*cells, "EUR", german(held + off))))
    return "\n\n".join(blocks) + "\n", "\n".join(rows) + "\n"


def money(cents: int) -> str:
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def german(cents: int) -> str:
    return money(cents).replace(",", " ").replace(".", ",").replace(" ", ".")
