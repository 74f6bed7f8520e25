"""What is published, by name: the distribution, the packages for Node, the crate. All texts name them so."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import ctxmgr

ROOT = Path(__file__).parents[2]
HOSTS = ROOT / "protocol" / "hosts"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
STUDY_FILE = ROOT / "ctxmgr" / "study" / "pyproject.toml"
STUDY: dict[str, Any] = tomllib.loads(STUDY_FILE.read_text(encoding="utf-8"))["project"]
CRATE: dict[str, Any] = tomllib.loads((HOSTS / "rust" / "Cargo.toml").read_text(encoding="utf-8"))["package"]
NODE: dict[str, dict[str, Any]] = {
    name: json.loads((HOSTS / name / "package.json").read_text(encoding="utf-8")) for name in ("typescript", "pi")
}
TEXTS = [
    path
    for folder in ("ctxmgr", "docs", "protocol", "scripts", "tests", ".")
    for path in ((ROOT / folder).rglob("*") if folder != "." else ROOT.glob("*"))
    if path.suffix in (".py", ".md", ".ts", ".rs", ".toml") and not {"node_modules", "dist"} & set(path.parts)
]
EXTRA = re.compile(r"ctxmgr(?:-sidecar)?\[([\w,]+)\]")
INSTALLED = re.compile(r"""(?:pip install|uvx --from|uv add)\s+['"]?(ctxmgr[\w-]*)""")


def test_what_is_published_is_named_so() -> None:
    assert (PROJECT["name"], STUDY["name"]) == ("ctxmgr-sidecar", "ctxmgr-study")
    assert PROJECT["scripts"] == {"ctxmgr": "ctxmgr.cli:main"}
    assert {name: package["name"] for name, package in NODE.items()} == {
        "typescript": "ctxmgr-client",
        "pi": "ctxmgr-pi",
    }
    assert CRATE["name"] == "ctxmgr-client"


def test_all_of_it_has_one_version_and_one_licence() -> None:
    published = [PROJECT, STUDY, CRATE, *NODE.values()]
    assert {one["version"] for one in published} == {ctxmgr.__version__}
    assert {one["license"] for one in published} == {"MIT"}
    licence = (ROOT / "LICENSE").read_bytes()
    assert [(HOSTS / name / "LICENSE").read_bytes() for name in ("typescript", "pi", "rust")] == [licence] * 3


def test_the_two_distributions_ask_for_each_other_at_one_version() -> None:
    version, extras = ctxmgr.__version__, PROJECT["optional-dependencies"]
    assert f"ctxmgr-sidecar=={version}" in STUDY["dependencies"]
    assert (extras["study"], extras["corpus"]) == (
        [f"ctxmgr-study=={version}"],
        [f"ctxmgr-study[corpus]=={version}"],
    )
    assert not [one for one in extras["test"] if one.startswith("ctxmgr")]  # no index has what is worked on
    brought = [one for one in STUDY["dependencies"] if not one.startswith("ctxmgr")]
    assert {*brought, *STUDY["optional-dependencies"]["corpus"]} <= set(extras["test"])


def test_texts_that_say_what_to_install_name_what_is_published() -> None:
    named = {found for path in TEXTS for found in INSTALLED.findall(path.read_text(encoding="utf-8"))}
    assert named == {"ctxmgr-sidecar"}


def test_extras_that_texts_name_are_there() -> None:
    texts = (path.read_text(encoding="utf-8") for path in TEXTS)
    named = {extra for text in texts for found in EXTRA.findall(text) for extra in found.split(",")}
    assert named >= {"endpoint", "embeddings", "study"}
    assert named <= set(PROJECT["optional-dependencies"])


@pytest.mark.parametrize("name", sorted(NODE))
def test_packages_for_node_are_built_when_they_are_packed_and_hold_no_test(name: str) -> None:
    assert NODE[name]["scripts"]["prepack"].endswith("&& tsc")
    assert not any("test" in file for file in NODE[name]["files"])


def test_the_crate_installs_no_program_and_holds_no_test() -> None:
    manifest = tomllib.loads((HOSTS / "rust" / "Cargo.toml").read_text(encoding="utf-8"))
    assert "bin" not in manifest
    assert not (HOSTS / "rust" / "src" / "main.rs").exists()
    assert not any("test" in path or "bad" in path for path in CRATE["include"])


def test_classifiers_say_what_the_table_of_platforms_says() -> None:
    table = (ROOT / "docs" / "guide" / "install.md").read_text(encoding="utf-8").partition("## Platforms")[2]
    tested = re.findall(r"\| Python (3\.\d+) \| all tests", table)
    versions = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if "Python :: 3." in one]
    assert tested == versions != []
    assert [one for one in PROJECT["classifiers"] if "Operating System" in one] == [
        "Operating System :: POSIX :: Linux"
    ]
