"""Token counts of images and documents as the provider counts them, and how many a request may have, by model
family.

If the size of an image is unknown (a link, a file id, an unsupported format), it counts as the largest one that the
family accepts: an overestimate still fits, an underestimate may not.
"""

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from ctxmgr.model.expressions import expression

MediaKind = Literal["image", "document", "text", "part"]

PART_TOKEN_BYTES = 4  # bytes of JSON in a token, roughly
ANY_EDGE = 1_000_000  # pixels; no edge is too long


class Media(msgspec.Struct, frozen=True, gc=False):
    """An image or a document in a message, or a part of another kind, with a `text` (such as a search result) or
    without. `width` and `height` in pixels, 0 if unknown. `pages`: of a document. `size_bytes`: its size in the
    request.
    """

    kind: MediaKind
    size_bytes: int = 0
    width: int = 0
    height: int = 0
    pages: int = 1

    @property
    def is_shown(self) -> bool:
        """Whether it is an image or a document, whose number in a request is limited."""
        return self.kind in ("image", "document")


class MediaRules(msgspec.Struct, frozen=True):
    """The rules of a model family. `image`: returns the tokens of an image from its width and height in pixels.
    `page_tokens`: of one page of a document. `most_images`: in one request; None: unknown.
    """

    name: str
    image: Callable[[int, int], int]
    largest_pixels: tuple[int, int]
    page_tokens: int
    most_images: int | None = None


def tokens(media: Media, rules: MediaRules) -> int:
    """The tokens of an image, a document or another part."""
    if not media.is_shown:
        return -(-media.size_bytes // PART_TOKEN_BYTES)
    if media.kind == "document":
        return media.pages * rules.page_tokens
    known = media.width > 0 and media.height > 0
    return rules.image(media.width, media.height) if known else rules.image(*rules.largest_pixels)


def _up(value: float) -> int:
    """Rounds up to an integer."""
    return -int(-value // 1)


def by_patches(side: int, most: int, long_edge: float, factor: float = 1.0) -> Callable[[int, int], int]:
    """One token for each square of `side` pixels. A larger image is scaled down until its long edge and its number
    of squares are within limits. `factor`: the tokens billed for a square.
    """

    def image(width: int, height: int) -> int:
        scale = min(1.0, long_edge / max(width, height))
        wide, high = width * scale, height * scale
        squares = _up(wide / side) * _up(high / side)
        if squares > most:
            squares = min(most, _up(wide * high / side**2))
        return _up(squares * factor)

    return image


def by_tiles(base: int, tile: int) -> Callable[[int, int], int]:
    """OpenAI's tiles: scaled to fit 2,048 x 2,048, then the short side to 768, then split into squares of 512
    pixels.
    """

    def image(width: int, height: int) -> int:
        scale = min(1.0, 2_048 / max(width, height))
        scale *= min(1.0, 768 / (min(width, height) * scale))
        return base + tile * _up(round(width * scale) / 512) * _up(round(height * scale) / 512)

    return image


def of_gemini(width: int, height: int) -> int:
    """258 tokens up to 384 x 384 pixels; above that, for each tile of 768 pixels."""
    if max(width, height) <= 384:
        return 258
    return 258 * _up(width / 768) * _up(height / 768)


# Anthropic, "Vision": a token for each square of 28 pixels (about width x height / 750), long edge at most 1,568
# and at most 1,568 tokens; from Opus 4.7 on 2,576 and 4,784. 100 images in a request if the window is 200k,
# otherwise 600. A page of a PDF is an image and its text ("PDF support": 1,500 to 3,000 tokens of text).
CLAUDE = MediaRules("claude", by_patches(28, 1_568, 1_568), (1_568, 784), 3_000, 100)
CLAUDE_LARGE = MediaRules("claude-large", by_patches(28, 4_784, 2_576), (2_576, 1_456), 4_000, 600)
# OpenAI, "Images and vision", calculating costs: tiles of 512 pixels with a base, or squares of 32 pixels, at most
# 1,536, times a factor by model. 500 images in a request.
GPT_4O = MediaRules("gpt-4o", by_tiles(85, 170), (2_048, 768), 1_500, 500)
GPT_5 = MediaRules("gpt-5", by_tiles(70, 140), (2_048, 768), 1_500, 500)
O_SERIES = MediaRules("o", by_tiles(75, 150), (2_048, 768), 1_500, 500)
MINI = MediaRules("mini", by_patches(32, 1_536, ANY_EDGE, 1.62), (2_048, 768), 2_500, 500)
NANO = MediaRules("nano", by_patches(32, 1_536, ANY_EDGE, 2.46), (2_048, 768), 3_800, 500)
O4_MINI = MediaRules("o4-mini", by_patches(32, 1_536, ANY_EDGE, 1.72), (2_048, 768), 2_700, 500)
# Google, "Image understanding" and "Token counting": tiles of 768 pixels, 258 tokens each, like a page of a PDF;
# 3,600 images in a request. From Gemini 3 on ("Media resolution") 1,120 for an image and 560 for a page of any
# size.
GEMINI = MediaRules("gemini", of_gemini, (3_072, 3_072), 258, 3_600)
GEMINI_3 = MediaRules("gemini-3", lambda width, height: 1_120, (1, 1), 560, 3_600)
# Providers without published rules: about what the most common ones count for a screenshot.
OTHER = MediaRules("", by_patches(28, 1_568, 1_568), (1_568, 784), 2_000)

# patterns of model ids; the first match counts
FAMILIES: tuple[tuple[re.Pattern[str], MediaRules], ...] = tuple(
    (expression(pattern, re.IGNORECASE), rules)
    for pattern, rules in (
        (r"claude-(opus-4-[7-9]|(opus|sonnet|haiku)-[5-9]\b|mythos|fable)", CLAUDE_LARGE),
        (r"claude", CLAUDE),
        (r"gemini-([3-9]|\d\d)", GEMINI_3),
        (r"gemini", GEMINI),
        (r"o4-mini", O4_MINI),
        (r"(gpt-4\.1|gpt-5[.\d]*)-nano", NANO),
        (r"(gpt-4\.1|gpt-5[.\d]*)(-codex)?-mini", MINI),
        (r"gpt-5|codex", GPT_5),
        (r"gpt-4|chatgpt", GPT_4O),
        (r"(^|/)o[13]\b", O_SERIES),
    )
)


def family(model_id: str) -> MediaRules:
    """The rules for a model, by its id."""
    return next((rules for pattern, rules in FAMILIES if pattern.search(model_id)), OTHER)
