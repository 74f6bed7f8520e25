"""The settings of a site, from site.json."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    title: str
    author: str
    address: str
    language: str
    posts_on_front_page: int
    feed_length: int
    date_format: str


def read_settings(path: Path) -> Settings:
    return Settings(**json.loads(path.read_text(encoding="utf-8")))
