"""The words that a text is found by: identifiers and paths, whole and in parts; the same for texts and
questions."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.devices.archive.words import JOINERS, LONGEST_RUN, question, words

TABLE = [
    ("a_b", ["a_b", "a", "b"]),
    ("aB", ["ab", "a", "b"]),
    ("HTTPServer", ["httpserver", "http", "server"]),
    ("getUserName", ["getusername", "get", "user", "name"]),
    ("__init__", ["init"]),
    ("./src/my_file.rs:42", ["src/my_file.rs:42", "src", "my_file.rs", "my_file", "my", "file", "rs", "42"]),
    (r"C:\Users\me", [r"c:\users\me", "c", "users", "me"]),
    ("v1.2.3-rc1", ["v1.2.3-rc1", "v1", "2", "3", "rc1"]),
    ("--dry-run", ["dry-run", "dry", "run"]),
    ("me@example.org", ["me@example.org", "me", "example.org", "example", "org"]),
    ("Größe, naïve!", ["grösse", "naïve"]),
    ("ﬁle", ["file"]),
    ("日本語の検索", ["日本", "本語", "語の", "の検", "検索"]),
    ("语", ["语"]),
    ("用config文件", ["用", "config", "文件"]),
    ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
    ("a\0b \ud83d c", ["a", "b", "c"]),
    ("", []),
    ("... --- !!!", []),
]


def test_words_of() -> None:
    for text, expected in TABLE:
        assert words(text) == expected, text


def test_encoded_bytes_have_no_words() -> None:
    assert words("see " + "iVBORw0KGgo/AAAA+" * LONGEST_RUN + " there") == ["see", "there"]


@given(st.text())
def test_a_word_holds_nothing_that_a_question_could_be_broken_by(text: str) -> None:
    letters = {letter for word in words(text) for letter in word}
    assert all(letter in JOINERS or letter.isalnum() or ord(letter) > 127 for letter in letters)


@given(st.text(), st.text())
def test_what_stands_apart_has_its_words_apart(one: str, other: str) -> None:
    assert words(f"{one}\n{other}") == [*words(one), *words(other)]


def test_only_so_many_words_are_asked_for() -> None:
    assert question(" ".join(f"w{number}" for number in range(5_000))).strict.match.count(" OR ") < 100
