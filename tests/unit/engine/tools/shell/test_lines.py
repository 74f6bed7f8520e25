"""What a shell's line is read as: its pipelines, what a command runs in the end, what its status says, and what
each program is for. A line stands beside what is read from it."""

import pytest

from ctxmgr.engine.tools.shell import subjects_of
from ctxmgr.engine.tools.shell.files import sed_call
from ctxmgr.engine.tools.shell.lines import WHOLE, status_of
from ctxmgr.engine.tools.shell.programs import (
    answers_by_one,
    check_kind,
    is_check,
    is_dry,
    is_formatter,
    is_look,
    runs_project_check,
    subject_of,
)
from ctxmgr.engine.tools.shell.words import Pipeline, ShellCommand, parse, pipelines_of
from ctxmgr.engine.tools.shell.wrappers import handed_line, unwrapped


def command(line: str) -> ShellCommand:
    """The first of a line."""
    pipelines = parse(line)
    assert pipelines
    return pipelines[0].commands[0]


# line, of each pipeline: the words of its commands, whether it is sure, subshells that open and close, what follows
Read = tuple[list[tuple[str | None, ...]], bool, int, int, str]
PIPELINES: list[tuple[str, list[Read] | None]] = [
    ("a b|c", [([("a", "b"), ("c",)], True, 0, 0, "")]),
    (
        "a |& b && c || d; e\nf",
        [
            ([("a",), ("b",)], True, 0, 0, "&&"),
            ([("c",)], False, 0, 0, "||"),
            ([("d",)], False, 0, 0, ";"),
            ([("e",)], True, 0, 0, "\n"),
            ([("f",)], True, 0, 0, ""),
        ],
    ),
    ("(a; b) && c", [([("a",)], True, 1, 0, ";"), ([("b",)], True, 0, 1, "&&"), ([("c",)], True, 0, 0, "")]),
    ("((a", None),
    ("{ a; }; b", [([("a",)], True, 0, 0, ";"), ([("b",)], True, 0, 0, "")]),
    (
        "( (a) ; b ) || c",
        [([("a",)], False, 2, 1, ";"), ([("b",)], False, 0, 1, "||"), ([("c",)], False, 0, 0, "")],
    ),
    (
        "a || (b && c) && d",
        [
            ([("a",)], False, 0, 0, "||"),
            ([("b",)], False, 1, 0, "&&"),
            ([("c",)], False, 0, 1, "&&"),
            ([("d",)], True, 0, 0, ""),
        ],
    ),
    ("! a | b", [([("a",), ("b",)], False, 0, 0, "")]),
    ('a \'b c\' "d\\"e" f\\ g', [([("a", "b c", 'd"e', "f g")], True, 0, 0, "")]),
    ("a $x *.py \"$y\" '$z' x$y", [([("a", None, None, None, "$z", None)], True, 0, 0, "")]),
    ("A=1 B=$x c D=$y", [([("A=1", "B=", "c", None)], True, 0, 0, "")]),
    ("a > f 2>&1 >> g 2> h &> i", [([("a",)], True, 0, 0, "")]),
    ("a 2>> h < i", [([("a",)], True, 0, 0, "")]),
    ("cat <<'E' > o\nx\nE\nb", [([("cat",)], True, 0, 0, "\n"), ([("b",)], True, 0, 0, "")]),
    ("cat <<-E | b\n\tx\n\tE\nc", [([("cat",), ("b",)], True, 0, 0, "\n"), ([("c",)], True, 0, 0, "")]),
    ("cat <<A <<B\n1\nA\n2\nB\nd", [([("cat",)], True, 0, 0, "\n"), ([("d",)], True, 0, 0, "")]),
    ("a # c\nb", [([("a",)], True, 0, 0, "\n"), ([("b",)], True, 0, 0, "")]),
    ("a#b", [([("a#b",)], True, 0, 0, "")]),
    ('a $(b) `c` "$(d)"', [([("a", None, None, None)], True, 0, 0, "")]),
    ("if a; then b; fi", None),
    ("[ -f a ] && b", [([("[", "-f", "a", "]")], True, 0, 0, "&&"), ([("b",)], True, 0, 0, "")]),
    ("a &", None),
    ("a\\\nb", [([("a", "b")], True, 0, 0, "")]),
    ("a {b,c}", [([("a", None)], True, 0, 0, "")]),
    ('"a\\\nb"', [([("ab",)], True, 0, 0, "")]),
    ("x=1", [([("x=1",)], True, 0, 0, "")]),
    ("", []),
    ("  ", []),
    ("a;;b", [([("a",)], True, 0, 0, ";"), ([("b",)], True, 0, 0, "")]),
    ("a ;", [([("a",)], True, 0, 0, ";")]),
    ("{ a", None),
    ("a }", [([("a", None)], True, 0, 0, "")]),
    ("( )", None),
    ("${x:-1} $? $'a'", [([(None, None, None)], True, 0, 0, "")]),
]


