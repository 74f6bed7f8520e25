"""The effects of a command line of a shell, of a patch in it, and where it went."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.tools import FileEffect, tool_call
from tests.unit.engine.tools.file_effects import (
    RUN,
    UNIFIED,
    delete,
    edit,
    effects,
    look,
    part,
    read,
    seek,
    sent,
    write,
)


def move(path: str, to: str) -> FileEffect:
    return FileEffect(path, "move", to=to)


def went(command: str) -> str:
    shell = tool_call("bash", {"command": command}).shell
    assert shell is not None
    return shell.directory


# command, its effects
SHELL: list[tuple[str, list[FileEffect]]] = [
    ("cat a b", [read("a"), read("b")]),
    ("cat *.py", [look()]),
    ('cat "a b.py"', [read("a b.py")]),
    ('cat "$(git ls-files)"', [RUN]),
    ("cat a || echo none", [look()]),
    ("head -c 20 a", [part("a")]),
    ("tail a", [part("a")]),
    ("tail -n +20 a | head -n 5", [part("a")]),
    ("sed -n -e '1,3p' -e '7,9p' a", [part("a")]),
    ("sed 's/a/b/' a", [look()]),
    ("nl -ba a | sed -n '3,4p'", [part("a")]),
    ("cat a | python f.py", [RUN]),
    ("cat a | head -c 5 | tail -n +2", [part("a")]),
    ("tail -3 a | head -2", [part("a")]),
    ("cd /w && cat a", [read("/w/a")]),
    ("cd $X && cat a", [look()]),
    ("FOO=1 timeout 5 cat a", [read("a")]),
    ("git status && cat a", [look(), read("a")]),
    ("rg -n 'a b' src", [seek()]),
    ("find . -name '*.py' -exec grep -l x {} \\;", [seek()]),
    ("find . -name '*.py' -delete", [RUN]),
    ("git -C /w log --oneline | head -5", [look()]),
    ("npm test 2>&1 | tail -20", [RUN]),
    ("cat > a <<'EOF'\nx\nEOF\npython a", [write("a"), RUN]),
    ("tee a <<EOF\nx\nEOF\n", [write("a")]),
    ("cat > a <<'EOF'\nx\n", [RUN]),
    ("python f.py > a", [RUN, sent("a")]),
    ("perl -pi -e 's/a/b/' a", [RUN]),
    ("(cat a)", [read("a")]),
    ("rm a", [delete("a")]),
    ("cd /w && rm -rf 'a b' c/ && ls", [delete("/w/a b"), delete("/w/c"), look()]),
    ("rm *.py", [RUN]),
    ("git rm --cached a", [RUN]),
    ("mv a b", [move("a", "b")]),
    ("cd /p/src && git mv a.py ../b.py", [move("/p/src/a.py", "/p/b.py")]),
    ("git -C /p mv a b", [move("/p/a", "/p/b")]),
    ("mv a $X", [RUN]),
    ("cp a b", [sent("b")]),
    ("touch a b", [sent("a"), sent("b")]),
    ("mv a ..", [move("a", "../a")]),
    ("git -C /w checkout -- a", [edit("/w/a")]),
    ("git -C $X rm a", [RUN]),
    ("git checkout HEAD", [RUN]),
    ("cat <<EOF | grep x | tee a\nx\nEOF", [RUN, sent("a")]),
    ("sed -i -e 's/a/b/' -e 's/c/d/' a b", [edit("a"), edit("b")]),
    ("apply_patch 'x'", [RUN]),
    ("git checkout src/a.py", [edit("src/a.py")]),
    ("git restore --staged a", [RUN]),
    ("cat a > b", [RUN, sent("b")]),
    ("make 2>&1 | tee log.txt", [RUN, sent("log.txt")]),
    ("make >> log.txt", [RUN, FileEffect("log.txt", "edit", whole=False)]),
    (f"git apply <<'EOF'\n{UNIFIED}EOF", [edit("src/a.py"), delete("b.py"), write("c.py")]),
    ("patch -p1 <<'EOF'\nno patch\nEOF", [RUN]),
    ("find . -name x | xargs rm", [RUN]),
    ("cd /w", []),
    ("echo hi", []),
    ("cat a # all of it", [read("a")]),
    ('cat "a', [RUN]),
    ("sed -ri 's/a/b/' a.py", [edit("a.py")]),
    ("sed 's/a/b/' a.py --in-place=.bak", [edit("a.py")]),
    ("sed -i --expression 's/a/b/' --file x.sed a", [RUN]),
    ("cat b | sed -Ei 's/a/b/' a.py", [RUN]),
    ("sed -rn '1,5p' a", [part("a")]),
    ("sed -n '/x/w out.txt' a.py", [RUN]),
    ("cat a | sed 's/a/b/;w out.txt'", [RUN]),
    ("sed -n '$=' a", [part("a")]),
    ("awk '{print > \"o.txt\"}' a.txt", [RUN]),
    ('awk \'/"/{print > "o.txt"}\' a', [RUN]),
    ("awk '{\"date\" | getline x}' a", [RUN]),
    ("awk '$3 > 5 || $2 {print $1 \" > \" $2}' a", [RUN]),
    ("awk -F'|' '{print $1}' a", [look()]),
    ("./pvlib/tools.py | cat", [RUN]),
    # only a shell can tell one part of the line; shells within shells
    ("rm b.py; echo $?", [delete("b.py")]),
    ('git mv a.py b.py && git commit -m "$(date)"', [move("a.py", "b.py"), RUN]),
    ("git add a && git commit -m \"$(cat <<'EOF'\nIt's (a\nEOF\n)\" && rm c", [RUN, RUN, delete("c")]),
    ('rm "$(x)" && rm c', [RUN, delete("c")]),
    ('cat "a $(x" )', [RUN]),
    ("cat $(x <<'A'\n)\nA\n) && rm c", [RUN, delete("c")]),
    ("cat $(x <<'A'\n)\n) && rm c", [RUN]),
    ("cd $HOME && rm a.py", [RUN]),
    ("pushd s && rm a.py && popd && rm a.py", [delete("s/a.py"), RUN]),
    ("(cat a && cat b) || cat c", [look(), look(), look()]),
    ("(rm a) | cat", [RUN]),
    ("(rm a) > b", [RUN]),
    ("rm a)", [RUN]),
    ("((rm a))", [RUN]),
    ("f() { rm a; }", [RUN]),
    ("cat b | (rm a)", [RUN]),
    ("{ cd s; cat c; } && cat d", [read("s/c"), read("s/d")]),
    ("{ cat c }", [RUN]),
    ("! cat b.py", [look()]),
    ("! rm b.py", [delete("b.py")]),
    ("! ! cat b", [RUN]),
    ('bash -lc "sed -i s/a/b/ c.py"', [edit("c.py")]),
    ("cd s && bash -c 'cd t; rm a' && rm a", [delete("s/t/a"), delete("s/a")]),
    ("timeout 5 bash -c 'cat a'", [read("a")]),
    ("bash -c 'cat a' > b", [RUN, sent("b")]),
    ("bash -c 'rm a' | cat", [RUN]),
    ("bash -c $X", [RUN]),
    ("bash -x 'rm a'", [RUN]),
    ("> e2.txt", [write("e2.txt")]),
    (": >> e2.txt", [edit("e2.txt")]),
    ("> $X", [RUN]),
    ("echo hi >| f", [write("f")]),
    ("cat < in.txt", [read("in.txt")]),
    ("head -5 < in.txt > o", [RUN, sent("o")]),
    ("sed -n 1,5p <in.txt | head -2", [part("in.txt")]),
    ("grep x < a", [seek()]),
    ("head -n 5 a.py", [part("a.py")]),
    ("tail --lines 3 -q a.py b.py", [part("a.py"), part("b.py")]),
    ("nl -b a a.py", [read("a.py")]),
    ("cat a.py b.py | head", [look()]),
    ("patch < a.diff", [RUN]),
    ("apply_patch '*** Begin Patch\n*** Delete File: a\n*** End Patch'", [delete("a")]),
    ("apply_patch '*** Begin Patch\n*** Delete File: a\n*** End Patch' b", [RUN]),
    ("mv -S x a b", [move("a", "b")]),
    ("rm -r -- -a -b", [delete("-a"), delete("-b")]),
    ("git restore -s HEAD a b", [edit("a"), edit("b")]),
    ("git checkout v1.0", [RUN]),
    ("git checkout main", [RUN]),
    ("git checkout a.longer", [RUN]),
    ("git checkout -- main", [edit("main")]),
    ("mv a b c/", [move("a", "c/a"), move("b", "c/b")]),
    ("cp a .", [FileEffect("a", "write", whole=False)]),
    ("cat < $X", [look()]),
    ("cat <<< x", [RUN]),
    ("cat < <(rm x)", [RUN]),
    ("python < f.py", [RUN]),
    ('cat >> a.py << "END OF"\nx\nEND OF\nrm b', [edit("a.py"), delete("b")]),
    ("cat > a <<\\EOF\nx\nEOF\nrm b", [write("a"), delete("b")]),
    ("cat > a <<E$X\nx\nE$X\nrm b", [RUN]),
    ("mv -tlib a", [RUN]),
    ("mv -- -t a", [move("-t", "a")]),
    ("grep -n foo a.py b.py", [seek()]),
    ("grep -A 3 -e foo a.py -- -b", [seek()]),
    ("echo ${X:-1} $'a\\'b' && rm a", [delete("a")]),
]


@pytest.mark.parametrize(("command", "expected"), SHELL)
def test_the_effects_of_a_command_line(command: str, expected: list[FileEffect]) -> None:
    assert list(effects("bash", {"command": command})) == expected


@pytest.mark.parametrize(
    "command", ["sed -ri 's/a/b/' a.py", "sed -n '/x/w o' a", "awk '{print > \"o\"}' a", "cat a | awk 'system(x)'"]
)
def test_what_changes_a_file_does_not_repeat(command: str) -> None:
    assert not tool_call("bash", {"command": command}).repeats


def test_a_shell_tells_where_it_went() -> None:
    assert went("cd /w/a && cd b && ls") == "/w/a/b"
    assert went("ls") == ""


WORDS = [
    "cat", "sed", "-n", "'1,5p'", "a.py", "head", "-5", "|", "&&", ";", "||", ">", ">>", "<<EOF", "EOF", "$x", "cd",
    "tail", "tee", "-i", "#", "\\", "(", "{", "&", ")", "}", "$(", "`", "!", "<", "awk", "\n", "{ ", "bash -c",
]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join))
def test_no_command_line_is_an_error(line: str) -> None:
    for effect in effects("bash", {"command": line}):
        assert effect.kind in ("run", "list", "search") or effect.path or not effect.whole
