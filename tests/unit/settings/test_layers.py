"""What holds for a call, of all that is set in several places, and where it comes from."""

import re
from pathlib import Path

import pytest

from ctxmgr.model import PriceTier, TieredPrices
from ctxmgr.settings import SettingsFault, models_file, read
from ctxmgr.settings.layers import VARIABLES, Layers, environment_values

NO_POLICY: dict[str, object] = {}


class Places:
    """A user's file and a project's, and what is read of them."""

    def __init__(self, root: Path) -> None:
        self.user, self.project = root / "user.toml", root / "work" / ".ctxmgr.toml"
        self.project.parent.mkdir()
        self.user.write_text("")

    def read(self, flags: dict[str, object] | None = None, **environ: str) -> Layers:
        return read(flags, {"CTXMGR_CONFIG": str(self.user), **environ}, self.project.parent)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_nothing_set_is_the_default(places: Places) -> None:
    settings = places.read().settings_for()
    assert (settings.policy, settings.window, settings.prices) == (NO_POLICY, 200_000, None)
    assert (settings.upstream, settings.state_dir) == ({}, None)
    assert settings.origins["window"].text() == "default"


def test_each_layer_goes_before_the_one_below_it(places: Places) -> None:
    def window(flags: dict[str, object] | None = None, **environ: str) -> tuple[int, str, str]:
        settings = places.read(flags, **environ).settings_for()
        origin = settings.origins["window"]
        return settings.window, origin.kind, origin.text()

    assert window() == (200_000, "default", "default")
    places.user.write_text("window = 1\n")
    assert window() == (1, "user", f"{places.user}:window")
    places.project.write_text("window = 2\n")
    assert window() == (2, "project", f"{places.project}:window")
    assert window(CTXMGR_WINDOW="3") == (3, "environment", "CTXMGR_WINDOW")
    assert window({"window": 4}, CTXMGR_WINDOW="3") == (4, "flag", "--window")
    assert window({"window": None}, CTXMGR_WINDOW="3") == (3, "environment", "CTXMGR_WINDOW")


def test_inside_a_file_the_more_special_table_holds(places: Places) -> None:
    places.user.write_text(
        "window = 1\n[models.'m*']\nwindow = 2\n[programs.claude]\nwindow = 3\n[subagents]\nwindow = 4\n"
        "[programs.claude.subagents]\nwindow = 5\n"
    )
    layers = places.read()
    assert layers.settings_for("codex", "x").window == 1
    assert layers.settings_for("codex", "m").window == 2
    assert layers.settings_for("claude", "m").window == 3
    assert layers.settings_for("codex", "m", is_subagent=True).window == 4
    assert layers.settings_for("claude", "m", is_subagent=True).window == 5
    origin = layers.settings_for("claude", "m", True).origins["window"]
    assert origin.key == "programs.claude.subagents.window"


def test_a_project_goes_before_the_users_special_tables(places: Places) -> None:
    places.user.write_text("[programs.claude]\nwindow = 3\n")
    places.project.write_text("window = 2\n")
    assert places.read().settings_for("claude").window == 2


def test_tables_of_the_policy_are_merged_and_lists_are_replaced(places: Places) -> None:
    places.user.write_text("zones.yellow = 0.3\nzones.red = 0.6\nprotectedTools = ['a']\ncompaction = 'ctxmgr'\n")
    places.user.write_text(places.user.read_text() + "[programs.claude.compaction]\nretries = 2\n")
    places.project.write_text("zones.red = 0.5\nprotectedTools = ['b']\n")
    settings = places.read().settings_for("claude")
    assert settings.policy == {
        "zones": {"yellow": 0.3, "red": 0.5},
        "protectedTools": ["b"],
        "compaction": {"by": "ctxmgr", "retries": 2},
    }
    assert {key: origin.kind for key, origin in settings.origins.items() if key != "window"} == {
        "zones.yellow": "user",
        "zones.red": "project",
        "protectedTools": "project",
        "compaction.by": "user",
        "compaction.retries": "user",
    }


def test_what_is_no_policys_is_not_in_the_policy(places: Places) -> None:
    places.user.write_text(
        "window = 7\nstate_dir = '~/x'\n[upstream]\nopenai = 'http://a'\nanthropic = 'http://b'\n"
    )
    settings = places.read(CTXMGR_UPSTREAM_OPENAI="http://c").settings_for()
    assert (settings.policy, settings.window) == (NO_POLICY, 7)
    assert settings.upstream == {"openai": "http://c", "anthropic": "http://b"}
    assert settings.state_dir == str(Path.home() / "x")


