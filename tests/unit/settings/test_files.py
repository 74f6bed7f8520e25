"""Which files are read, which table holds for which call, and what is said of a file that is wrong."""

import re
from pathlib import Path

import pytest

from ctxmgr.settings import SettingsFault
from ctxmgr.settings.files import MAX_BYTES, files, project_path, read_file, user_path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with no settings in it."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / ".config"))
    return tmp_path / "home"


def written(path: Path, text: str = 'preset = "turns"\n') -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def refused(path: Path, text: str, owner: str = "user") -> str:
    with pytest.raises(SettingsFault) as caught:
        read_file(written(path, text), owner)  # type: ignore[arg-type]
    said = str(caught.value)
    assert said.startswith(str(path))
    assert "\n" not in said
    return said.removeprefix(str(path))


# which files


def test_the_users_file_lies_in_the_users_folder_for_settings(home: Path) -> None:
    assert user_path({}) == home / ".config" / "ctxmgr" / "config.toml"
    assert user_path({"CTXMGR_CONFIG": ""}) == user_path({})


def test_another_one_is_named_by_the_environment(home: Path) -> None:
    assert user_path({"CTXMGR_CONFIG": "~/own.toml"}) == home / "own.toml"


def test_a_file_that_is_named_must_be_there(home: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsFault, match=r"nowhere\.toml: no such file$"):
        list(files({"CTXMGR_CONFIG": str(tmp_path / "nowhere.toml")}, tmp_path))


def test_the_users_file_comes_before_the_projects(home: Path, tmp_path: Path) -> None:
    user, project = written(user_path({})), written(tmp_path / "work" / ".ctxmgr.toml")
    assert [(one.owner, one.path) for one in files({}, tmp_path / "work")] == [
        ("user", str(user)),
        ("project", str(project)),
    ]


def test_one_file_is_read_once_and_as_the_users(home: Path, tmp_path: Path) -> None:
    both = written(tmp_path / "work" / ".ctxmgr.toml", "[upstream]\nopenai = 'http://localhost'\n")
    assert [one.owner for one in files({"CTXMGR_CONFIG": str(both)}, tmp_path / "work")] == ["user"]


@pytest.mark.parametrize(
    ("file", "root", "there"),
    [
        ("repo/.ctxmgr.toml", "repo/.git", True),
        ("repo/a/.ctxmgr.toml", "repo/.git", True),
        ("repo/a/b/.ctxmgr.toml", "repo/.git", True),
        (".ctxmgr.toml", "repo/.git", False),  # above the repository
        ("repo/.ctxmgr.toml", "repo/a/.git", False),
        ("repo/a/b/.ctxmgr.toml", None, True),  # no repository
        ("repo/a/.ctxmgr.toml", None, False),
    ],
)
def test_the_projects_file_is_looked_for_up_to_the_root_of_the_repository(
    file: str, root: str | None, there: bool, home: Path, tmp_path: Path
) -> None:
    at = tmp_path / "repo" / "a" / "b"
    at.mkdir(parents=True)
    if root:
        (tmp_path / root).mkdir()
    project = written(tmp_path / file)
    assert project_path(at) == (project if there else None)


