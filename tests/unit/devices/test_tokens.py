"""What text weighs: what tiktoken counts, near it where one word has thousands of characters, and never a fault."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tiktoken import Encoding

from ctxmgr.devices import tokens
from ctxmgr.devices.tokens import SLICE_CHARACTERS, Weigher, counter, load, merged
from ctxmgr.devices.vocabulary import CL100K_BASE, O200K_BASE, Vocabulary, find
from ctxmgr.model.estimate import estimate


@cache
def loaded() -> Weigher:
    return load("o200k_base").weigher


@cache
def ranks() -> dict[bytes, int]:
    found = find(O200K_BASE).ranks
    assert found is not None
    return found


@cache
def encoding(vocabulary: Vocabulary = O200K_BASE) -> Encoding:
    """tiktoken's own, over the ranks of o200k_base whatever the pattern."""
    return Encoding("judge", pat_str=vocabulary.pattern, mergeable_ranks=ranks(), special_tokens={})


def judged(text: str, vocabulary: Vocabulary = O200K_BASE) -> int:
    """What tiktoken counts."""
    return len(encoding(vocabulary).encode_ordinary(text))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),  # public
        ("tiktoken is great!", 6),  # public
        ("antidisestablishmentarianism", 6),  # public
        ("2 + 2 = 4", 7),  # public
        ("お誕生日おめでとう", 8),  # public
        ("def f(x):\n    return x + 1\n", 11),
        ('{"path":"src/main.rs","limit":200}', 11),
        ("<|endoftext|>", 7),  # text, not one special token
        ("👩‍👩‍👧‍👦", 11),
        (" " * 128, 1),
        ("a\r\n\r\n\tb", 3),
    ],
)
def test_known_weights(text: str, tokens: int) -> None:
    assert loaded()(text) == tokens


def test_the_estimate_is_a_weigher_too() -> None:
    assert load("estimate").weigher("a few words") == estimate("a few words")


CODE = 'def f(self, path: str) -> int:\n    """It\'s a docstring."""\n\n    return len(path)  # don\'t\n\n\n'
USUAL = {
    "code": CODE,
    "code with tabs": CODE.replace("    ", "\t"),
    "code with carriage returns": CODE.replace("\n", "\r\n"),
    "prose": "They'll say it wasn't so, and we've seen 1,234.5 of them. \"Really?\" - yes / no.\n\n",
    "json on one line": '{"id":12345,"tags":["a_b","c/d"],"ok":true,"note":"it\'s","e":-1.5e10},',
    "base64": "iVBORw0KGgoAAAANSUhEUgAABVYAAAKTCAYAAADbQ7eMAAAAAXNSR0IArs4c6QAAIABJREFU" * 3,
    "hex": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "log": "2024-05-06T07:08:09.123Z  INFO  [worker-3] GET /v1/items/42?x=1 -> 200 (17ms)\n",
    "paths": "src/components/App.tsx\nsrc//index.ts\n/usr/lib/x86_64/libc.so.6\n//\n/\n",
    "chinese": "你好，世界！这是一个测试。我们有123个苹果、456个梨子；真的吗？\n",
    "japanese": "お誕生日おめでとう。プログラムを実行します、コード42です。",
    "korean": "안녕하세요 세계, 이것은 시험입니다. 값은 3.14입니다!\n",
    "russian": "Привет, мир! Это проверка 2024 года — «да».\n",
    "marks that combine": "e\u0301a\u0308 n\u0303o\u0302, Z\u0351\u036b!a\u0301/\u0301 \u0301\n\u0301 ",
    "emoji": "👩‍👩‍👧‍👦 🇩🇪👍🏽 done ✅ 100%\n",
    "markdown": "# Title\n\n- [x] item `code` **bold**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\n```\n",
    "quoted names": "    'addattach',\n    'recv',\n\t'Send',\n\n  \n        \"it's\",\n",
    "quoted names on one line": "'addattach','recv','Send';",
    "odd blanks": "a\u00a0b\u3000c\u2028d\x85e\x1cf \u00a0 g\t \n\x0b\x0c h\n",
    "unpaired surrogates": "cut \ud83d here \ude00, and \ude00\ud83d there\ud83d ",
}