def test_a_model_that_is_known_has_its_window_and_prices(places: Places) -> None:
    settings = places.read().settings_for(model="claude-opus-5-5")
    assert (settings.window, settings.prices) == (1_000_000, TieredPrices(4, 20, 0.2, 5))
    assert settings.policy == NO_POLICY
    assert {key: (one.kind, one.text()) for key, one in settings.origins.items()} == {
        "window": ("model", "known of claude-opus-5-5"),
        "prices": ("model", "known of claude-opus-5-5"),
    }


@pytest.mark.parametrize(
    ("user", "project", "said"),
    [
        ("zones.yellow = 0.95", "", "user.toml:zones.yellow: zones must increase: yellow <= red <= compact"),
        ("[programs.x]\nzones.yellow = 0.95", "", "user.toml:programs.x.zones.yellow: zones must increase"),
        ("[subagents]\nzones.yellow = 0.95", "", "user.toml:subagents.zones.yellow: zones must increase"),
        ("[models.x]\nzones.yellow = 0.95", "", 'user.toml:models.x.zones.yellow: zones must increase'),
        ("compaction.model = 'endpoint'", "", 'user.toml:compaction.model: the model is "endpoint", so an end'),
    ],
)  # fmt: skip
def test_what_is_right_alone_and_wrong_together_is_told_at_once(
    user: str, project: str, said: str, places: Places
) -> None:
    places.user.write_text(user)
    with pytest.raises(SettingsFault) as caught:
        places.read()
    assert str(caught.value).removeprefix(f"{places.user.parent}/").startswith(said)


def test_a_flag_that_is_wrong_is_told_by_its_name(places: Places) -> None:
    with pytest.raises(SettingsFault) as caught:
        places.read({"effectiveWindow": 0})
    assert str(caught.value) == "--effective-window: effectiveWindow: must be a whole number, at least 1"


def test_a_model_that_is_guessed_has_the_window_and_the_prices_of_the_nearest(places: Places) -> None:
    layers = places.read()
    for model, row in (("claude-opus-9", "claude-opus-5-5"), ("gpt-6.2-sol", "gpt-6.1-sol")):
        guessed, own = layers.settings_for(model=model), layers.settings_for(model=row)
        assert (guessed.prices, guessed.long_prices, guessed.prices_of) == (own.prices, own.long_prices, row)
        assert {guessed.origins[key].text() for key in ("window", "prices")} == {f"guessed by {row}"}
        assert (own.prices is None, own.prices_of) == (False, "")
    places.user.write_text("prices = { input = 3, output = 15 }")
    assert places.read().settings_for(model="claude-opus-9").prices_of == ""


