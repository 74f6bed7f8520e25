"""Where a vocabulary is looked for, and what counts as one."""

import hashlib
import zlib
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.devices import tokens
from ctxmgr.devices.tokens import (
    CL100K_BASE,
    O200K_BASE,
    PACKAGED,
    Vocabulary,
    find,
    packed_name,
    parse,
    read_packed,
    unpack,
)
from tests.unit.devices.vocabulary_forms import pack, restore

TOY_RANKS = {b"a": 0, b"b": 1, b" ": 2, b"ab": 3, b" ab": 4}
TOY_ORIGINAL = b"YQ== 0\nYg== 1\nIA== 2\nYWI= 3\nIGFi 4\n"
TOY = Vocabulary(
    name="toy",
    sha256=hashlib.sha256(TOY_ORIGINAL).hexdigest(),
    cached_as="0123456789abcdef",
    pattern=r"\S+|\s+",
    packed_sha256=hashlib.sha256(pack(TOY_RANKS)).hexdigest(),
)
UNPACKAGED = msgspec.structs.replace(TOY, packed_sha256="")
WRONG = TOY_ORIGINAL.replace(b"4", b"5")


class Places:
    """The three places a vocabulary may lie in, all empty: a path, a cache folder, the package's folder."""

    def __init__(self, root: Path) -> None:
        self.path = root / "mine.tiktoken"
        self.cache = root / "cache"
        self.cached = self.cache / TOY.cached_as
        self.package = root / "package"
        self.packaged = self.package / packed_name(TOY)
        self.cache.mkdir()
        self.package.mkdir()


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    made = Places(tmp_path)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(made.cache))
    monkeypatch.setattr(tokens, "PACKAGED", made.package)
    return made


def test_the_path_comes_before_the_cache(places: Places) -> None:
    places.path.write_bytes(TOY_ORIGINAL)
    places.cached.write_bytes(WRONG)
    found = find(TOY, str(places.path))
    assert found.ranks == TOY_RANKS
    assert found.skipped == ()  # the cache was not looked at


def test_without_a_cache_folder_the_working_directory_is_not_searched(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    monkeypatch.chdir(places.cache)
    places.cached.write_bytes(TOY_ORIGINAL)
    assert find(UNPACKAGED).ranks is None


def test_wrong_files_are_passed_over_said_and_left(places: Places) -> None:
    places.path.write_bytes(WRONG)
    places.cached.write_bytes(WRONG)
    places.packaged.write_bytes(zlib.compress(pack(TOY_RANKS)))
    found = find(TOY, str(places.path))
    assert found.ranks == TOY_RANKS
    assert [line.split(" ")[0] for line in found.skipped] == [str(places.path), str(places.cached)]
    assert all("has another SHA-256" in line for line in found.skipped)
    assert places.path.read_bytes() == places.cached.read_bytes() == WRONG


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "has another SHA-256"),
        (b"not compressed at all", "is not zlib"),
        (zlib.compress(pack({b"a": 0})), "has another SHA-256"),
        (zlib.compress(pack(TOY_RANKS))[:-8], "has another SHA-256"),
    ],
)
def test_a_broken_copy_in_the_package(places: Places, content: bytes, reason: str) -> None:
    places.packaged.write_bytes(content)
    found = find(TOY)
    assert found.ranks is None
    assert reason in found.skipped[-1]


@pytest.mark.usefixtures("places")
def test_paths_that_are_no_files_neither_raise_nor_block() -> None:
    for path in ("/", "/dev/zero", "\0", "x" * 5_000, "\ud800", "no/such/folder/file"):
        outcome = find(UNPACKAGED, path)
        assert outcome.ranks is None
        assert len(outcome.skipped) == 1, path[:9]


def test_a_file_too_large_is_not_read_whole(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "FILE_BYTES", 10)
    places.path.write_bytes(TOY_ORIGINAL)
    assert "too large" in find(UNPACKAGED, str(places.path)).skipped[0]


@given(st.lists(st.binary(min_size=1, max_size=255), unique=True))
def test_packing_and_restoring_lose_nothing(tokens: list[bytes]) -> None:
    ranks = {token: rank for rank, token in enumerate(tokens)}
    assert list(unpack(pack(ranks)).items()) == list(ranks.items())
    assert parse(restore(ranks)) == ranks


def test_the_packaged_copy_gives_the_original_back() -> None:
    packed = read_packed(PACKAGED / packed_name(O200K_BASE), O200K_BASE)
    assert hashlib.sha256(restore(unpack(packed))).hexdigest() == O200K_BASE.sha256


@pytest.mark.parametrize("known", [O200K_BASE, CL100K_BASE], ids=lambda known: known.name)
def test_what_is_known_is_what_tiktoken_says(known: Vocabulary, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def downloaded(address: str, expected_hash: str) -> dict[bytes, int]:
        asked.append((address, expected_hash))
        return {}

    source = import_module("tiktoken_ext.openai_public")
    monkeypatch.setattr(source, "load_tiktoken_bpe", downloaded)
    theirs: dict[str, Any] = getattr(source, known.name)()
    ((address, sha256),) = asked
    assert theirs["pat_str"] == known.pattern
    assert sha256 == known.sha256
    assert hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest() == known.cached_as
