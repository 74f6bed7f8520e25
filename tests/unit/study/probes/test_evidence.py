"""What counts as the same: words, lines, paths, tokens, states."""

import pytest

from ctxmgr.study.probes.evidence import Evidence, EvidenceIndex, Exact, PathMention, PathState, TextState, Wording
from ctxmgr.study.probes.wording import joined, line_pieces, pieces, references, sentences, shortened
from tests.notation import Said, a, call, r, raws, u

NAMES = {"index.ts": 2, "parse.ts": 1}
SENTENCE = "Never touch the lock file, and keep both of the old readers in place."


def held(evidence: Evidence, *shown: Said) -> float:
    index = EvidenceIndex(NAMES)
    ids = frozenset(map(index.number, raws(*shown)))
    return index.share(evidence, ids)


def test_a_sentence_is_found_in_pieces_of_six_words() -> None:
    for text, share in (
        (SENTENCE, 1),
        ("> NEVER 'touch' the *lock* file and keep\nboth (of) the old readers in place!", 1),
        ("never touch the lock file and", 1 / 3),
        ("never touch the lock files and", 0),
        ("both of the old readers in place, so never touch the lock file, and", 2 / 3),
    ):
        assert held(Wording(pieces(SENTENCE)), u(text)) == pytest.approx(share), text


def test_the_last_piece_of_a_sentence_is_as_long_as_the_others() -> None:
    assert pieces("a b c d e f g") == (" a b c d e f ", " b c d e f g ")
    assert pieces("a b") == (" a b ",)
    assert pieces("-- !") == ()


def test_code_is_found_by_the_line() -> None:
    lines = ("if (ready) {", "  return limit + 1;", "}")
    assert line_pieces(lines) == (" if ready ", " return limit 1 ")
    assert held(Wording(line_pieces(lines)), r("  12\t  return limit + 1;")) == 0.5


def test_a_path_by_its_end_by_the_line_or_by_a_name_of_its_own() -> None:
    for path, text, there in (
        ("pkg/src/core/index.ts", "see core/index.ts", True),
        ("pkg/src/core/index.ts", "see lib/index.ts", False),
        ("pkg/src/core/index.ts", "- changed pkg/src/core/: lex.ts, index.ts", True),
        ("pkg/src/core/index.ts", "core:\nindex.ts", False),
        ("pkg/src/core/index.ts", "core/index.tsx", False),
        ("pkg/src/core/parse.ts", "see parse.ts", True),
        ("pkg/src/core/parse.ts", "see my-parse.ts", False),
        ("README.md", "the readme.md", True),
    ):
        assert held(PathMention(path), u(text)) == there, text


def test_a_token_is_exact() -> None:
    for text, there in (("as 1a2b3c4.", True), ("(1A2B3C4)", True), ("1a2b3c45", False), ("x1a2b3c4", False)):
        assert held(Exact("1a2b3c4"), u(text)) == there, text


def test_a_state_stands_on_the_line_or_in_the_heading_above() -> None:
    for text, there in (
        ("changed parse.ts", True),
        ("## Modified files\n- lex.ts\n- parse.ts", True),
        ("<changed-files>\nlex.ts\nparse.ts\n</changed-files>", True),
        ("## Modified files\n- lex.ts\n## Files read\n- parse.ts", False),
        ("read parse.ts", False),
        ("parse.ts was deleted", False),
    ):
        assert held(PathState("src/parse.ts", "changed"), u(text)) == there, text


def test_a_call_that_did_it_tells_the_state() -> None:
    assert held(PathState("src/parse.ts", "deleted"), a(call("bash", command="git rm src/parse.ts"))) == 1
    patch = "*** Begin Patch\n*** Delete File: src/parse.ts\n*** End Patch"
    assert held(PathState("src/parse.ts", "deleted"), a(call("apply_patch", input=patch))) == 1
    assert held(PathState("src/parse.ts", "deleted"), a(call("read", path="src/parse.ts"))) == 0
    assert held(PathState("src/parse.ts", "changed"), a(call("bash", command="sort a > src/parse.ts"))) == 1


def test_a_task_has_the_state_of_its_line() -> None:
    for text, state in (
        ("- [ ] mend it", "open"),
        ("- [x] mend it", "done"),
        ("mend it: completed", "done"),
        ("Pending:\nmend it", "open"),
    ):
        found = [one for one in ("open", "done") if held(TextState((joined("mend it"),), one), u(text))]  # type: ignore[arg-type]
        assert found == [state], text


def test_arguments_of_calls_are_searched_with_their_escapes_resolved() -> None:
    program = call("exec", input='await apply("*** Begin Patch\\n+const limit = 25;\\n*** End Patch")')
    assert held(Wording(line_pieces(["const limit = 25;"])), a(program)) == 1
    assert held(Wording(pieces("write the parser")), a(call("plan", steps=[{"step": "write the parser"}]))) == 1


def test_sentences_are_prose_without_marks() -> None:
    text = "# A title here\n- one two three. Four five six!\n> quoted line of text\n<log>a b c d</log>"
    assert list(sentences(text)) == ["A title here", "one two three.", "Four five six!"]


def test_a_text_is_cut_between_words() -> None:
    assert shortened("one two three", 9) == "one two"
    assert shortened("one", 9) == "one"


def test_references_are_names_that_come_again() -> None:
    assert references("parseBlock in src/core/lex.ts fails with TS2345") == {"parseBlock", "lex.ts", "TS2345"}


def test_all_messages_come_before_the_first_question() -> None:
    index = EvidenceIndex({})
    first, second = raws(u("one"), u("two"))
    index.number(first)
    index.holders(" one ")
    with pytest.raises(RuntimeError):
        index.number(second)
