"""Unwraps a command that runs another (`timeout 60 X`, `uv run X`, `docker exec box X`).

Rules:

1. A row is a program with its subcommand, its options that take a value, and the number of words before the
   command. Without a command behind it, it stands for itself.
2. `python -m NAME` is NAME, whatever the interpreter's name.
3. `test` behind a script runner (`pdm run test`) is a script of the project, not the shell's builtin.
4. A shell with a script argument (`bash -lc`, `ssh host`) runs that line.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import structs

from ctxmgr.engine.tools.shell.words import ShellCommand, Word, name_of, pipelines_of, variable_set

VERSION = "0123456789."  # characters of a version behind an interpreter's name

MOST_WRAPPERS = 8  # around one command
MOST_SHELLS = 3  # within shells


class _Row(msgspec.Struct, frozen=True, gc=False):
    """`valued`: options that take a value. `leading`: words before the command. `marked`: what precedes it."""

    valued: frozenset[str]
    leading: int = 0
    marked: str = ""


_IN_CONTAINER = "-e --env -u --user -w --workdir --env-file"
_OF_IMAGE = f"{_IN_CONTAINER} -v --volume -p --publish --name --network --entrypoint --mount --platform -m --memory"
_ROWS = {
    tuple(names.split()): _Row(frozenset(valued.split()), before, marked)
    for text, valued, before, marked in (
        ("env", "-u --unset -C --chdir", 0, ""),
        ("sudo | doas", "-u --user -g --group -C -h -p", 0, ""),
        ("time", "-f --format -o --output", 0, ""),
        ("command | builtin | exec | nohup | setsid | unbuffer | chronic | caffeinate", "", 0, ""),
        ("nice", "-n --adjustment", 0, ""),
        ("ionice", "-c -n --class --classdata", 0, ""),
        ("stdbuf", "-o -e -i", 0, ""),
        ("xvfb-run", "-s --server-args -n", 0, ""),
        ("timeout | gtimeout", "-k --kill-after -s --signal", 1, ""),
        ("xargs", "-n -P -I -L -d -a -E -s --max-args --max-procs --replace --delimiter --arg-file", 0, ""),
        ("uv run", "--with --extra --group -p --python --project --directory --package --env-file", 0, ""),
        ("uvx | uv tool run | pipx run", "--from --with -p --python --spec", 0, ""),
        ("poetry run | pdm run | pipenv run | hatch run | rye run | pixi run | asdf exec | rbenv exec", "", 0, ""),
        ("conda run | mamba run | micromamba run", "-n --name -p --prefix --cwd", 0, ""),
        ("coverage run", "--source --omit --include --rcfile --data-file --concurrency", 0, ""),
        ("npx | bunx | npm exec | pnpm exec | pnpm dlx", "-p --package -w --workspace", 0, ""),
        ("yarn exec | yarn dlx", "-p --package", 0, ""),
        ("bundle exec", "", 0, ""),
        ("mise exec | mise x | doppler run | op run | dotenv", "-e -f", 0, "--"),
        ("nix develop | nix shell", "", 0, "-c"),
        ("direnv exec", "", 1, ""),
        ("docker exec | podman exec", _IN_CONTAINER, 1, ""),
        ("docker run | podman run", _OF_IMAGE, 1, ""),
        ("docker compose exec | docker-compose exec | podman compose exec", f"{_IN_CONTAINER} --index", 1, ""),
        ("docker compose run | docker-compose run | podman compose run", _OF_IMAGE, 1, ""),
        ("kubectl exec", "-n --namespace -c --container --context", 0, "--"),
    )
    for names in text.split(" | ")
}
_OF_SCRIPTS = frozenset(("uv", "poetry", "pdm", "pipenv", "hatch", "rye", "pixi"))
_GLOBAL = {
    name: frozenset(options.split())
    for names, options in (
        ("git", "-C -c --git-dir --work-tree"),
        ("make gmake", "-C -f -I -o -W --directory --file"),
        ("npm", "--prefix -w --workspace -C"),
        ("pnpm", "-C --dir --filter -F"),
        ("yarn", "--cwd"),
        ("cargo", "--config -Z --color -C --manifest-path -p --package"),
        ("go", "-C"),
        ("docker podman", "-H --host --context --config"),
        ("compose docker-compose", "-f --file -p --project-name --profile --env-file --project-directory"),
        ("kubectl helm", "-n --namespace --context --kube-context --kubeconfig -s --server"),
        ("gh", "-R --repo"),
        ("uv", "--directory --project --config-file"),
        ("poetry", "-C --directory -P --project"),
        (
            "gradle gradlew",
            "-p --project-dir -b -c -I --init-script -x --exclude-task --tests --console --max-workers",
        ),
        ("mvn mvnw", "-f --file -pl -s -P -T -l --log-file -rf"),
        ("ant", "-f -file -buildfile -l -logfile -lib -logger -listener"),
        ("just", "-f -d --justfile --working-directory"),
        ("task", "-d -t --dir --taskfile"),
        ("mise", "-C --cd -E --env"),
        ("aws", "--profile --region --output"),
    )
    for name in names.split()
}
_PYTHONS = ("python", "pypy", "py", "")  # "": a line that begins with its options
_SSH_VALUED = frozenset(("-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-E", "-S", "-W"))
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh", "fish", "su"))


def unwrapped_words(words: Sequence[Word]) -> list[str]:
    """A program, and its arguments without options and the values of options before its subcommand."""
    name = (words[0] or "").rpartition("/")[2] if words else ""
    plain, index = [name], 1
    while index < len(words):
        word = words[index] or ""
        index += 2 if word in _GLOBAL.get(plain[-1], ()) or word in _GLOBAL.get(name, ()) else 1
        passed = word.startswith(("-", "+")) or (name in ("make", "gmake") and ("=" in word or word.isdigit()))
        if word and not passed:
            plain.append(word)
    return plain


def unwrapped(command: ShellCommand) -> ShellCommand:
    """The command that is finally run."""
    words = command.words
    for _ in range(MOST_WRAPPERS):
        inner = _inner(words)
        if inner is None:
            break
        words = inner
    return structs.replace(command, words=words)


def _inner(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """What these words run; None if they are the command itself."""
    if words and words[0] and "=" in words[0]:
        return words[1:]
    name = (words[0] or "").rpartition("/")[2] if words else ""
    if words and name.rstrip(VERSION) in _PYTHONS:
        index = 1
        while index < len(words) and (words[index] or "").startswith("-") and words[index] != "-m":
            index += 2 if words[index] in ("-W", "-X") else 1
        return words[index + 1 :] or None if words[index : index + 1] == ("-m",) else None
    for depth in (3, 2, 1):
        places = _places(words, depth)
        key = (name, *(words[index] or "" for index in places[1:]))
        if len(places) == depth and (row := _ROWS.get(key)) is not None:
            inner = _behind(words, places[-1] + 1, row)
            return None if inner and inner[0] == "test" and name in _OF_SCRIPTS else _unversioned(inner)
    return None


def _places(words: Sequence[Word], depth: int) -> list[int]:
    """The positions of the first words that are a program and its subcommands."""
    places, index = [0], 1
    while len(places) < depth and index < len(words):
        word = words[index] or ""
        before = (words[places[-1]] or "").rpartition("/")[2]
        if word.startswith("-"):
            index += 2 if word in _GLOBAL.get(before, ()) else 1
        else:
            places.append(index)
            index += 1
    return places


def _behind(words: tuple[Word, ...], index: int, row: _Row) -> tuple[Word, ...] | None:
    if row.marked:
        rest = words[index:]
        return rest[rest.index(row.marked) + 1 :] or None if row.marked in rest else None
    left = row.leading
    while index < len(words):
        word = words[index] or ""
        if word in ("-v", "-V") and words[0] == "command":
            return None
        if word == "--":
            index += 1
            continue
        if word == "-m" and words[0] in ("uv", "coverage"):
            return words[index + 1 :] or None
        if word.startswith("-") and word != "-":
            index += 2 if word in row.valued else 1
        elif variable_set(word):
            index += 1
        elif left:
            left, index = left - 1, index + 1
        else:
            return words[index:]
    return None


def _unversioned(words: tuple[Word, ...] | None) -> tuple[Word, ...] | None:
    """`vitest@3 run` without the version."""
    name, _, version = ((words[0] or "") if words else "").rpartition("@")
    return (name, *words[1:]) if words and name and version else words


def handed_line(command: ShellCommand) -> str | None:
    """The command line that a command passes to a shell; None for none, or an unknown one."""
    name, words = name_of(command), command.words[1:]
    if name == "eval" and words and None not in words:
        return " ".join(word or "" for word in words)
    if name == "ssh":
        start = 0
        while start < len(words) and (words[start] or "").startswith("-"):
            start += 2 if words[start] in _SSH_VALUED else 1
        return " ".join(word or "$_" for word in words[start + 1 :]) or None
    for index, word in enumerate(words if name in _SHELLS else ()):
        if word is None:
            return None
        if word.startswith("-") and not word.startswith("--") and "c" in word:
            return words[index + 1] if index + 1 < len(words) else None
    return None


def commands_run(line: str, depth: int = 0) -> Iterator[ShellCommand]:
    """The commands that a line finally runs, in order, also in the shells that it passes lines to. `depth`: how
    many other shells contain it.
    """
    for pipeline in pipelines_of(line) if depth <= MOST_SHELLS else ():
        for command in map(unwrapped, pipeline.commands):
            handed = handed_line(command)
            if handed is not None:
                yield from commands_run(handed, depth + 1)
            else:
                yield command
