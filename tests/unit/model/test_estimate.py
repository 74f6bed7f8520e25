"""The one weigher of all that decides: whole numbers, near a vocabulary's, and quick to say of any text."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.devices.tokens import Weigher, load
from ctxmgr.model.estimate import PARTS, SCRIPTS, WORDS, estimate
from ctxmgr.study.recordings import readers
from ctxmgr.study.recordings.recording import Recording
from tests.notation import read

SESSIONS = sorted((Path(__file__).parents[2] / "sessions").glob("*.jsonl"))
WITHIN = 0.1  # of the vocabulary's total
BLOCK_WITHIN = 0.1  # in the mean

PROSE = {
    "Chinese": "我已经读过这个文件，但是没有在第一行找到错误。请再次运行测试，然后在修改数据库之前告诉我结果。",
    "Korean": "파일을 읽었지만 첫 번째 줄에서 오류를 찾지 못했습니다. 테스트를 다시 실행하고 결과를 알려 주세요.",
    "Russian": "Я прочитал файл и не нашёл ошибки в первой строке. Запусти тесты ещё раз и скажи, что получилось.",
    "Arabic": "قرأت الملف ولم أجد الخطأ في السطر الأول. يرجى تشغيل الاختبارات مرة أخرى ثم أخبرني بالنتيجة.",
    "German": "Ich habe die Datei gelesen und in der ersten Zeile keinen Fehler gefunden. Prüfe es noch einmal.",
}


@cache
def vocabulary() -> Weigher:
    return load("o200k_base").weigher


def counted(text: str) -> int:
    return vocabulary()(text)


@pytest.mark.parametrize("path", SESSIONS, ids=[path.stem for path in SESSIONS])
def test_a_sessions_total_is_near_the_vocabularys_and_so_is_each_block(path: Path) -> None:
    recorded = readers.read(readers.source(path))
    assert isinstance(recorded, Recording)
    messages = read(entry.message for entry in recorded.entries if entry.message)
    texts = [block.text for message in messages for block in message.view.blocks if block.text]
    pairs = [(estimate(text), counted(text)) for text in texts]
    total = sum(real for _, real in pairs)
    assert abs(sum(guess for guess, _ in pairs) / total - 1) <= WITHIN
    assert sum(abs(guess - real) / real for guess, real in pairs) / len(pairs) <= BLOCK_WITHIN


def test_no_alphabet_is_far_off() -> None:
    for language in PROSE:
        assert 0.7 <= estimate(PROSE[language]) / counted(PROSE[language]) <= 1.4, language


@given(st.text(alphabet=st.characters(), max_size=300), st.integers(1, 200))
def test_any_text_has_a_weight_and_only_the_empty_one_none(text: str, times: int) -> None:
    assert (estimate(text * times) == 0) == (text == "")


def test_it_is_whole_numbers_alone() -> None:
    assert all(isinstance(weight, int) for _, weight in (*PARTS, *WORDS, *SCRIPTS))
    assert (estimate("def f(x): return x"), estimate("wörter"), estimate("\ud800")) == (5, 3, 1)
