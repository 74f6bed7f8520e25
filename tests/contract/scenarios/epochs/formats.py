"""Cache epochs, preset `balanced`, in the formats of providers: the same run in each, judged by what each takes."""

from functools import partial

from tests.contract.behaviours import behaviour
from tests.contract.running import Run, file
from tests.contract.talk import Talk, texts

SIGNED = {"type": "thinking", "thinking": "I look at it.", "thinkingSignature": "c2lnbmVk"}
FAILED = "Error: the build stopped\n" + "\n".join(f"line {number} of what it said" for number in range(8))


def _step(run: Run, name: str) -> None:
    """A reply that thinks and calls twice: a file is read, a build fails."""
    calls = run.make.call("read", path=f"src/{name}.py"), run.make.call("bash", command=f"make {name}")
    reply = run.make.reply("", *calls)
    run.messages += [{**reply, "content": [SIGNED, *reply["content"]]}]
    run.messages += [run.make.result(file(name)), run.make.result(FAILED, True)]


def _lived(form: str) -> Talk:
    """The oldest steps leave, and with the next epoch those that stayed lose their reads."""
    run = Run(policy={"keep": 500}, form=form)
    run.user("Port the order tables to the new format. Never touch src/legacy.py.")
    for number in range(10):
        _step(run, f"part{number}")
        if number == 7:
            run.step("one more line of the log\n" * 480, "bash", command="cat build.log")
    run.ask()
    report = run.epoch()
    assert report["tokens"] < report["rawTokens"] * 0.8
    whole = texts(run.shown)
    assert texts(run.shown[-2:]) == texts(run.held[-2:])
    assert whole.count("[ctxmgr packet]") == 1
    kept = whole.count("I look at it.")
    assert kept < 10
    assert whole.count("line 0 of what it said") == kept  # where a step stays, so does its error
    for number in range(10, 14):
        _step(run, f"part{number}")
        assert run.ask()["firstChangedIndex"] == -1
    run.epoch()
    whole = texts(run.shown)
    assert "[output pruned — ~335 tokens | read path=" in whole
    assert whole.count("[ctxmgr packet]") == 1
    return run.talk


SENTENCES = {
    "anthropic": "Anthropic's messages: a step is removed with the message of its results. One of two reads is "
    "pruned, an error stays.",
    "openai": "Chat completions: a step is removed with all its tool messages.",
    "responses": "Responses: the reasoning, the calls and the outputs of an answer are removed together.",
    "gemini": "Gemini's contents: a step is removed with the content of its responses. One of two reads is "
    "pruned, an error stays.",
}
for form, sentence in SENTENCES.items():
    behaviour(f"epochs/{form}", sentence, "design 3 and 6")(partial(_lived, form))
