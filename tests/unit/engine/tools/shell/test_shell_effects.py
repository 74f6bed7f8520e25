"""The effects of a command line of a shell, of a patch in it, and where it went."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.tools import tool_call
from tests.unit.engine.tools.test_calls import UNIFIED, shown


def went(command: str) -> str:
    shell = tool_call("bash", {"command": command}).shell
    assert shell is not None
    return shell.directory


# command, its effects ("?": not certainly the whole file)
SHELL: list[tuple[str, str]] = [
    ("cat a b", "read a, read b"),
    ("cat *.py", "list"),
    ('cat "a b.py"', "read a b.py"),
    ('cat "$(git ls-files)"', "run"),
    ("cat a || echo none", "list"),
    ("head -c 20 a", "read? a"),
    ("tail a", "read? a"),
    ("tail -n +20 a | head -n 5", "read? a"),
    ("sed -n -e '1,3p' -e '7,9p' a", "read? a"),
    ("sed 's/a/b/' a", "list"),
    ("nl -ba a | sed -n '3,4p'", "read? a"),
    ("cat a | python f.py", "run"),
    ("cat a | head -c 5 | tail -n +2", "read? a"),
    ("tail -3 a | head -2", "read? a"),
    ("cd /w && cat a", "read /w/a"),
    ("cd $X && cat a", "list"),
    ("FOO=1 timeout 5 cat a", "read a"),
    ("git status && cat a", "list, read a"),
    ("rg -n 'a b' src", "search"),
    ("find . -name '*.py' -exec grep -l x {} \\;", "search"),
    ("find . -name '*.py' -delete", "run"),
    ("git -C /w log --oneline | head -5", "list"),
    ("npm test 2>&1 | tail -20", "run"),
    ("cat > a <<'EOF'\nx\nEOF\npython a", "write a, run"),
    ("tee a <<EOF\nx\nEOF\n", "write a"),
    ("cat > a <<'EOF'\nx\n", "run"),
    ("python f.py > a", "run, write? a"),
    ("perl -pi -e 's/a/b/' a", "run"),
    ("(cat a)", "read a"),
    ("rm a", "delete a"),
    ("cd /w && rm -rf 'a b' c/ && ls", "delete /w/a b, delete /w/c, list"),
    ("rm *.py", "run"),
    ("git rm --cached a", "run"),
    ("mv a b", "move a > b"),
    ("cd /p/src && git mv a.py ../b.py", "move /p/src/a.py > /p/b.py"),
    ("git -C /p mv a b", "move /p/a > /p/b"),
    ("mv a $X", "run"),
    ("cp a b", "write? b"),
    ("touch a b", "write? a, write? b"),
    ("mv a ..", "move a > ../a"),
    ("git -C /w checkout -- a", "edit /w/a"),
    ("git -C $X rm a", "run"),
    ("git checkout HEAD", "run"),
    ("cat <<EOF | grep x | tee a\nx\nEOF", "run, write? a"),
    ("sed -i -e 's/a/b/' -e 's/c/d/' a b", "edit a, edit b"),
    ("apply_patch 'x'", "run"),
    ("git checkout src/a.py", "edit src/a.py"),
    ("git restore --staged a", "run"),
    ("cat a > b", "run, write? b"),
    ("make 2>&1 | tee log.txt", "run, write? log.txt"),
    ("make >> log.txt", "run, edit? log.txt"),
    (f"git apply <<'EOF'\n{UNIFIED}EOF", "edit src/a.py, delete b.py, write c.py"),
    ("patch -p1 <<'EOF'\nno patch\nEOF", "run"),
    ("find . -name x | xargs rm", "run"),
    ("cd /w", ""),
    ("echo hi", ""),
    ("cat a # all of it", "read a"),
    ('cat "a', "run"),
    ("sed -ri 's/a/b/' a.py", "edit a.py"),
    ("sed 's/a/b/' a.py --in-place=.bak", "edit a.py"),
    ("sed -i --expression 's/a/b/' --file x.sed a", "run"),
    ("cat b | sed -Ei 's/a/b/' a.py", "run"),
    ("sed -rn '1,5p' a", "read? a"),
    ("sed -n '/x/w out.txt' a.py", "run"),
    ("cat a | sed 's/a/b/;w out.txt'", "run"),
    ("sed -n '$=' a", "read? a"),
    ("awk '{print > \"o.txt\"}' a.txt", "run"),
    ('awk \'/"/{print > "o.txt"}\' a', "run"),
    ("awk '{\"date\" | getline x}' a", "run"),
    ("awk '$3 > 5 || $2 {print $1 \" > \" $2}' a", "run"),
    ("awk -F'|' '{print $1}' a", "list"),
    ("./pvlib/tools.py | cat", "run"),
    ("cat > a <<E\nx\nE\nrm b\nrm c", "write a, delete b, delete c"),
    ("X=1 | cat", "run"),
    # only a shell can tell one part of the line; shells within shells
    ("rm b.py; echo $?", "delete b.py"),
    ('git mv a.py b.py && git commit -m "$(date)"', "move a.py > b.py, run"),
    ("git add a && git commit -m \"$(cat <<'EOF'\nIt's (a\nEOF\n)\" && rm c", "run, run, delete c"),
    ('rm "$(x)" && rm c', "run, delete c"),
    ('cat "a $(x" )', "run"),
    ("cat $(x <<'A'\n)\nA\n) && rm c", "run, delete c"),
    ("cat $(x <<'A'\n)\n) && rm c", "run"),
    ("cd $HOME && rm a.py", "run"),
    ("pushd s && rm a.py && popd && rm a.py", "delete s/a.py, run"),
    ("(cat a && cat b) || cat c", "list, list, list"),
    ("(rm a) | cat", "run"),
    ("(rm a) > b", "run"),
    ("rm a)", "run"),
    ("((rm a))", "run"),
    ("f() { rm a; }", "run"),
    ("cat b | (rm a)", "run"),
    ("{ cd s; cat c; } && cat d", "read s/c, read s/d"),
    ("{ cat c }", "run"),
    ("! cat b.py", "list"),
    ("! rm b.py", "delete b.py"),
    ("! ! cat b", "run"),
    ('bash -lc "sed -i s/a/b/ c.py"', "edit c.py"),
    ("cd s && bash -c 'cd t; rm a' && rm a", "delete s/t/a, delete s/a"),
    ("timeout 5 bash -c 'cat a'", "read a"),
    ("bash -c 'cat a' > b", "run, write? b"),
    ("bash -c 'rm a' | cat", "run"),
    ("bash -c $X", "run"),
    ("bash -x 'rm a'", "run"),
    ("> e2.txt", "write e2.txt"),
    (": >> e2.txt", "edit e2.txt"),
    ("> $X", "run"),
    ("echo hi >| f", "write f"),
    ("cat < in.txt", "read in.txt"),
    ("head -5 < in.txt > o", "run, write? o"),
    ("sed -n 1,5p <in.txt | head -2", "read? in.txt"),
    ("grep x < a", "search"),
    ("head -n 5 a.py", "read? a.py"),
    ("tail --lines 3 -q a.py b.py", "read? a.py, read? b.py"),
    ("nl -b a a.py", "read a.py"),
    ("bat -p a.py", "read a.py"),
    ("cat a.py b.py | head", "list"),
    ("patch < a.diff", "run"),
    ("apply_patch '*** Begin Patch\n*** Delete File: a\n*** End Patch'", "delete a"),
    ("apply_patch '*** Begin Patch\n*** Delete File: a\n*** End Patch' b", "run"),
    ("mv -S x a b", "move a > b"),
    ("rm -r -- -a -b", "delete -a, delete -b"),
    ("git restore -s HEAD a b", "edit a, edit b"),
    ("git checkout v1.0", "run"),
    ("git checkout main", "run"),
    ("git checkout a.longer", "run"),
    ("git checkout -- main", "edit main"),
    ("mv a b c/", "move a > c/a, move b > c/b"),
    ("cp a .", "write? a"),
    ("cat < $X", "list"),
    ("cat <<< x", "run"),
    ("cat < <(rm x)", "run"),
    ("python < f.py", "run"),
    ('cat >> a.py << "END OF"\nx\nEND OF\nrm b', "edit a.py, delete b"),
    ("cat > a <<\\EOF\nx\nEOF\nrm b", "write a, delete b"),
    ("cat > a <<E$X\nx\nE$X\nrm b", "run"),
    ("mv -tlib a", "run"),
    ("mv -- -t a", "move -t > a"),
    ("grep -n foo a.py b.py", "search"),
    ("grep -A 3 -e foo a.py -- -b", "search"),
    ("echo ${X:-1} $'a\\'b' && rm a", "delete a"),
]


@pytest.mark.parametrize(("command", "expected"), SHELL)
def test_the_effects_of_a_command_line(command: str, expected: str) -> None:
    assert shown(tool_call("bash", {"command": command})) == expected


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
    for effect in tool_call("bash", {"command": line}).effects:
        assert effect.kind in ("run", "list", "search") or effect.path or not effect.whole