def test_a_users_facts_of_models_hold_for_programs(places: Places, tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text('{"models": [{"id": "acme-1", "window": 64000, "prices": {"input": 1, "output": 2}}]}')
    environ = {"CTXMGR_CONFIG": str(places.user)}
    layers = read({}, environ, places.project.parent, models_file(str(own)))
    holding = layers.settings_for(model="acme-1")
    assert (holding.window, holding.prices) == (64_000, TieredPrices(1, 2, 0.1, 1))
    assert models_file(None) is None


def test_prices_that_are_set_go_before_those_that_are_known(places: Places) -> None:
    places.user.write_text("prices = { input = 8, cacheRead = 1 }\n")
    settings = places.read().settings_for(model="claude-opus-5-5")
    assert settings.prices == TieredPrices(8, 40, 1, 10)
    assert settings.origins["prices.input"].kind == "user"
    assert "prices" not in settings.origins


def test_set_prices_without_it_have_the_tiers_of_the_very_model_in_proportion(places: Places) -> None:
    places.user.write_text("prices = { input = 5, output = 30, cacheRead = 0.5 }\n")
    layers = places.read()
    prices = layers.settings_for(model="gpt-5.5").prices
    assert prices == TieredPrices(5, 30, 0.5, 5, (PriceTier(272_000, 10, 45, 1, 10),))
    assert layers.settings_for(model="gpt-5.5-of-acme").prices == TieredPrices(5, 30, 0.5, 5)


@pytest.mark.parametrize(
    ("text", "share"), [('"10%"', 0.1), ("0.1", 0.1), ('" 2.5 % "', 0.025), ("0", 0), ("1", 1), ('"100%"', 1)]
)
def test_a_holdout_is_a_share_of_sessions(places: Places, text: str, share: float) -> None:
    places.user.write_text(f"holdout = {text}\n")
    assert places.read().settings_for().holdout == pytest.approx(share)


@pytest.mark.parametrize("text", ["10", '"a tenth"', '"-1%"', '"101%"', "true", '"nan"', '"%"', "[1]"])
def test_what_is_no_share_is_refused(places: Places, text: str) -> None:
    places.user.write_text(f"holdout = {text}\n")
    with pytest.raises(SettingsFault, match="holdout must be a share of sessions, such as 10%"):
        places.read()


@pytest.mark.parametrize(
    ("model", "window", "reserve"),
    [
        ("claude-haiku-4-5", 40_000, 0),
        ("claude-haiku-4-5", 200_000, None),
        ("claude-haiku-4-5", 400_000, None),
        ("nobody-knows-it", 40_000, None),
        (None, 40_000, None),
    ],
)
def test_a_program_does_not_compact_by_a_window_below_its_models(
    places: Places, model: str | None, window: int, reserve: int | None
) -> None:
    assert places.read({"window": window}).settings_for("claude", model).policy.get("hostReserve") == reserve
    places.user.write_text("hostReserve = 9\n")
    assert places.read({"window": window}).settings_for("claude", model).policy["hostReserve"] == 9


GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "config.md"


def test_a_variable_sets_its_key() -> None:
    for variable, text, table in (
        ("CTXMGR_PRESET", "off", {"preset": "off"}),
        ("CTXMGR_WINDOW", "1_000_000", {"window": 1_000_000}),
        ("CTXMGR_EFFECTIVE_WINDOW", "9", {"effectiveWindow": 9}),
        ("CTXMGR_RESERVE", "0", {"reserve": 0}),
        ("CTXMGR_KEEP", "careful", {"keep": "careful"}),
        ("CTXMGR_KEEP", "900", {"keep": 900}),
        ("CTXMGR_COST_VERSUS_RECALL", "0.7", {"costVersusRecall": 0.7}),
        ("CTXMGR_PROTECTED_TOOLS", " a, b,", {"protectedTools": ["a", "b"]}),
        ("CTXMGR_PROTECTED_INSTRUCTIONS", "False", {"protectedInstructions": False}),
        ("CTXMGR_PROTECTED_INSTRUCTIONS", "true", {"protectedInstructions": True}),
        ("CTXMGR_PROTECTED_INSTRUCTIONS", "*.md", {"protectedInstructions": ["*.md"]}),
        ("CTXMGR_STATE_DIR", "/x", {"state_dir": "/x"}),
        ("CTXMGR_UPSTREAM_ANTHROPIC", "https://x/y", {"upstream": {"anthropic": "https://x/y"}}),
        ("CTXMGR_UPSTREAM_OPENAI", "http://x:1", {"upstream": {"openai": "http://x:1"}}),
        ("CTXMGR_UPSTREAM_RESPONSES", "http://[::1]/v1", {"upstream": {"responses": "http://[::1]/v1"}}),
        ("CTXMGR_UPSTREAM_GEMINI", "http://x", {"upstream": {"gemini": "http://x"}}),
    ):
        assert environment_values({variable: text}) == {variable: table}, variable


def test_what_is_wrong_is_said_with_the_variable() -> None:
    for variable, text, said in (
        ("CTXMGR_PRESET", "fast", "preset: `fast` is not one of `balanced`, `off`, `tools`, `turns`"),
        ("CTXMGR_WINDOW", "many", "window must be a whole number of tokens, at least 1"),
        ("CTXMGR_WINDOW", "0", "window must be a whole number of tokens, at least 1"),
        ("CTXMGR_WINDOW", "٣", "window must be a whole number of tokens, at least 1"),
        ("CTXMGR_COST_VERSUS_RECALL", "x", "costVersusRecall: must be a number, not a string"),
        ("CTXMGR_PROTECTED_TOOLS", "true", "protectedTools: must be a list, not true or false"),
        ("CTXMGR_KEEP", "0", "keep: must be a whole number, at least 1"),
        ("CTXMGR_KEEP", "much", "keep: `much` is not one of `balanced`, `careful`, `lean`"),
    ):
        with pytest.raises(SettingsFault) as caught:
            environment_values({variable: text})
        assert str(caught.value) == f"{variable}: {said}", variable


def test_the_guide_lists_them_all() -> None:
    listed = re.findall(r"^\| `(CTXMGR_\w+)` \|", GUIDE.read_text("utf-8"), re.MULTILINE)
    assert listed == [*VARIABLES, "CTXMGR_CONFIG"]


def test_an_empty_variable_is_none() -> None:
    assert environment_values(dict.fromkeys(VARIABLES, "")) == {}