def shown(pipeline: Pipeline) -> Read:
    words = [one.words for one in pipeline.commands]
    return words, pipeline.sure, pipeline.opens, pipeline.closes, pipeline.then


@pytest.mark.parametrize(("line", "expected"), PIPELINES)
def test_pipelines(line: str, expected: list[Read] | None) -> None:
    pipelines = parse(line)
    assert (None if pipelines is None else list(map(shown, pipelines))) == expected


def test_of_a_line_that_is_not_understood_its_parts_are_read() -> None:
    assert [(one.commands[0].words, one.sure) for one in pipelines_of("for x in a; do rm b; done && ls & c")] == [
        (("rm", "b"), False),
        (("ls",), False),
        (("c",), False),
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a > f 2>&1 >> g 2> h &> i", ShellCommand(("a",), ((">", "f"), (">>", "g"), (">", "i")), None, "")),
        ("a 2>> h < i", ShellCommand(("a",), (), None, "i")),
        ("cat <<'E' > o\nx\nE\nb", ShellCommand(("cat",), ((">", "o"),), "x\n", "")),
        ("cat <<-E | b\n\tx\n\tE\nc", ShellCommand(("cat",), (), "\tx\n", "")),
        ("cat <<A <<B\n1\nA\n2\nB\nd", ShellCommand(("cat",), (), "2\n", "")),
    ],
)
def test_what_a_command_is_given_and_where_it_sends_what_it_prints(line: str, expected: ShellCommand) -> None:
    assert command(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"), [("a $(b)", True), ("a `b`", True), ('a "$(b)"', True), ("a $b", False)]
)
def test_what_runs_others_in_its_words(line: str, expected: bool) -> None:
    pipelines = parse(line)
    assert pipelines
    assert pipelines[0].substitutes is expected


WRAPPERS = """
env -u A -C d | env A=1 B+=2 | sudo -u me -g us | doas -u me | time -f x | nohup | exec | command | builtin
nice -n 5 | ionice -c 2 -n 7 | stdbuf -o L | xvfb-run -s x -a | timeout -k 5 60 | gtimeout 60
xargs -n 1 -I {} | uv run --with x -p 3 | uv run -m | uv --directory d run | uvx --from x | uv tool run -p 3
pipx run --spec x | poetry run | poetry -C d run | pdm run | conda run -n e | coverage run --source s -m
coverage run -m | npx -p x | npx --yes | npm exec -w x | npm --prefix d exec | pnpm dlx
yarn --cwd d exec -p x | bundle exec | mise exec node@20 -- | doppler run -p x -- | nix develop .#x -c
direnv exec . | docker exec -it -e A=1 -w /w box | docker -H h exec box
docker run --rm -v a:b --name n image | docker compose -f a.yml exec -u me web | docker-compose run --rm web
podman exec box | kubectl -n s exec pod -c web -- | python3.11 -m | python -W error -X dev -m | A=1 | env --
sudo env A=1 timeout 5
"""


