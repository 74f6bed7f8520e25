"""Turns the folder `almanac` beside this file and tables of sentences into the repository of the talkative session.

The sources are copied; dice put the posts together from sentences about their subjects.
"""

from datetime import date, timedelta
from pathlib import Path

from recording.repository import Dice, write

TEMPLATE = Path(__file__).parent / "almanac"
SUFFIXES = (".py", ".md", ".json", ".html", ".css")

SUBJECTS = {
    "beans": ("runner beans", "Scarlet Emperor", "the bean row", "poles of hazel"),
    "compost": ("the second heap", "leaf mould", "the turning fork", "bay three"),
    "tomatoes": ("Harbinger", "the cold frame", "side shoots", "blight spots"),
    "soil": ("the clay at the north end", "sharp sand", "the pH strips", "green manure"),
    "tools": ("the Dutch hoe", "the whetstone", "linseed oil", "the broken spade"),
    "birds": ("the robin", "netting", "pigeons on the brassicas", "the nest box"),
    "water": ("the butt by the shed", "the float valve", "soaker hose", "the dry fortnight"),
    "seeds": ("the seed swap", "paper envelopes", "germination counts", "the tin box"),
}
SENTENCES = (
    "This week {0} took most of my time, and {1} the rest of it.",
    "I had put off looking at {1} since {month}, which was a mistake.",
    "Old Mr Pemberton from plot {number} says that {0} never did well on this side of the path.",
    "By Sunday I had measured {2} twice: **{number} centimetres**, and not a finger more.",
    "What I would do again: start with {3}, leave {0} alone until it is dry.",
    "The notes from [last year](/{other}.html) say the same about {1}, only in worse handwriting.",
    "It rained {number} millimetres, so {2} had to wait.",
    "My neighbour lent me {3}; I gave her half of {1} in return.",
    "Nobody tells you that {2} needs *patience* more than anything.",
    "I counted {number} on Monday and fewer on Friday, and blame {0}.",
    "For the record: {1} cost 4.{number:02d}, {3} nothing at all.",
    "The committee wants a decision about {2} before {month}.",
)
LISTS = ("order more of {1}", "move {0} before the frost", "ask about {2} at the meeting", "mend {3}")
MONTHS = ("March", "April", "May", "June", "September", "October")
FIRST = date(2025, 2, 2)
POSTS = 22


def build(root: Path) -> None:
    """Writes the whole repository under `root`, which must be empty."""
    for source in sorted(TEMPLATE.rglob("*")):
        if source.suffix in SUFFIXES:
            write(root / source.relative_to(TEMPLATE), source.read_text(encoding="utf-8"))
    dice = Dice(29)
    names = [slug(number) for number in range(POSTS)]
    for number, name in enumerate(names):
        write(root / "posts" / f"{name}.md", post(number, names, dice))


def slug(number: int) -> str:
    subject = list(SUBJECTS)[number % len(SUBJECTS)]
    return f"{subject}-{('first', 'again', 'at-last')[number // len(SUBJECTS)]}"


def post(number: int, names: list[str], dice: Dice) -> str:
    subjects = list(SUBJECTS)
    subject, second = subjects[number % len(SUBJECTS)], subjects[(number * 3 + 1) % len(SUBJECTS)]
    things = SUBJECTS[subject]
    tags = f"{subject}, {second}" if number % 5 else f"{subject},"
    head = [f"title: {things[dice.roll(4)].removeprefix('the ').capitalize()} & {second}"]
    head += [f"date: {FIRST + timedelta(days=9 * number)}", f"tags: {tags}"]
    if number in (17, 20):
        head.append("draft: Yes" if number == 17 else "draft: yes")
    blocks = []
    for part in range(3 + dice.roll(3)):
        if part == 2:
            blocks.append("## What is next" if number % 2 else f"## About {second}")
        made = [sentence(things, names, dice, number) for _ in range(4 + dice.roll(4))]
        blocks.append(" ".join(made))
    blocks.append("\n".join("- " + LISTS[at].format(*things) for at in range(2 + dice.roll(3))))
    if number % 4 == 1:
        blocks.append(f"![{subject}](/images/{subject}-{number}.jpg)")
    if number % 6 == 3:
        blocks.append("```\n" + "\n".join(f"{month:<10} {dice.roll(90):>3} mm" for month in MONTHS) + "\n```")
    return "\n".join(head) + "\n\n" + "\n\n".join(blocks) + "\n"


def sentence(things: tuple[str, ...], names: list[str], dice: Dice, number: int) -> str:
    other = names[dice.roll(len(names))] if number % 7 else "jam-and-chutney"
    template = SENTENCES[dice.roll(len(SENTENCES))]
    return template.format(*things, month=MONTHS[dice.roll(6)], number=3 + dice.roll(80), other=other)
