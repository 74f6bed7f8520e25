"""Counts the tokens of a branch's messages, by the host's own rule or by a counter of text, and of a context before
a compaction.

Rules (pi 0.87.1, for `before`):

1. The last trustworthy reading, plus the tokens of every message after it.
2. A reading is not trusted if an edit or a compaction came after its message: it counted content that is gone.
3. Without a reading: the tokens of all messages, and of the prompt after all its changes.
"""

from collections.abc import Callable, Iterable, Sequence

from ctxmgr.model import Media, View, Weigh, WeighMessage
from ctxmgr.model.compaction import BranchEntry, BranchMessage, SystemPromptChange, Weigher

UNITS_A_TOKEN = 4  # pi's estimate, UTF-16 units


def quarters(message: BranchMessage) -> int:
    """Tokens of a message as pi estimates them: UTF-16 units / 4, rounded up."""
    return -(-message.utf16_units // UNITS_A_TOKEN)


def by_text(weigh: Weigh, media: Callable[[Media], int], extra: Callable[[View], int]) -> WeighMessage:
    """A counter of messages from one of text: all blocks of the message, their `media`, and what the format says a
    model sees around them (`extra`).
    """

    def weigh_message(message: BranchMessage) -> int:
        blocks = message.view.blocks
        texts = sum(weigh(block.text) for block in blocks if block.text)
        return texts + sum(media(item) for block in blocks for item in block.media) + extra(message.view)

    return weigh_message


def before(
    path: Sequence[BranchEntry],
    places: Sequence[int],
    listed: Sequence[BranchEntry],
    weigh: WeighMessage,
    weigher: Weigher,
) -> int:
    """Tokens of the model's list before a compaction. `listed`: its entries. `places`: their positions in the
    path.
    """
    after = 0
    for number in range(len(listed) - 1, -1, -1):
        for message in reversed(listed[number].messages):
            if not message.reading_tokens:
                after += weigh(message)
            elif _trusted(path, places[number], weigher):
                return message.reading_tokens + after
            else:
                return _whole(listed, weigh, weigher)
    return _whole(listed, weigh, weigher)


def _trusted(path: Sequence[BranchEntry], number: int, weigher: Weigher) -> bool:
    """Rule 2. The host looks the message up by its entry's id, and does not trust the reading without one."""
    if weigher == "chars4" and not path[number].id:
        return False
    return not any(path[later].kind in ("edit", "compaction") for later in range(number + 1, len(path)))


def _whole(listed: Sequence[BranchEntry], weigh: WeighMessage, weigher: Weigher) -> int:
    """Rule 3. With a text counter, changes of a prompt are counted one by one: they are small compared with its
    head.
    """
    messages = [message for entry in listed for message in entry.messages]
    spoken = sum(weigh(message) for message in messages if not message.system)
    if weigher == "tokens":
        return spoken + sum(weigh(message) for message in messages if message.system)
    return spoken + -(-prompt_units(message.prompt for message in messages if message.prompt) // UNITS_A_TOKEN)


def prompt_units(prompts: Iterable[SystemPromptChange]) -> int:
    """UTF-16 units of the prompt after all its changes, oldest first, as pi folds them."""
    texts: list[int] = []
    sections: dict[str, int] = {}
    tools: dict[str, int] = {}
    dated = False
    for prompt in prompts:
        dated = dated or prompt.dated
        if prompt.text_units:
            texts.append(prompt.text_units)
        for name, size in prompt.sections:
            if size is None:
                sections.pop(name, None)
            else:
                sections[name] = size
        for name in prompt.removed:
            tools.pop(name, None)
        tools.update(prompt.added)
    if not dated and not tools:
        return 0
    between = 2 * max(0, len(texts) - 1)  # blank lines between the texts
    listed = sum(tools.values()) + len(tools) + 1 if tools else 0  # commas and brackets of their JSON list
    return sum(texts) + between + sum(sections.values()) + listed
