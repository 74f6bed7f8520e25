"""What a part of a shell's line that only a shell could tell leaves known of the others; shells within shells."""

import pytest

from ctxmgr.engine.tools import FileEffect
from tests.unit.engine.tools.file_effects import RUN, delete, edit, effects, look, part, read, seek, sent, write


def move(path: str, to: str) -> FileEffect:
    return FileEffect(path, "move", to=to)


# command, its effects
PARTS: list[tuple[str, list[FileEffect]]] = [
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
    ("(rm a", [RUN]),
    ("rm a)", [RUN]),
    ("(rm a; }", [RUN]),
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
    ("git checkout a.py", [edit("a.py")]),
    ("git checkout v1.0", [RUN]),
    ("git checkout HEAD", [RUN]),
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


@pytest.mark.parametrize(("command", "expected"), PARTS)
def test_each_part_is_told_by_itself(command: str, expected: list[FileEffect]) -> None:
    assert list(effects("bash", {"command": command})) == expected
