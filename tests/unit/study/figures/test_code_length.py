"""`kept`: what of the text that a reply repeats was there to read, in bytes of zstd."""

import json
import random

import pytest
import zstandard

from ctxmgr.study.figures.code_length import LEAST_BYTES, RECENT_BYTES, CodeLengths
from ctxmgr.study.observations import Observation, ProjectedMessage, Ratio, total
from ctxmgr.study.recordings import pi_host
from tests.notation import Said, a, note, raws, sh, summary, u
from tests.unit.study.sighted import Show, newest, packed, sights, whole


def noise(seed: int, count: int) -> str:
    """So many characters that nothing foretells."""
    chance = random.Random(seed)
    return "".join(chance.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(count))


OLD, SINCE = noise(1, 3_000), noise(2, RECENT_BYTES)
TALK = (u(f"see {OLD}"), a(SINCE[:9_000]), u(SINCE[9_000:]), a("hm"), u("and now"), a(OLD[500:1_500]))


def share(*talk: Said, show: Show = whole) -> float | None:
    return total(CodeLengths().repeats(sights(*talk, show=show))).share


def test_nothing_is_kept_where_the_newest_text_alone_is_shown() -> None:
    assert share(*TALK, show=newest(3)) == pytest.approx(0, abs=0.01)


def test_what_a_reply_repeats_is_kept_in_any_message() -> None:
    half = packed(OLD[500:1_000])
    assert share(*TALK, show=newest(3, half)) == pytest.approx(0.5, abs=0.03)
    assert share(*TALK, show=newest(3, packed(OLD[2_000:]))) == pytest.approx(0, abs=0.01)


def test_a_list_that_lacks_even_the_newest_text_keeps_less_than_nothing() -> None:
    talk = (u(OLD), a(SINCE[:9_000]), u(SINCE[9_000:]), a("hm"), u("and now"), a(OLD[500:1_000] + SINCE[-2_000:]))
    kept = share(*talk, show=newest(0))
    assert kept is not None
    assert kept < -0.5


def test_the_replies_of_every_second_call_are_asked_the_first_included() -> None:
    reply = OLD[: 2 * LEAST_BYTES]
    talk = (u(OLD), u(SINCE), *(message for _ in range(5) for message in (a(reply), u(SINCE))))
    asked = [ratio.total > 0 for ratio in CodeLengths().repeats(sights(*talk))]
    assert asked == [True, False, True, False, True]


def test_short_replies_are_not_asked() -> None:
    short = OLD[: LEAST_BYTES - 1 - len(content([{"type": "text", "text": ""}]))]
    for reply, asked in ((short, False), (f"{short}x", True)):
        (found,) = CodeLengths().repeats(sights(u(OLD), u(SINCE), a(reply)))
        assert (found != Ratio()) == asked


def test_a_text_is_contents_as_json_and_has_no_usage_or_id() -> None:
    shown = "\n".join(content(part) for part in (OLD, [{"type": "text", "text": "é"}]))
    reply = content([{"type": "text", "text": f"é {OLD}"}])
    before = "\n".join(content(part) for part in (OLD, SINCE, [{"type": "text", "text": "é"}]))
    recent, whole_length, given = (
        length(reply, text.encode()) for text in (before.encode()[-RECENT_BYTES:].decode(), before, shown)
    )
    talk = (
        u(OLD, id="x1", timestamp=5),
        u(SINCE),
        note("", content=[{"type": "text", "text": "é"}]),
        a(f"é {OLD}", usage={"input": 5}),
    )
    (found,) = CodeLengths().repeats(sights(*talk, show=lambda items: [whole(items)[0], whole(items)[2]]))
    assert found == Ratio(recent - given, recent - whole_length)


def content(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def length(reply: str, text: bytes) -> int:
    """Of zstd's own words, without a look at the measure."""
    parameters = zstandard.ZstdCompressionParameters.from_level(
        7, window_log=24, enable_ldm=False, write_content_size=0, write_checksum=0, write_dict_id=0
    )
    raw = zstandard.ZstdCompressionDict(text, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    return len(zstandard.ZstdCompressor(dict_data=raw, compression_params=parameters).compress(reply.encode()))


def test_what_the_host_compacted_away_is_part_of_the_conversation_and_its_summary_is_not() -> None:
    talk = (u(OLD), a("hm"), u(SINCE), a("hm"), u("?"), a(OLD[:1_000]))
    first, second, third = sights(*talk)
    stands = pi_host.item("s", raws(summary(noise(3, 500) + OLD[:500]))[0])
    shown = (ProjectedMessage(stands.raw, 0, True), *third.projected_messages[2:])
    later = Observation(None, (stands, *third.items[2:]), shown, third.reply)
    whole_list, kept = (CodeLengths().repeats([first, second, last])[2] for last in (third, later))
    assert kept.total == whole_list.total > 0
    assert kept.share == pytest.approx(0.5, abs=0.03)


def test_a_message_without_content_is_the_texts_of_it() -> None:
    talk = (sh("ls", OLD), u(SINCE), a(OLD[:1_000]))
    assert share(*talk) == 1
    assert share(*talk, show=newest(1)) == pytest.approx(0, abs=0.01)


def test_nothing_asked_has_no_share() -> None:
    assert share(u("hello"), a("hi")) is None
    assert CodeLengths().repeats([]) == ()