def test_the_nearest_one_is_the_projects(home: Path, tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    written(tmp_path / "repo" / ".ctxmgr.toml")
    near = written(tmp_path / "repo" / "a" / ".ctxmgr.toml")
    assert project_path(tmp_path / "repo" / "a") == near


def test_below_the_home_directory_all_folders_are_looked_in_but_not_itself(home: Path) -> None:
    written(home / ".ctxmgr.toml")
    (home / "a" / "b").mkdir(parents=True)
    assert project_path(home / "a" / "b") is None
    assert project_path(home) is None
    below = written(home / "a" / ".ctxmgr.toml")
    assert project_path(home / "a" / "b") == below


def test_a_home_directory_that_is_a_repository_has_no_projects_file(home: Path) -> None:
    (home / ".git").mkdir()
    written(home / ".ctxmgr.toml")
    (home / "a").mkdir()
    assert project_path(home / "a") is None


# what holds for which call


def test_tables_of_models_hold_in_the_order_in_which_they_stand(tmp_path: Path) -> None:
    text = '[models."gpt-5*"]\nwindow = 1\n[models."gpt-*"]\nwindow = 2\n'
    file = read_file(written(tmp_path / "config.toml", text), "user")
    assert [table.values.get("window") for table in file.tables] == [None, 1, 2]


# a prompt from a file

PROMPT = 'compaction.prompts.history = { file = "minutes.md" }\n'


@pytest.mark.parametrize("table", ["", '[models."gpt-*"]\n', "[programs.claude]\n", "[subagents]\n"])
def test_a_prompt_of_the_users_file_may_be_a_file_beside_it(table: str, tmp_path: Path) -> None:
    written(tmp_path / "minutes.md", "Name each file.\n")
    file = read_file(
        written(tmp_path / "config.toml", f'{table}compaction.prompts.system = "Hm."\n{PROMPT}'), "user"
    )
    prompts = [table.values["compaction"]["prompts"] for table in file.tables if table.values]
    assert prompts == [{"system": "Hm.", "history": "Name each file.\n"}]


@pytest.mark.parametrize(
    ("owner", "content", "said"),
    [
        (
            "project",
            b"Send all.",
            r"line 1: a project's file may not set compaction, for it comes with the repository",
        ),
        ("user", None, r"line 1: .*minutes\.md: no such file$"),
        ("user", b"\xff", r"line 1: .*minutes\.md is not UTF-8$"),
        ("user", b"x" * (MAX_BYTES + 1), r"line 1: .*minutes\.md is longer than 65,536 bytes$"),
    ],
)
def test_one_that_can_not_be_had_is_refused_in_its_line(
    owner: str, content: bytes | None, said: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "minutes.md").write_bytes(content)
    assert re.search(said, refused(tmp_path / "config.toml", PROMPT, owner))


# what is said of a file that is wrong

NOT_ALONE = "cannot be set here, only for all models and sub-agents"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('# why\n\nprest = "off"', ' line 3: there is no key `prest`; did you mean `preset`?'),
        (
            'preset = "of"',
            " line 1: preset: `of` is not one of `balanced`, `off`, `tools`, `turns`; did you mean `off`?",
        ),
        ("[zones]\nyelow = 0.4", ' line 2: there is no key `zones.yelow`; did you mean `yellow`?'),
        ("zones.yellow = 4", " line 1: zones.yellow: must be a number, at most 1"),
        ('reserve = 4\nreserve = "a"', ": Cannot overwrite a value"),
        ("costVersusRecall = nan", " line 1: costVersusRecall must be a number"),
        ("window = 1.5", " line 1: window must be a whole number of tokens, at least 1"),
        ("state_dir = 'a/b'", " line 1: state_dir must be a path that begins with / or ~/"),
        ("upstream = 'x'", " line 1: upstream is a table of addresses: anthropic, openai, responses, gemini"),
        ("[programs.a]\nsubagents = 3", " line 2: programs.a.subagents must be a table, [programs.a.subagents]"),
        ("[models.x]\nstate_dir = '/x'", f" line 2: state_dir {NOT_ALONE}"),
        ("[models.x]\nupstream.openai = 'http://x'", f" line 2: upstream {NOT_ALONE}"),
        ("[programs.x]\nmodels = 3", ' line 2: there is no key `models`; did you mean `model_tools`?'),
        ("[prices]\ncacheRead = 1", " line 1: prices: the member `input` is missing"),
        ("\npreset = x y", " line 2: Invalid value"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line_with_its_place(text: str, said: str, tmp_path: Path) -> None:
    assert refused(tmp_path / "config.toml", text) == said


@pytest.mark.parametrize(
    "address", ["ftp://x", "https://", "https://key@x", "http://x?key=1", "http://x#a", "x", "http://x:99999", "http://x\\n"]
)  # fmt: skip
def test_an_address_is_a_host_and_a_path_and_holds_no_key(address: str, tmp_path: Path) -> None:
    said = refused(tmp_path / "config.toml", f'upstream.openai = "{address}"')
    assert said == " line 1: upstream.openai must be http:// or https://, a host and a path, and nothing more"


def test_a_file_that_is_too_long_or_no_text_or_a_folder_is_told(tmp_path: Path) -> None:
    assert refused(tmp_path / "long.toml", "#" * (MAX_BYTES + 1)) == " is longer than 65,536 bytes"
    (tmp_path / "latin.toml").write_bytes(b"a = '\xe4'")
    with pytest.raises(SettingsFault, match=r"latin\.toml is not UTF-8$"):
        read_file(tmp_path / "latin.toml", "user")
    with pytest.raises(SettingsFault, match=r"is no file$"):
        read_file(tmp_path, "user")


def test_a_projects_file_can_not_redirect_or_spend_or_delete(tmp_path: Path) -> None:
    endpoint = "compaction.endpoint.baseUrl = 'https://x'"
    own = ["archive.maxAgeDays = 1", "tokenizer.path = '/x'", "idleMinutes = 1", "state_dir = '/x'"]
    for key in ("upstream.anthropic = 'https://x'", endpoint, "compaction = 'ctxmgr'", *own):
        name = key.partition(" ")[0].partition(".")[0]
        sentence = f"a project's file may not set {name}, for it comes with the repository: set it in your own file"
        assert refused(tmp_path / ".ctxmgr.toml", key, "project") == f" line 1: {sentence}"
        for table in ("programs.claude", "programs.claude.subagents", "subagents", "models.x"):
            said = refused(tmp_path / ".ctxmgr.toml", f"[{table}]\n{key}", "project")
            assert said == f" line 2: {sentence}"


def test_a_projects_file_may_say_what_stays_in_a_list(tmp_path: Path) -> None:
    text = "preset = 'turns'\nwindow = 9\nprotectedTools = ['x']\n[models.x]\neffectiveWindow = 4\n"
    file = read_file(written(tmp_path / ".ctxmgr.toml", text), "project")
    assert file.tables[0].values == {"preset": "turns", "window": 9, "protectedTools": ["x"]}
