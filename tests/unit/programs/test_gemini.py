"""Where Gemini CLI would go, and how it is pointed elsewhere."""

from pathlib import Path

import pytest

from ctxmgr.programs import NotHookable
from ctxmgr.programs.gemini import GEMINI
from tests.unit.programs.starting import LISTENER, put, start

OWN = "https://generativelanguage.googleapis.com"
USER, PROJECT = ".gemini/settings.json", "work/.gemini/settings.json"


def chosen(kind: str) -> dict[str, object]:
    return {"security": {"auth": {"selectedType": kind}}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A home in which a key was chosen."""
    put(tmp_path, USER, chosen("gemini-api-key"))
    return tmp_path


def test_the_environment_points_it_elsewhere_and_loopback_goes_by_no_proxy(root: Path) -> None:
    made = GEMINI.hook(start(root, "-p", "hi", HTTPS_PROXY="http://proxy"), LISTENER, OWN)
    assert made.arguments == ("-p", "hi")
    assert made.environ["GOOGLE_GEMINI_BASE_URL"] == LISTENER
    assert made.environ["NO_PROXY"] == "127.0.0.1,localhost"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".env", "GOOGLE_GEMINI_BASE_URL=http://own/\n"),
        (".gemini/.env", "# mine\nexport GOOGLE_GEMINI_BASE_URL = 'http://own' # a gateway\n"),
    ],
)
def test_the_users_own_env_file_says_where_it_goes_and_the_environment_goes_before_it(
    path: str, text: str, root: Path
) -> None:
    put(root, path, text)
    assert GEMINI.upstream(start(root)) == "http://own"
    assert GEMINI.upstream(start(root, GOOGLE_GEMINI_BASE_URL="http://environ")) == "http://environ"


def test_the_first_env_file_that_it_finds_is_the_one(root: Path) -> None:
    put(root, ".env", "GOOGLE_GEMINI_BASE_URL=http://own\n")
    put(root, "work/.env", "GEMINI_API_KEY=none\n")
    assert GEMINI.upstream(start(root)) == OWN


@pytest.mark.parametrize("path", ["work/.env", "work/.gemini/.env"])
def test_a_project_does_not_say_where_the_key_goes(path: str, root: Path) -> None:
    put(root, path, "GOOGLE_GEMINI_BASE_URL=http://evil\n")
    with pytest.raises(NotHookable, match="a file of the project, sets GOOGLE_GEMINI_BASE_URL: pass --upstream"):
        GEMINI.upstream(start(root))
    assert GEMINI.hook(start(root), LISTENER, OWN).environ["GOOGLE_GEMINI_BASE_URL"] == LISTENER


@pytest.mark.parametrize("ask", [GEMINI.upstream, lambda begun: GEMINI.hook(begun, LISTENER, OWN)])
def test_what_heeds_no_base_url_is_told(ask: object, tmp_path: Path) -> None:
    assert callable(ask)
    with pytest.raises(NotHookable, match="only if an API key is selected: start gemini once"):
        ask(start(tmp_path, GEMINI_API_KEY="none"))
    for variable, told in (("GOOGLE_GENAI_USE_GCA", "your login"), ("GOOGLE_GENAI_USE_VERTEXAI", "Vertex")):
        with pytest.raises(NotHookable, match=told):
            ask(start(tmp_path, **{variable: "true"}))
    put(tmp_path, USER, chosen("gemini-api-key"))
    ask(start(tmp_path, GOOGLE_GENAI_USE_GCA="true"))  # what was chosen goes before the environment
    put(tmp_path, PROJECT, chosen("oauth-personal"))
    with pytest.raises(NotHookable, match="uses Google with your login, and ignores any base URL"):
        ask(start(tmp_path))


def test_settings_that_can_not_be_read_are_left_to_the_program(tmp_path: Path) -> None:
    put(tmp_path, USER, '{ // mine\n "security": {"auth": {"selectedType": "gemini-api-key"}} }')
    assert GEMINI.upstream(start(tmp_path)) == OWN
