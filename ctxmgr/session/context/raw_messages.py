"""Holds the raw bytes of a message list, so that a long list is compared and sent without scanning it.

The bytes of a list's messages, joined by commas, are held in a few segments. A new list that begins with them is
recognized by comparing memory, and any run of messages is sent as views of the segments, without parsing, copying
or allocating its size. Segments are merged as their number grows, so a call stays cheap.

An answer of many runs is joined too, except for its newest runs: the next answer begins with these bytes if it
begins with the same runs.
"""

from collections.abc import Iterable, Sequence

SEGMENTS = 24  # more than this are merged
RUNS = 24  # of an answer beyond what is joined; more than this are joined with it

Run = tuple[int, int, bytes, int]  # messages [start, end), or the replacement of one; the last element is not read


class RawMessages:
    """Messages are numbered from 0 over all segments."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._segments: list[bytes] = []
        self._parted: Sequence[bytes] | None = None  # the messages, while there are no segments
        self._counts: list[int] = []  # messages before each segment
        self._offsets: list[int] = []  # start of each message within its segment
        self._lengths: list[int] = []
        self._places: list[int] = []  # segment of each message
        self.forget_answer()

    def forget_answer(self) -> None:
        """The next answer does not consist of runs."""
        self._runs: list[Run] = []  # that the last answer of many runs began with
        self._answer = b""  # their bytes
        self._end = 0  # of the messages among them

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(map(len, self._segments if self._parted is None else self._parted)) + len(self._answer)

    def part(self, raws: Sequence[bytes]) -> None:
        """`raws` are held elsewhere anyway. If they are these messages, only they are held until the next call."""
        places = zip(raws, self._offsets, self._lengths, self._places, strict=False)
        if (
            self._parted is None
            and len(raws) == len(self)
            and all(
                len(raw) == length and self._segments[number].startswith(raw, offset)
                for raw, offset, length, number in places
            )
        ):
            self._parted = raws
            self._segments = []
            self.forget_answer()

    def _join(self) -> None:
        """Joins parted messages into one segment again."""
        raws, self._parted = self._parted, None
        if raws:
            self._clear()
            self.extend(raws)

    def __len__(self) -> int:
        return len(self._offsets)

    def extend(self, raws: Sequence[bytes]) -> None:
        self._join()
        if not raws:
            return
        self._counts.append(len(self._offsets))
        self._add(raws, len(self._segments))
        self._segments.append(b",".join(raws))
        if len(self._segments) > SEGMENTS:
            self._merge()

    def truncate(self, count: int) -> None:
        """Keeps the first `count` messages."""
        self._join()
        if count == len(self):
            return
        if count < self._end:
            self.forget_answer()
        number = self._places[count]
        end = self._offsets[count] - 1  # the comma before it
        self._segments[number:] = [self._segments[number][:end]] if end > 0 else []
        self._counts[number + (end > 0) :] = []
        for held in (self._offsets, self._lengths, self._places):
            held[count:] = []

    def head_in(self, body: bytes, offset: int) -> tuple[int, int]:
        """(where in `body`, how many): the messages at the head, in whole segments, that `body` has from `offset`
        on, followed by more or by the end of the array.
        """
        self._join()
        end, count = offset, 0
        for number, segment in enumerate(self._segments):
            if number:
                if body[offset : offset + 1] != b",":
                    break
                offset += 1
            if not body.startswith(segment, offset):
                break
            offset += len(segment)
            if body[offset : offset + 1] in (b",", b"]"):
                end, count = offset, self._counts[number + 1] if number + 1 < len(self._counts) else len(self)
        return end, count

    def parts(self, runs: Sequence[Run]) -> list[bytes | memoryview]:
        """The bytes of runs of messages [start, end), or of the replacement of one, with a comma behind each run
        but the last.
        """
        self._join()
        if list(runs[: len(self._runs)]) != self._runs:
            self.forget_answer()
        new = runs[len(self._runs) :]
        if len(new) > RUNS:
            self._answer = b"".join([*self._begun(), *self._written(new[:-1])][:-1])  # the last may grow
            self._end = max(self._end, *(end for _, end, _, _ in new[:-1]))
            self._runs, new = list(runs[:-1]), new[-1:]
        return [*self._begun(), *self._written(new)][:-1]

    def _begun(self) -> list[bytes | memoryview]:
        return [self._answer, b","] if self._answer else []

    def _written(self, runs: Iterable[Run]) -> list[bytes | memoryview]:
        """With a comma behind each."""
        places, offsets, lengths = self._places, self._offsets, self._lengths
        views = [memoryview(segment) for segment in self._segments]
        parts: list[bytes | memoryview] = []
        for start, end, content, _ in runs:
            if content:
                parts += content, b","
            elif start < end and places[start] == places[end - 1]:
                parts += views[places[start]][offsets[start] : offsets[end - 1] + lengths[end - 1]], b","
            elif start < end:
                parts += *self.run(start, end), b","
        return parts

    def run(self, start: int, end: int) -> list[bytes | memoryview]:
        """The bytes of messages [start, end), with commas between them, in as few views as possible."""
        self._join()
        parts: list[bytes | memoryview] = []
        while start < end:
            number = self._places[start]
            stop = self._counts[number + 1] if number + 1 < len(self._counts) else len(self)
            last = min(end, stop) - 1
            first_byte, last_byte = self._offsets[start], self._offsets[last] + self._lengths[last]
            segment = self._segments[number]
            if parts:
                parts.append(b",")
            whole = first_byte == 0 and last_byte == len(segment)
            parts.append(segment if whole else memoryview(segment)[first_byte:last_byte])
            start = last + 1
        return parts

    def _add(self, raws: Sequence[bytes], number: int) -> None:
        offset = 0
        for raw in raws:
            self._offsets.append(offset)
            self._lengths.append(len(raw))
            self._places.append(number)
            offset += len(raw) + 1

    def _merge(self) -> None:
        """Merges the newest segments up to the first that is larger than all after it together, so each byte is
        copied about once per doubling.
        """
        first, size = len(self._segments) - 1, len(self._segments[-1])
        while first > 0 and len(self._segments[first - 1]) <= 2 * size:
            first -= 1
            size += len(self._segments[first])
        first = min(first, len(self._segments) - SEGMENTS // 2)
        count = self._counts[first]
        moved = self._offsets[count:], self._lengths[count:], self._places[count:]
        shifts, shift = {}, 0
        for number in range(first, len(self._segments)):
            shifts[number] = shift
            shift += len(self._segments[number]) + 1
        self._offsets[count:] = [offset + shifts[number] for offset, number in zip(moved[0], moved[2], strict=True)]
        self._places[count:] = [first] * len(moved[2])
        self._segments[first:] = [b",".join(self._segments[first:])]
        self._counts[first + 1 :] = []
