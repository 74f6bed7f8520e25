"""Writes ctxmgr/data/models.json.

    python -m scripts.knowing                    with the newest release of LiteLLM, and what older ones still knew
    python -m scripts.knowing 1.80.0 1.109.1     with these releases: the later one's rows go before
    python -m scripts.knowing FILE.whl ...       with wheels that are there; their names tell the release

The wheels come through `pip`. `--date DAY` says when they were read (default: today).
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
RELEASES = ("1.80.0", "1.109.1")  # the first still knew what was retired since
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
            if id in models:
                models[id] = _corrected(models[id], correction)
    for family in facts["families"]:
        family |= {"source": _assumed(family, models.values()), "date": chosen.date}
    TARGET.write_text(_text(facts, models), encoding="utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {len(models)} models, {TARGET.stat().st_size:,} bytes")
    return 0


def _corrected(row: Json, correction: Json) -> Json:
    """`reads`: reading a cache costs what input does, of each request."""
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
    """Nobody tells the window of a model that is not known yet: how many of those that are take as much."""
    windows = [model["window"] for model in models if model["family"] == family["name"] and "window" in model]
    as_much = sum(1 for window in windows if window >= family["window"])
    return f"assumed: {as_much} of {len(windows)} models of it that are known take as much"


def _text(facts: Json, models: dict[str, Json]) -> str:
    """One line a fact, so that a diff tells which changed."""
    families, caches = facts["families"], facts["caches"]
    lines = ['{"caches": {']
    lines.append(",\n".join(f"{json.dumps(name)}: {json.dumps(rule)}" for name, rule in caches.items()))
    lines.append('}, "families": [')
    lines.append(",\n".join(json.dumps(family) for family in families))
    lines.append('], "models": [')
    lines.append(",\n".join(json.dumps(models[name]) for name in sorted(models)))
    return "\n".join([*lines, "]}", ""])


def _map(release: str) -> tuple[str, dict[str, Json]]:
    """The version, and what the wheel of it holds."""
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