@pytest.mark.parametrize("wrapper", WRAPPERS.strip().replace("\n", " | ").split(" | "))
def test_what_a_wrapper_runs(wrapper: str) -> None:
    assert unwrapped(command(f"{wrapper} pytest -q")).words == ("pytest", "-q")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("command -v ls", "command -v ls"),
        ("uv run test", "uv run test"),
        ("poetry run test x", "poetry run test x"),
        ("python a.py", "python a.py"),
        ("python -m", "python -m"),
        ("timeout 5", "timeout 5"),
        ("npx vitest@3 run", "vitest run"),
        ("env", "env"),
        ("python -", "python -"),
        ("docker exec box", "docker exec box"),
        ("mise exec node", "mise exec node"),
        ("xargs", "xargs"),
        ("time -", "-"),
        ("npx @scope/x y", "@scope/x y"),
        ("npx tool@", "tool@"),
        ("nice nice nice nice nice nice nice nice ls", "ls"),
        ("nice nice nice nice nice nice nice nice nice ls", "nice ls"),
        ("docker run image", "docker run image"),
        ("kubectl exec pod", "kubectl exec pod"),
    ],
)
def test_what_is_no_wrapper_or_wraps_nothing(line: str, expected: str) -> None:
    assert " ".join(word or "" for word in unwrapped(command(line)).words) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bash -lc 'a b'", "a b"),
        ("bash -c", None),
        ("sh -x -c a", "a"),
        ("zsh -ec a b", "a"),
        ("bash $x -c a", None),
        ("bash a.sh", None),
        ("su -c a me", "a"),
        ("eval a b", "a b"),
        ("eval", None),
        ("eval $x a", None),
        ("ssh -p 1 h a b", "a b"),
        ("ssh h", None),
        ("ssh -v h a $x", "a $_"),
        ("bash --norc -c a", "a"),
        ("ls -c a", None),
    ],
)
def test_the_line_that_a_shell_is_handed(line: str, expected: str | None) -> None:
    assert handed_line(command(line)) == expected


# what stands behind sed, its files, its scripts, whether it edits in place, is quiet, has unknown options
SED: list[tuple[str, tuple[str | None, ...], tuple[str | None, ...], bool, bool, bool]] = [
    ("-n 1,2p a", ("a",), ("1,2p",), False, True, False),
    ("-i s/a/b/ a b", ("a", "b"), ("s/a/b/",), True, False, False),
    ("-i.bak -e x -ey a", ("a",), ("x", "y"), True, False, False),
    ("-ne p a", ("a",), ("p",), False, True, False),
    ("-E s/a/b/", (), ("s/a/b/",), False, False, False),
    ("-i '' s/x/y/ a", ("a",), ("s/x/y/",), True, False, False),
    ("--in-place=.b --expression=x a", ("a",), ("x",), True, False, False),
    ("--expression x a", ("a",), ("x",), False, False, False),
    ("--quiet p -", ("-",), ("p",), False, True, False),
    ("-f s a", (), (), False, False, True),
    ("--debug p a", (), ("p",), False, False, True),
    ("-nri.bak x a", ("a",), ("x",), True, True, False),
    ("-z p a", ("a",), ("p",), False, False, True),
    ("-s", (), (), False, False, True),
    ("a $x", (None,), ("a",), False, False, False),
    ("-ei a b", ("a", "b"), ("i",), False, False, False),
]


@pytest.mark.parametrize(("line", "files", "scripts", "in_place", "quiet", "is_strange"), SED)
def test_sed(
    line: str,
    files: tuple[str | None, ...],
    scripts: tuple[str | None, ...],
    in_place: bool,
    quiet: bool,
    is_strange: bool,
) -> None:
    call = sed_call(command(f"sed {line}").words[1:])
    assert (call.files, call.scripts) == (files, scripts)
    assert (call.in_place, call.quiet, call.is_strange) == (in_place, quiet, is_strange)


