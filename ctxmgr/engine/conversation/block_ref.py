"""Where a block stands in a message list."""

import msgspec


class BlockRef(msgspec.Struct, frozen=True, order=True, gc=False):
    """Block `block_index` of the view of message `message_index`; sorted as the list is."""

    message_index: int
    block_index: int
