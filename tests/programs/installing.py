"""Fetches the programs that people run, and says where they are: by npm, pinned by version and hash, into a cache
outside the tree (`ctxmgr-programs` in the user's cache directory).

`python -m tests.programs.installing` fetches what is missing. Tests fetch nothing: they skip aloud where a program
is missing, or fail where skips are not allowed. Beside each pinned program stands the newest one (`newest`), whose
pins are in `newest.json`; with `--raise` they become what the registry serves now.
"""

import base64
import hashlib
import json
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import platformdirs

from tests import needs

NEWEST = Path(__file__).with_name("newest.json")
CACHE = platformdirs.user_cache_path("ctxmgr-programs")
FETCH_SECONDS = 900  # 170 MB each
CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class Program:
    """`package` and `version` as npm has them, `integrity` of its tarball; `executable` is a path in that.
    `script`: what Node runs, where no file has the program's name: the executable is a link to it. `tag`: the
    package that says which version people are given, and `build` what its name has behind that here."""

    name: str
    package: str
    version: str
    integrity: str
    executable: str
    script: str = ""
    tag: str = ""
    build: str = ""

    @property
    def folder(self) -> Path:
        return CACHE / f"{self.name}-{self.version}"

    @property
    def path(self) -> Path:
        return self.folder / "package" / self.executable


CLAUDE = Program(
    "claude",
    "@anthropic-ai/claude-code-linux-x64",
    "2.1.330",
    "sha512-9Gn+V7DtJ8M1nztP9CeDVl9g3RtrepI7rOFTyPRRnZe8D6zebIHKmC7OvBauucuAP0X0k85SDN/LPVZyjsGezQ==",
    "claude",
    tag="@anthropic-ai/claude-code",
)
CODEX = Program(
    "codex",
    "@openai/codex",
    "0.169.0-linux-x64",
    "sha512-o05NyAOCDygSPRo1yinzxvkRSdmsZyBD9E7mbpmjRanSfM8lypqWtQgEo4XfNkwhuCR2aFu8mlGOsQGFXVbVww==",
    "vendor/x86_64-unknown-linux-musl/bin/codex",
    build="-linux-x64",
)
GEMINI = Program(
    "gemini",
    "@google/gemini-cli",
    "0.61.0",
    "sha512-dbQ9A0qBtFJNi6XBkHvfZ6Azpn6PNgH/P8h2MZ67RLlX8hSAVjup39CRWqdRxZv7YXIuhrFaytr8y0jKnkoxnQ==",
    "gemini",
    "bundle/gemini.js",
)
OPENCODE = Program(
    "opencode",
    "opencode-linux-x64",
    "1.18.33",
    "sha512-q/t/3p2CTxOT9y2kvjesb/LZab2+1eqlhhWA02Be6mjTtmYtNBcBsrI5yDo4Fw7ZSPBW2oyMIGMNRqiKQjiAWw==",
    "bin/opencode",
    tag="opencode-ai",
)
COPILOT = Program(
    "copilot",
    "@github/copilot-linux-x64",
    "1.0.102",
    "sha512-eGHPbsP0p2QgfVZCjtbGBFZPBOJQ0DN7xIbBRAo7oG8b1zfLirQIdfI4h8Iy68Dv2cKJGJZg2/EO7W7KpIMJOw==",
    "copilot",
    tag="@github/copilot",
)
PROGRAMS = (CLAUDE, CODEX, GEMINI, OPENCODE, COPILOT)


def newest(program: Program) -> Program:
    """The newest of its kind that tests know."""
    pins: dict[str, dict[str, str]] = json.loads(NEWEST.read_text("utf-8"))
    return replace(program, **pins[program.name])


def raise_pins() -> None:
    """Raises OSError or CalledProcessError."""
    pins = {}
    for program in PROGRAMS:
        version = _told(program.tag or program.package, "dist-tags.latest") + program.build
        pins[program.name] = {
            "version": version,
            "integrity": _told(f"{program.package}@{version}", "dist.integrity"),
        }
    NEWEST.write_text(json.dumps(pins, indent=1) + "\n", "utf-8")


def _told(package: str, field: str) -> str:
    """By the registry."""
    command = [_npm(), "view", package, field]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=FETCH_SECONDS).stdout.strip()


def _npm() -> str:
    npm = shutil.which("npm")
    if npm is None:
        raise OSError("npm is not installed")
    return npm


def installed(program: Program) -> Path:
    """The program's path, for a test."""
    if not program.path.exists():
        needs.missing(f"{program.name} {program.version} is not at {program.path}: scripts/programs fetches it")
    return program.path


def fetch(program: Program) -> None:
    """Puts it into the cache, all of it or nothing. Raises OSError, CalledProcessError or ValueError."""
    if program.path.exists():
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as temporary:
        place = Path(temporary)
        wanted = f"{program.package}@{program.version}"
        command = [_npm(), "pack", "--silent", "--pack-destination", str(place), wanted]
        subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL, timeout=FETCH_SECONDS)
        (packed,) = place.glob("*.tgz")
        if integrity(packed) != program.integrity:
            raise ValueError(f"{wanted} has the hash {integrity(packed)}, not {program.integrity}")
        with tarfile.open(packed) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # since 3.11.4
            archive.extractall(place / "unpacked")
        if program.script:
            (place / "unpacked" / "package" / program.executable).symlink_to(program.script)
        if not program.folder.exists():
            (place / "unpacked").rename(program.folder)


def integrity(path: Path) -> str:
    """The hash of a file, as npm writes it."""
    digest = hashlib.sha512()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return f"sha512-{base64.b64encode(digest.digest()).decode()}"


def main() -> int:
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        print("the programs are of Linux on x86-64: nothing is fetched", file=sys.stderr)
        return 1
    try:
        if "--raise" in sys.argv[1:]:
            raise_pins()
        programs = dict.fromkeys([*PROGRAMS, *map(newest, PROGRAMS)])
        with ThreadPoolExecutor() as threads:
            list(threads.map(fetch, programs))
    except (OSError, subprocess.SubprocessError, ValueError) as fault:
        print(f"the programs could not be fetched: {fault}", file=sys.stderr)
        return 1
    for program in programs:
        print(f"{program.name} {program.version}: {program.path}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