# line, what its status 0 and its status 1 say, what it is about, what it runs but looks, how many lines are shown
# of it, and all that it runs
STATUSES: list[tuple[str, str, str, str, str, int, str]] = [
    ("pytest", "ok", "failed", "check", "pytest", WHOLE, "pytest"),
    ("cd a && pytest -q", "ok", "failed", "check", "pytest", WHOLE, "cd a, pytest"),
    ("pytest; echo done", "unknown", "failed", "check", "pytest", WHOLE, "pytest, echo done"),
    ("pytest || true", "unknown", "failed", "check", "pytest", WHOLE, "pytest, true"),
    ("pytest | tail -5", "unknown", "failed", "check", "pytest", WHOLE, "pytest, tail"),
    ("pytest | head", "unknown", "failed", "check", "pytest", 10, "pytest, head"),
    ("pytest | head -n 3", "unknown", "failed", "check", "pytest", 3, "pytest, head 3"),
    ("pytest | head --lines=4", "unknown", "failed", "check", "pytest", 4, "pytest, head"),
    ("pytest | head -999999999", "unknown", "failed", "check", "pytest", 999_999_999, "pytest, head"),
    ("pytest | head -1000000000", "unknown", "failed", "check", "pytest", 0, "pytest, head"),
    ("pytest | head -c 9", "unknown", "failed", "check", "pytest", 0, "pytest, head 9"),
    ("pytest | tail | head -7 | head -2", "unknown", "failed", "check", "pytest", 2, "pytest, tail, head, head"),
    ("pytest | grep x", "unknown", "unknown", "check", "pytest", 0, "pytest, grep x"),
    ("pytest > f", "ok", "failed", "check", "pytest", 0, "pytest"),
    ("pytest | tee f", "unknown", "failed", "check", "pytest", WHOLE, "pytest, tee f"),
    ("pytest 2>&1 | tail", "unknown", "failed", "check", "pytest", WHOLE, "pytest, tail"),
    ("ls", "ok", "failed", "look", "", 0, "ls"),
    ("ls; pytest", "ok", "failed", "check", "pytest", WHOLE, "ls, pytest"),
    ("grep x a", "ok", "ok", "look", "", 0, "grep x a"),
    ("grep x a && pytest", "ok", "unknown", "check", "pytest", WHOLE, "grep x a, pytest"),
    ("pytest && grep x a", "ok", "unknown", "check", "pytest", WHOLE, "pytest, grep x a"),
    ("grep x a || pytest", "unknown", "unknown", "check", "pytest", WHOLE, "grep x a, pytest"),
    ("pytest; ls", "unknown", "failed", "check", "pytest", WHOLE, "pytest, ls"),
    ("! pytest", "unknown", "failed", "check", "pytest", WHOLE, "pytest"),
    ("bash -c 'pytest | head -3'", "unknown", "failed", "check", "pytest", 3, "pytest, head"),
    ("bash -c 'pytest' | head -2", "unknown", "failed", "check", "pytest", 2, "pytest, head"),
    ("make -n", "ok", "failed", "look", "", 0, "make"),
    ("echo", "ok", "failed", "run", "", 0, "echo"),
    ("", "unknown", "failed", "run", "", 0, ""),
    ("if a; then pytest; fi", "unknown", "failed", "run", "a, pytest", 0, "a, pytest"),
    ("for x in a; do b; done", "unknown", "failed", "run", "b", WHOLE, "b"),
    ("pytest & ls", "unknown", "failed", "run", "pytest", WHOLE, "pytest, ls"),
    ("a && b && c", "ok", "failed", "run", "a, b, c", 0, "a, b, c"),
    ("a || b && c", "unknown", "failed", "run", "a, b, c", 0, "a, b, c"),
    ("a && b; c", "unknown", "failed", "run", "a, b, c", 0, "a, b, c"),
    ("git diff", "ok", "ok", "look", "", 0, "git diff"),
    ("git status", "ok", "failed", "look", "", 0, "git status"),
    ("test -f a", "ok", "ok", "look", "", 0, "test a"),
    ("a; [ -f b ]", "unknown", "unknown", "run", "a", WHOLE, "a, [ b"),
    ("curl x | sh", "unknown", "failed", "run", "curl, sh", 0, "curl, sh"),
    ("sudo pytest | cat", "unknown", "failed", "check", "pytest", WHOLE, "pytest, cat"),
    ("wait; pytest", "ok", "failed", "check", "pytest", WHOLE, "wait, pytest"),
    ("a | b || c", "unknown", "failed", "run", "a, b, c", 0, "a, b, c"),
    ("ls | head -3", "unknown", "failed", "look", "", 0, "ls, head"),
    ("diff a b; pytest", "ok", "failed", "check", "pytest", WHOLE, "diff a, pytest"),
    ('bash -c "bash -c \'bash -c \\"bash -c pytest\\"\'"', "unknown", "failed", "run", "", 0, ""),
]


