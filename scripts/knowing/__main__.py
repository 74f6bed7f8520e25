"""Writes ctxmgr/data/models.json.

    python -m scripts.knowing                    from the newest release of LiteLLM, and what only older ones have
    python -m scripts.knowing 1.80.0 1.109.1     from these releases: rows of the later one win
    python -m scripts.knowing FILE.whl ...       from these wheels; their names tell the release

`pip` downloads the wheels. `--date DAY`: when they were read (default: today).
"""

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path

from scripts.knowing.price_map import Json, rows

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "ctxmgr" / "data" / "models.json"
FACTS = Path(__file__).with_name("facts.toml")
RELEASES = ("1.80.0", "1.109.1")  # the first still has models that were retired since
MEMBER = "litellm/model_prices_and_context_window_backup.json"


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("releases", nargs="*", default=RELEASES, metavar="RELEASE|FILE.whl")
    arguments.add_argument("--date", default=datetime.date.today().isoformat(), metavar="DAY")
    chosen = arguments.parse_args()
    facts = tomllib.loads(FACTS.read_text("utf-8"))
    models: dict[str, Json] = {}
    for release in chosen.releases:
        version, price_map = _map(release)
        models |= rows(price_map, facts, f"LiteLLM {version}", chosen.date)
    for correction in facts["corrections"]:
        for id in correction["ids"]:
            models[id] = _corrected(models[id], correction)
    for family in facts["families"]:
        family |= {"source": _assumed(family, models.values()), "date": chosen.date}
    TARGET.write_text(_text(facts, models), encoding="utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {len(models)} models, {TARGET.stat().st_size:,} bytes")
    return 0


def _corrected(row: Json, correction: Json) -> Json:
    """`reads`: a cache read costs as much as input, for each request."""
    changed = {key: value for key, value in correction.items() if key not in ("ids", "source", "date", "reads")}
    if "reads" in correction:
        changed |= {name: _reading_at_input(row[name]) for name in ("prices", "batch") if name in row}
    members = [*(("cacheRead",) if "reads" in correction else ()), *(key for key in changed if key in correction)]
    later = f", {correction['date']}" if correction["date"] != row["date"] else ""
    return row | changed | {"source": f"{row['source']}; {', '.join(members)}: {correction['source']}{later}"}


def _reading_at_input(prices: Json) -> Json:
    made = prices | {"cacheRead": prices["input"]}
    return made | ({"tiers": [_reading_at_input(tier) for tier in prices["tiers"]]} if "tiers" in prices else {})


def _assumed(family: Json, models: Iterable[Json]) -> str:
    """The window of an unknown model of the family is assumed; says how many of the known models have at least that
    window.
    """
    windows = [model["window"] for model in models if model["family"] == family["name"] and "window" in model]
    as_much = sum(1 for window in windows if window >= family["window"])
    return f"assumed: {as_much} of {len(windows)} models of it that are known take as much"


def _text(facts: Json, models: dict[str, Json]) -> str:
    """One fact a line, so that a diff shows what changed."""
    families, caches = facts["families"], facts["caches"]
    lines = ['{"caches": {']
    lines.append(",\n".join(f"{json.dumps(name)}: {json.dumps(rule)}" for name, rule in caches.items()))
    lines.append('}, "families": [')
    lines.append(",\n".join(json.dumps(family) for family in families))
    lines.append('], "models": [')
    lines.append(",\n".join(json.dumps(models[name]) for name in sorted(models)))
    return "\n".join([*lines, "]}", ""])


def _map(release: str) -> tuple[str, dict[str, Json]]:
    """The version, and the price map of its wheel."""
    if release.endswith(".whl"):
        return Path(release).name.split("-")[1], _read(Path(release))
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, "--dest", folder, f"litellm=={release}"], check=True)
        (archive,) = Path(folder).glob("*.whl")
        return release, _read(archive)


def _read(archive: Path) -> dict[str, Json]:
    with zipfile.ZipFile(archive) as wheel:
        price_map: dict[str, Json] = json.loads(wheel.read(MEMBER))
    return price_map


if __name__ == "__main__":
    sys.exit(main())