@pytest.mark.parametrize("text", USUAL.values(), ids=USUAL)
def test_usual_text_of_any_length_is_exact(text: str) -> None:
    long = text * (150_000 // len(text) + 1)
    assert loaded()(long) == judged(long)


RUNS = {
    "letter": "a",
    "capital": "Q",
    "blank": " ",
    "line": "\n",
    "tab": "\t",
    "carriage return": "\r\n",
    "digit": "7",
    "hyphen": "-",
    "equals": "=",
    "slash": "/",
    "accent": "\u0301",
    "ideograph": "漢",
    "emoji": "😀",
    "surrogate": "\ud83d",
    "letters": "loremipsumdolorsitametconsecteturadipiscingelit",
    "ideographs": "永和九年歲在癸丑暮春之初會于會稽山陰之蘭亭",
    "marks": "({[<>]})",
}

FRAGMENTS = st.one_of(
    st.sampled_from([*USUAL.values(), *RUNS.values(), "\n\n", "  ", "'", "'s", "'LL", "_", "\r", "A"]),
    st.text(max_size=8),
    st.text(alphabet=" \t\n\r/'aZ19.,_é漢。\u0301\u2028\x85\x1c²Ⅷʰ", max_size=20),
)


@settings(deadline=None, max_examples=400)
@given(st.lists(FRAGMENTS, min_size=1, max_size=12).map("".join))
@example("a'\ns1")
@pytest.mark.parametrize("known", [O200K_BASE, CL100K_BASE], ids=lambda known: known.name)
def test_any_text_weighs_what_tiktoken_counts(known: Vocabulary, text: str) -> None:
    assert counter(known, ranks())(text) == judged(text, known)


@settings(deadline=None, max_examples=400)
@given(st.one_of(st.binary(min_size=1, max_size=60), st.text(min_size=1, max_size=60).map(str.encode)))
def test_any_bytes_are_merged_as_tiktoken_does(word: bytes) -> None:
    assert merged(ranks(), word) == len(encoding()._encode_single_piece(word))


@pytest.mark.parametrize("unit", RUNS.values(), ids=RUNS)
def test_a_long_run_is_nearly_exact(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    assert abs(loaded()(text) - judged(text)) <= 2 * -(-len(text) // SLICE_CHARACTERS)


@pytest.mark.parametrize("unit", [" ", "\n", "\t", "a", "7", "😀"])
def test_a_million_of_one_character_have_a_weight(unit: str) -> None:
    assert loaded()(unit * 1_000_000) > 0


@pytest.mark.parametrize("unit", ["7", " ", "a"])
def test_multiples_in_a_run_are_exact(unit: str) -> None:
    assert loaded()(unit * 100_000) == judged(unit * 100_000)


def test_a_run_inside_text_costs_only_the_run() -> None:
    text = "one two. " * 3_000 + "z" * 10_000 + "\n" + "three four, " * 3_000
    assert abs(loaded()(text) - judged(text)) <= 2 * -(-10_000 // SLICE_CHARACTERS)


@settings(deadline=None)
@given(st.text(alphabet=st.characters(), max_size=300), st.integers(1, 200))
def test_any_text_has_a_weight(text: str, times: int) -> None:
    for weigher in (loaded(), load("estimate").weigher):
        weight = weigher(text * times)
        assert weight >= 0
        assert (weight == 0) == (text == "")


class Asked(dict[bytes, int]):
    """Ranks that count how often they are asked for a whole word."""

    def __init__(self) -> None:
        super().__init__(ranks())
        self.words: list[bytes] = []

    def __contains__(self, word: object) -> bool:
        assert isinstance(word, bytes)
        self.words.append(word)
        return super().__contains__(word)


def test_a_word_is_merged_once_however_often_it_comes() -> None:
    asked = Asked()
    count = counter(O200K_BASE, asked)
    run = "a" * (10 * SLICE_CHARACTERS)
    assert count(f"tokenise {run} tokenise tokenise tokenise") == count("tokenise") + count(f" {run}") + 3 * count(
        " tokenise"
    )
    assert asked.words.count(b" tokenise") == asked.words.count(b"tokenise") == 1
    assert len(asked.words) <= 2 + 2 * 3  # of each run its first slice, one of all others, the rest


def test_so_many_words_are_kept_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "WORDS_AT_MOST", 3)
    asked = Asked()
    count = counter(O200K_BASE, asked)
    assert count(" a b c") == count(" b c a") == 3
    assert len(asked.words) == 3
    assert count(" d") == 1  # and now none of the others
    count(" a")
    assert asked.words[3:] == [b" d", b" a"]


def test_threads_may_share_a_weigher() -> None:
    texts = [text * 200 for text in USUAL.values()] * 2
    expected = [loaded()(text) for text in texts]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(loaded(), texts)) == expected