@pytest.mark.parametrize(("line", "on_zero", "on_one", "about", "subjects", "lines", "every"), STATUSES)
def test_what_a_status_says(
    line: str, on_zero: str, on_one: str, about: str, subjects: str, lines: int, every: str
) -> None:
    found = status_of(line)
    assert (found.on_zero, found.on_one, found.about) == (on_zero, on_one, about)
    assert (", ".join(found.subjects), found.shown_lines) == (subjects, lines)
    assert ", ".join(subjects_of(line)) == every


# line, what it is named by, its kind of check
SUBJECTS: list[tuple[str, str, str]] = [
    ("git -C d merge x", "git merge", ""),
    ("npm run lint", "npm run lint", "lint"),
    ("npm t", "npm test", "test"),
    ("npm run test", "npm test", "test"),
    ("npm run-script lint", "npm run lint", "lint"),
    ("pnpm run lint x", "pnpm lint", "lint"),
    ("yarn test", "yarn test", "test"),
    ("mvn clean test", "mvn test", "test"),
    ("make clean", "make clean", ""),
    ("make -j 4 lint test", "make lint test", "test"),
    ("make a b c d e f g", "make a b c d e f", ""),
    ("python load.py", "python load.py", ""),
    ("python manage.py test", "python manage.py test", "test"),
    ("python3.11 a/b.py", "python b.py", ""),
    ("gh pr view 3", "gh pr view", ""),
    ("gh api x", "gh api", ""),
    ("cargo +nightly test", "cargo test", "test"),
    ("docker compose up web", "docker compose up", ""),
    ("curl http://x", "curl", ""),
    ("ruff format .", "ruff format", ""),
    ("ruff check .", "ruff", "lint"),
    ("ls -l a", "ls a", ""),
    ("just clean", "just clean", ""),
    ("./gradlew :a:test", "gradlew :a:test", "test"),
    ("npx eslint .", "eslint", "lint"),
    ("A=1 pytest", "pytest", "test"),
    ("pytest tests/", "pytest", "test"),
    ("uv run pytest", "pytest", "test"),
    ("ninja -C b", "ninja", "build"),
    ("python", "python", ""),
    ("go vet ./...", "go vet", "lint"),
    ("aws s3 ls", "aws s3 ls", ""),
    ("deno run a", "deno run a", ""),
    ("deno task b", "deno task", ""),
    ("npm", "npm", ""),
    ("npm run", "npm run", ""),
    ("./gradlew clean :app:test", "gradlew :app:test", "test"),
    ("make -j 4 clean test", "make test", "test"),
    ("make -C sub lint test", "make lint test", "test"),
    ("./gradlew lint test --tests Foo -x jar", "gradlew lint test", "test"),
    ("mvn -q clean test package -pl core", "mvn test package", "test"),
    ("cargo clean", "cargo clean", ""),
    ("git clean -fd", "git clean", ""),
    ("pdm run test", "pdm run test", "test"),
    ("hatch run test tests/a.py", "hatch run test", "test"),
    ("uv run pytest -q", "pytest", "test"),
    ("ruff check --fix .", "ruff", "lint"),
]


@pytest.mark.parametrize(("line", "subject", "kind"), SUBJECTS)
def test_what_a_command_is_named_by(line: str, subject: str, kind: str) -> None:
    assert subject_of(unwrapped(command(line))) == subject
    assert subjects_of(line) == (subject,)
    assert check_kind(subject) == kind


