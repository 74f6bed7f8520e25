"""What text weighs: as tiktoken counts it, and never a fault."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.devices.tokens import Weigher, load, weigh
from ctxmgr.model.estimate import estimate


@cache
def loaded() -> Weigher:
    return load("o200k_base").weigher


def test_known_weights() -> None:
    for text, tokens in [
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
    ]:
        assert loaded()(text) == tokens, text


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


def test_a_long_run_costs_no_more_than_other_text() -> None:
    """Slices were needed before tiktoken 0.13, where this took minutes."""
    for name, unit in RUNS.items():
        assert loaded()(unit * (200_000 // len(unit))) > 0, name


@settings(deadline=None)
@given(st.text(alphabet=st.characters(), max_size=300), st.integers(1, 200))
def test_any_text_has_a_weight(text: str, times: int) -> None:
    for weigher in (loaded(), load("estimate").weigher):
        weight = weigher(text * times)
        assert weight >= 0
        assert (weight == 0) == (text == "")


class PanicException(BaseException):
    """Named as pyo3 names its own."""


def test_a_text_that_panics_is_estimated() -> None:
    def encode(text: str) -> Sequence[int]:
        raise PanicException

    assert weigh(encode, "!" * 100) == estimate("!" * 100)


def test_an_interrupt_is_not_a_panic() -> None:
    def encode(piece: str) -> Sequence[int]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weigh(encode, "text")


def test_threads_may_share_a_weigher() -> None:
    texts = [text * 200 for text in USUAL.values()] * 2
    expected = [loaded()(text) for text in texts]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(loaded(), texts)) == expected
