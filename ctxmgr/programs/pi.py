"""pi: uses the API of its model's provider, and is redirected by an extension (`--extension`).

Rules (tested with 1.6.0 and 0.73.1):
1. The extension is a file of ours that sets the `baseUrl` of one provider and keeps its models and keys
   (`registerProvider`); it reads the provider and the address from the environment. pi's own files stay unchanged.
2. The provider: `--provider`, the part before the `/` of `--model`, or `defaultProvider` of its settings.
3. Its address: its `baseUrl` in `models.json`, otherwise the vendor's. A call adds `/v1/messages` to Anthropic's
   and `/responses` to OpenAI's.
"""

from pathlib import Path

from ctxmgr.programs.pointing import Place, Pointing, program
from ctxmgr.programs.program import Launch, flag, home, read_json, table, with_environ, with_flags
from ctxmgr.settings import APIS

EXTENSION = Path(__file__).with_name("pi_extension.js")
PROVIDER, URL = "CTXMGR_PI_PROVIDER", "CTXMGR_PI_URL"
PLACES = {
    "anthropic": Place("anthropic", (), APIS["anthropic"].vendor),
    "openai": Place("responses", (), APIS["responses"].vendor),
}


def _folder(start: Launch) -> Path:
    folder = start.environ.get("PI_CODING_AGENT_DIR")
    return Path(folder) if folder else home(start) / ".pi" / "agent"


def chosen(start: Launch) -> str:
    """The provider (rule 2)."""
    before, slash, _ = flag(start.arguments, "--model").partition("/")
    named = flag(start.arguments, "--provider") or (before if slash else "")
    return named or str(read_json(_folder(start) / "settings.json").get("defaultProvider") or "")


def settled(start: Launch, place: Place) -> str:
    """Its address in pi's own files (rule 3)."""
    providers = table(read_json(_folder(start) / "models.json").get("providers"))
    return str(table(providers.get(chosen(start))).get("baseUrl") or "")


def hooked(start: Launch, place: Place, base_url: str) -> Launch:
    """Redirects it (rule 1)."""
    told = with_environ(start, **{PROVIDER: chosen(start), URL: base_url})
    return with_flags(told, "--extension", str(EXTENSION))


PI = program(
    "pi",
    Pointing("pi", PLACES, chosen, settled, hooked),
    asks=("-p",),
    losses=("only calls to its model's provider go through ctxmgr: one that you select later is called directly",),
    tried="1.6.0",
    takes_flag=False,  # its extension needs the provider's name
)