KINDS = {
    "test": "pytest; cargo test; npm test; mise run test:e2e; cargo nextest; vitest; pdm run test; hatch "
    "test; mvn test package; python manage.py test; playwright test",
    "lint": "go vet; cargo clippy; ruff; mise run lint-fix; npm check",
    "types": "mypy; tsc; npm typecheck; pnpm type-check",
    "build": "npm build; go build; make; make all; mvn package; mvn test-compile; mvnw verify; gradlew "
    ":app:assemble; vite build",
    "": "ruff format; biome format; npm run format; createdb test; make install; git push; ls;",
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_of_check_that_is_named_so(kind: str) -> None:
    assert {subject: check_kind(subject) for subject in KINDS[kind].split("; ")} == dict.fromkeys(
        KINDS[kind].split("; "), kind
    )


@pytest.mark.parametrize(
    ("subject", "expected"),
    [("npm check", True), ("make check", True), ("npm check x", False), ("go check", False)],
)
def test_the_projects_own_check(subject: str, expected: bool) -> None:
    assert runs_project_check(subject) is expected


@pytest.mark.parametrize(
    ("subject", "expected"), [("gofmt", True), ("cargo fmt", True), ("ruff format", True), ("ruff", False)]
)
def test_what_formats(subject: str, expected: bool) -> None:
    assert is_formatter(subject) is expected


LOOKS = [
    "ls", "git status", "git -C d log", "git branch", "gh pr view", "gh api x", "gh run list", "find . -name x",
    "find . -exec grep x {} +", "fd x", "sort a", "yq .a f", "sed -n p a", "awk '{print}' a",
    "awk -F, '{print}'", "npm --version", "foo --help", "cat a", "xxd a",
]  # fmt: skip
NO_LOOKS = [
    "rm a", "git branch x", "git", "git commit", "gh pr", "gh api -X POST x", "gh api x -f a=b",
    "find . -delete", "find . -exec rm {} +", "find . -exec", "fd -x rm", "sort -o b a", "yq -i .a f",
    "tree -o x", "sed -i x a", "sed 'w f' a", "sed s/a/b/e a", "sed -f x a", 'awk \'{print > "f"}\'',
    "awk -f x", "awk 'system(x)'", "rm --help x",
]  # fmt: skip
CHECKS = [
    "pytest", "ruff check", "prettier --check a", "make test", "python -m pytest",
]  # fmt: skip
NO_CHECKS = [
    "pytest --collect-only", "pytest --fixtures", "make -n test", "ninja -n", "ruff check --fix",
    "prettier --write a", "black a", "eslint --fix", "jest --listTests", "cargo fmt", "npm run format",
    "createdb test",
]  # fmt: skip
ANSWERS = [
    "grep x", "zgrep x", "git diff", "git grep x", "diff a b", "command -v x", "[ -f a ]", "which a", "pgrep a",
    "rg x",
]  # fmt: skip
NO_ANSWERS = [
    "git merge x", "git", "command ls", "ls",
]  # fmt: skip


@pytest.mark.parametrize("line", LOOKS + NO_LOOKS)
def test_what_surely_changes_nothing(line: str) -> None:
    assert is_look(command(line)) is (line in LOOKS)


@pytest.mark.parametrize("line", CHECKS + NO_CHECKS)
def test_what_checks_and_mends_nothing(line: str) -> None:
    assert is_check(command(line)) is (line in CHECKS)


@pytest.mark.parametrize("line", ANSWERS + NO_ANSWERS)
def test_what_answers_by_its_status(line: str) -> None:
    assert answers_by_one(command(line)) is (line in ANSWERS)


@pytest.mark.parametrize("line", ["pytest --collect-only", "make -n test", "ninja -n", "jest --listTests"])
def test_what_only_lists_what_it_would_run(line: str) -> None:
    assert is_dry(command(line))
    assert not is_dry(command("pytest -n 4"))
