"""What a host puts into a user's mouth is never the user's word; what the user wrote beside it is kept whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.memory.user_words import ROWS, HostTexts, users_text, without_packet
from ctxmgr.engine.tools import tells_an_output
from ctxmgr.model import PACKET_MARK, Block, View

SAID = "Never touch billing.py; *use tabs*,\n\n  and `a < b` stays."


def own(*texts: str) -> str:
    return users_text(View("user", tuple(Block("text", text=text) for text in texts)))


REMINDER = "<system-reminder>\nAs you answer, note that the tests are the user's.\n</system-reminder>"
IDE = "# Context from my IDE setup:\n\n## Active file: src/a.py\n\n## Open tabs:\n- a.py: src/a.py\n\n"
CLINE = "<environment_details>\n# VSCode Visible Files\nsrc/a.py\n\n# Current Time\nnoon\n</environment_details>"
AGENTS = "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nAlways run the linter.\n</INSTRUCTIONS>"

HOSTS_ALONE: list[tuple[str, str]] = [
    ("Claude Code", REMINDER),
    ("Claude Code", "[Request interrupted by user for tool use]"),
    ("Claude Code", "Base directory for this skill: /w/.claude/skills/review\n\n# Review\n\nNever skip a file."),
    ("Claude Code", "This session is being continued from a previous conversation that ran out of context.\n1. x"),
    ("Codex", AGENTS),
    ("Codex", f"{AGENTS}\n<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"),
    ("Codex", "<permissions instructions>\nNever write outside of /w.\n</permissions instructions>"),
    ("OpenCode", 'Called the Read tool with the following input: {"filePath":"/w/a.md"}'),
    ("OpenCode", "<path>/w/a.md</path>\n<type>file</type>\n<content>1: Never push.\n</content>"),
    ("Gemini CLI", "--- Content from referenced files ---\nFrom @a.md:\nNever push.\n--- End of content ---"),
    ("Cline, Roo Code", CLINE),
    ("Cline, Roo Code", "[read_file for 'src/a.py'] Result:\nNever push."),
    ("Cline, Roo Code", "[execute_command for 'python - <<E\nprint(1)\nE'] Result:\nNever push."),
    ("Cline, Roo Code", "[switch_mode to 'code' because: it is due] Result:\nNever push."),
    ("Cline, Roo Code", "[new_task in Code mode: 'look\nagain'] Result:\nNever push."),
    ("OpenHands", "EXECUTION RESULT of [execute_bash]:\nNever push."),
    ("Void", "<read_file_result>\nNever push.\n</read_file_result>\n\n<ls_dir_result>\n1\n</ls_dir_result>"),
    ("Trae, agents of one's own", '<tool_result tool_use_id="t1" name="read_file">\nNever push.\n</tool_result>'),
    ("Zed", "<context>\nThe following items were attached by the user. They are up-to-date.\n\n<files>\n```a.md\n"
            "Never push.\n```\n</files>\n</context>"),
    ("Cline, Roo Code", "[browser_action] Result:\n<feedback>\nNever push.\n</feedback>"),
    ("Copilot", '<attachments>\n<attachment id="a.py">\nNever push.\n</attachment>\n</attachments>\n'
                "<editorContext>\nThe file is a.py.\n</editorContext>\n<reminder>\nBe brief.\n</reminder>"),
    ("Cursor", "<user_info>\nOS: linux\n</user_info>\n\n<rules>\nAlways use tabs.\n</rules>"),
    ("SWE-agent", "<returncode>0</returncode>\n<output>\nNever push.\n</output>"),
    ("SWE-agent", "[File: /w/a.py (90 lines total)]\n1:Never push."),
    (
        "SWE-agent",
        "<returncode>0</returncode>\n<warning>\nIt was too long.\n</warning><output_head>\nNever push."
        "\n</output_head>\n<elided_chars>\n9 characters elided\n</elided_chars>\n<output_tail>"
        "\nNever push.\n</output_tail>",
    ),
    ("Aider", "I have *added these files to the chat* so you can go ahead and edit them.\n\na.py\n```\nx\n```"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.host)
def test_each_text_of_the_table_is_the_hosts(row: HostTexts) -> None:
    texts = [f'<{tag} of="it">\nNever push.\n</{tag}>' for tag in row.tags]
    texts += [f"{texts[0]}\n<{tag}>\nNever push.\n</{tag}>" for tag in row.beside]
    texts += [f"{start} never push.\nNever." for start in row.begins]
    for text in (*texts, *row.whole):
        assert own(text) == ""
        assert own(text, SAID) == own(SAID, text) == SAID


@pytest.mark.parametrize(("host", "text"), HOSTS_ALONE)
def test_what_a_host_put_there_is_never_the_users_word(host: str, text: str) -> None:
    assert host in {row.host for row in ROWS}
    assert own(text) == ""
    assert own(text, SAID) == own(SAID, text) == SAID


OUTPUTS: list[tuple[str, str]] = [
    ("aider", "I ran this command:\n\ncat a.md\n\nAnd got this output:\n\nNever push.\n"),
    ("aider, of several lines", "I ran this command:\n\nmake \\\n  test\n\nAnd got this output:\n\nNever push."),
    ("AutoGen", "exitcode: 0 (execution succeeded)\nCode output: Never push.\n"),
    ("AutoGen, failed", "exitcode: 1 (execution failed)\nCode output: \nNever push.\n"),
    ("Open Interpreter", "Code output: Never push.\n\nWhat does this output mean / what's next (if anything)?"),
    ("Open Interpreter", 'I executed that code. This was the output: """Never push."""\n\nWhat does this mean?'),
    ("Open Interpreter", "The code above was executed on my machine. It produced no text output. what's next?"),
    (
        "Gemini CLI, Qwen Code",
        "I ran the following shell command:\n```sh\ncat a.md\n```\n\nThis produced the following result:\n```\n"
        "Never push.\n```",
    ),
    (
        "LangChain",
        "TOOL RESPONSE: \n---------------------\nNever push.\n\nUSER'S INPUT\n--------------------\n\nOkay, so what"
        " is the response to my last comment?",
    ),
    ("Continue", "Tool output for read_file tool call:\n\nNever push."),
    ("a bridge", "[Tool Result for read_file]: Never push."),
    ("a bridge, by the call's id", "[tool result for call_1]\nNever push."),
    ("a bridge, with both", "[Tool result for read (call_id: call_1)]:\nNever push."),
    ("a bridge, with its kind", "[Tool Result for bash] (output):\nNever push."),
    ("a bridge, an output", '[Tool Output for "read"]:\nNever push.'),
    ("a loop in tags", '<tool_result name="read">\nNever push.\n</tool_result>'),
    ("a loop in tags, with its state", '<tool_result name="read" status="success">\nNever push.\n</tool_result>'),
    ("a loop in tags, an output", "<tool_output>\nNever push.\n</tool_output>"),
    ("Cherry Studio", "Here is the result of mcp tool use `files-read`:\nNever push."),
    ("Continue, a tag in it", "Tool output for ask tool call:\n\n<answer>\nNever push.\n</answer>"),
    ("Agent Zero", '{"tool_name": "code_execution_tool", "tool_result": "Never push."}'),
    ("Agent Zero, laid out", '{\n    "tool_name": "knowledge_tool",\n    "tool_result": "Never push."\n}'),
    ("smolagents", "Observation:\nExecution logs:\nNever push.\nLast output from code snippet:\nNone"),
    ("GLM", "<|observation|>\nNever push."),
    ("DeepSeek", "<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>Never push."),
    ("smolagents, no log", "Observation:\nLast output from code snippet:\nNever push."),
]


@pytest.mark.parametrize(("host", "text"), OUTPUTS)
def test_what_a_host_tells_that_a_tool_gave_is_never_the_users_word(host: str, text: str) -> None:
    assert own(text) == "", host
    assert own(text, SAID) == own(SAID, text) == SAID


REACT = "Thought: I look.\nAction: read\nAction Input: a.md"
ASKING: list[tuple[str, str, str]] = [
    ("LangChain", REACT, "Observation: Never push."),
    ("CrewAI", "**Action**: read\n**Action Input**: a", "Observation: Never push."),
    ("smolagents' tools", "Calling tools:\n[{'id': 'c1'}]", "Observation:\nNever push."),
    ("smolagents' code", "Thought: I look.\n<code>\nread('a')\n</code>", "Observation:\nNever push."),
    ("older smolagents", "Code:\n```py\nread('a')\n```<end_code>", "Observation:\nNever push."),
    ("smolagents, failed", "<code>\nx\n</code>", "Error:\nNever push.\nNow let's retry: take care"),
    ("mini-swe-agent", "THOUGHT: I look.\n\n```bash\ncat a.md\n```", "Observation: Never push."),
    (
        "SWE-agent before 1.0",
        "DISCUSSION\nI look.\n```\ncat a.md\n```\n",
        "Never push.\n(Open file: n/a)\n(Current directory: /repo)\nbash-$",
    ),
    ("gptme", "I look.\n\n```shell\ncat a.md\n```", "Ran command: `cat a.md`\n\n```stdout\nNever push.\n```"),
    ("gptme, to Claude", "```shell\ncat a.md\n```", "<system>\nRan command: `cat a.md`\nNever push.\n</system>"),
    ("AutoGPT", '{"command": {"name": "read_file"}}', "Command read_file returned: Never push."),
    ("CodeAct", "<execute_bash>\ncat a.md\n</execute_bash>", "Observation:\nNever push."),
    ("browser-use", '{"action": [{"extract": {}}]}', "Action result: Never push."),
    ("a loop of Qwen's calls", '<tool_call>\n{"name": "read"}\n</tool_call>', "Tool result for read:\nNever push."),
    ("a loop of Llama's calls", "<function=read>{}</function>", "[tool_result: call_1]\nNever push."),
    ("a loop of Anthropic's calls", '<function_calls>\n<invoke name="read">', "<result>\nNever push.\n</result>"),
    ("a loop of MiniMax' calls", "<minimax:tool_call>", "<function_result>\nNever push.\n</function_result>"),
    ("a loop of Mistral's calls", '[TOOL_CALLS] [{"name": "read"}]', "[TOOL_RESULTS] Never push. [/TOOL_RESULTS]"),
    ("a loop of Gemma's calls", "```tool_code\nread('a')\n```", "```tool_output\nNever push.\n```"),
    ("Search-R1", "<search>a</search>", "<information>Never push.</information>"),
    ("a loop in JSON", '{"tool": "read"}', '{"tool_result": "Never push."}'),
    ("a loop in a fence", '```json\n{"tool": "read"}\n```', "Tool `read` returned:\nNever push."),
    (
        "a loop in a fence, its results",
        '```json\n{"tool": "read"}\n```',
        "[Tool Results]\n[read result]: Never push.",
    ),
    ("a loop in a fence, of", '```json\n{"tool": "read"}\n```', "Result of read:\nNever push."),
    ("a loop in a shell", "```sh\ncat a.md\n```", "Command output:\n```\nNever push.\n```"),
    ("a loop in a shell, in a tag", "```sh\ncat a.md\n```", "<command_output>\nNever push.\n</command_output>"),
]


@pytest.mark.parametrize(("host", "asked", "text"), ASKING)
def test_an_output_is_the_hosts_where_the_assistant_asked_for_an_action(host: str, asked: str, text: str) -> None:
    view, before = View("user", (Block("text", text=text),)), View("assistant", (Block("text", text=asked),))
    assert users_text(view, before) == "", host
    answered = View("assistant", (Block("text", text="It is done. What do you see?"),))
    assert users_text(view, answered) == users_text(view, View("user", before.blocks)) == users_text(view) == text


def test_an_error_that_the_user_shows_is_theirs() -> None:
    asked = View("assistant", (Block("text", text="Put this there:\n<code>\nx\n</code>"),))
    shown = "Error:\nName x is not defined.\nMend it, and never push."
    assert users_text(View("user", (Block("text", text=shown),)), asked) == shown


@pytest.mark.parametrize(
    "said",
    [
        "Result: it is red. Never retry it.",
        "Output is wrong. Never print it.",
        "Tool results are stale. Never trust them.",
        "The results of the run: red. Never retry it.",
        "<div>it breaks</div> Never use it.",
        '{"name": "x"} is wrong. Never send it.',
        "No, stop. Never run this command.",
    ],
)
def test_what_the_user_says_behind_a_request_is_theirs(said: str) -> None:
    asked = View("assistant", (Block("text", text="I would run:\n```sh\nmake\n```"),))
    assert users_text(View("user", (Block("text", text=said),)), asked) == said


def test_what_stands_between_two_texts_of_one_message_is_the_hosts() -> None:
    begins, ends = "\n--- Content from referenced files ---", "\n--- End of content ---"
    assert own(SAID, begins, "\nContent from @a.md:\n", "# never run tests", ends) == SAID
    assert own(SAID, f"{begins}\nx", f"y{ends}\nAnd go.") == f"{SAID}\n\nAnd go."


DENIED = "The user denied this operation and provided the following feedback:"
BESIDE: list[tuple[str, str]] = [
    ("Claude Code", f"{SAID}\n\n{REMINDER}"),
    ("Claude Code", f"{REMINDER}\n{SAID}"),
    ("Claude Code", f"[Request interrupted by user]\n{SAID}"),
    ("Codex", f"{IDE}## My request for Codex:\n{SAID}\n"),
    ("OpenCode", f"{SAID}\n<dcp-message-id>m0001</dcp-message-id>"),
    ("OpenCode", f'{SAID}\nCalled the Read tool with the following input: {{"filePath":"/w/a.md"}}\nNever push.'),
    ("OpenCode", f"{SAID}\n<path>/w/a.md</path>\n<type>file</type>\n<content>1: Never push.\n</content>"),
    ("Cline", f"<task>\n{SAID}\n</task>"),
    ("Cline", f"<task>\n{SAID}\n</task>\n\n{CLINE}"),
    ("Cline", f'{SAID}\n\n<file_content path="a.py">\nNever push.\n</file_content>'),
    ("Cline", f"[TASK RESUMPTION] It was stopped.\n\nInstructions:\n<user_message>\n{SAID}\n</user_message>"),
    ("Roo", f"[ask_followup_question for 'Which one?'] Result:\n<answer>\n{SAID}\n</answer>"),
    ("Roo", f"[attempt_completion] Result:\nThe user has provided feedback.\n<feedback>\n{SAID}\n</feedback>"),
    ("Roo", f"[write_to_file for 'a.py'] Result:\n{DENIED}\n<feedback>\n{SAID}\n</feedback>"),
    ("Copilot", "<context>\nThe date is Sunday.\n</context>\n<editorContext>\na.py\n</editorContext>\n"
                f"<userRequest>\n{SAID}\n</userRequest>"),
    ("Cursor", f"<user_info>\nOS: linux\n</user_info>\n<user_query>\n{SAID}\n</user_query>"),
    ("Void", f"<edit_file_result>\nNever push.\n</edit_file_result>\n\n{SAID}"),
    ("Zed", f"{SAID}\n<context>\nThe following items were attached by the user.\n<files>\nx\n</files>\n</context>"),
    ("LangChain", f"<observation>Never push.</observation>\n{SAID}"),
    ("OpenHands", f"<uploaded_files>\n/w\n</uploaded_files>\n{SAID}"),
]  # fmt: skip


@pytest.mark.parametrize(("host", "text"), BESIDE)
def test_what_the_user_wrote_beside_it_is_kept_whole(host: str, text: str) -> None:
    assert own(text) == SAID


@pytest.mark.parametrize(
    "text",
    [
        SAID,
        "Why does it print <system-reminder> there? Never show it.",
        "take out what is between <context> and </context>, please",
        "<context>\nIt is a parser.\n</context>\n<rules>\nNever push.\n</rules>\nDo it.",
        "<task>\nMend it\n</task>\nbut leave `b.py`",
        "```xml\n<attachment>\n  <reminder>x</reminder>\n</attachment>\n```\nwhat is this?",
        "<answer> is not shown in the page",
        "Code output: it is empty, why? Never push.",
        "Code output: 5\nWhat does this output mean? Never print it.",
        "I ran the following shell command and it failed, never do it again",
        "I ran the following shell command:\n```sh\nmake\n```\nIt hangs. Never run it again.",
        "I ran the following shell command:\n```sh\nls\n```\n\n"
        "This produced the following result:\n```\na\n```\nSort it.",
        "<rules>\nAlways use tabs.\n",
        "Please continue. But never push.",
        "API Error: 500 is what I get, why?",
        "Observation:\nthe tests are flaky. Never retry them.",
        "Observation: it is slow. Never retry it.",
        "Error:\nit fails. Never retry it.",
        "I ran this command:\n\nmake\n\nand it hangs. Never run it again.",
        "I ran this command: make. And got this output: x. Never run it again.",
        "exitcode: 1 is what I get. Never ignore it.",
        "Tool output for the linter is wrong. Never trust it.",
        "[Tool result for the linter]: it is wrong. Never trust it.",
        "[tool result for bash] is empty, why? Never leave it so.",
        '{"tool_name": "x"} is what it sends. Never send it.',
        "<function_results> is not closed in your answer. Never leave it out.",
        "[note to self] Result:\nslower. Never inline it again.",
        "[benchmark of the parser] Result:\nslower. Never inline it again.",
        "EXECUTION RESULT of the job: slower. Never inline it again.",
        "[benchmark] Result: slower. Revert it, and never inline it again.",
        "Your task is to create a detailed summary of the auth module. Do not touch billing.",
        "[File: a.py (3 lines total)] looks odd. Never cut it.",
        "Continue if you have next steps, or stop and ask me. Never push.",
        "The log:\nCalled the deploy tool with the following input: x\nNever do that.",
        "the log says [read_file for 'a'] Result: nothing",
        "I wrote ## My request for Codex:\nin the docs",
        "It printed\n[File: a.py (90 lines total)]\nand stopped. Never cut it.",
        "[Request interrupted by user is what I see. Never show it.",
        "OBSERVATION: the tests are flaky. Never skip them.",
        "[Request interrupted by user\nis what I see in `a[0]`. Never show it.",
    ],
)
def test_what_no_row_knows_is_the_users(text: str) -> None:
    assert own(text) == text.strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<system-reminder>\na\n<system-reminder>\nb\n</system-reminder>\nSay it.", "Say it."),
        (
            "Say <system-reminder> x\n<system-reminder>\nb\n</system-reminder>\nit",
            "Say <system-reminder> x\n\n\nit",
        ),
        ("Do\n<system-reminder>open\n<ide_selection>y</ide_selection>\nit", "Do\n<system-reminder>open\n\n\nit"),
        ("<ide_selection>a</ide_selection><system-reminder>b</system-reminder> Go", "Go"),
        ("<task>\na\n</task>\n<feedback>\nb\n</feedback>", "a\n\nb"),
        (f"<ide_selection>a</ide_selection>{' ' * 200}<system-reminder>b</system-reminder>Go", "Go"),
        (
            f"<ide_selection>a</ide_selection>{' ' * 201}<system-reminder>b</system-reminder>Go",
            "<system-reminder>b</system-reminder>Go",
        ),
    ],
)
def test_several_tags_in_one_text(text: str, expected: str) -> None:
    assert own(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n{}\n## b\n\n## c\n\nmine", "a\nmine"),
        ("> {}\n> x\n>\n> ## y\nmine", "mine"),
        ("> {}\nmine", ""),
        ("\t{}\n\t- a\n\nme", "me"),
        ("{}", ""),
        ("{}\n\nx", "x"),
        ("x {}\ny", "x {}\ny"),
        ("{}\na\n\n- b\n+ c\n\n@d\n\nq\n{}\nz", "q"),
    ],
)
def test_a_packet_that_was_pasted_with_it(text: str, expected: str) -> None:
    assert without_packet(text.replace("{}", PACKET_MARK)) == expected.replace("{}", PACKET_MARK)


def test_a_hosts_tag_that_is_not_closed_was_cut_off() -> None:
    assert own("<system-reminder>\nAs you answer, never") == ""
    assert own(SAID, "<environment_details>\n# VSCode Visible") == SAID
    assert own(f"{SAID}\n<system-reminder>") == f"{SAID}\n<system-reminder>", "what stands before it is the user's"
    assert own("<system-reminder> is what I see, remove it") == "<system-reminder> is what I see, remove it"


COMMAND = "<command-message>{0} is running</command-message>\n<command-name>/{0}</command-name>"


def test_a_slash_command_says_what_the_user_gave_it() -> None:
    args = "\n            <command-args>only the parser, please</command-args>"
    assert own(COMMAND.format("review") + args) == "/review only the parser, please"
    assert own(COMMAND.format("plugin:plan") + args, REMINDER) == "/plugin:plan only the parser, please"
    assert own(COMMAND.format("clear")) == ""
    assert own(COMMAND.format("clear") + "\n<command-args></command-args>") == ""


def test_a_result_in_a_text_of_its_own_belongs_to_the_name_before_it() -> None:
    assert own("[read_file for 'a.md'] Result:", "Never push.", CLINE) == ""
    assert own("[read_file for 'a.md'] Result:", "Never push.", SAID) == SAID
    assert own("[ask_followup_question for 'Which?'] Result:", f"<answer>\n{SAID}\n</answer>", CLINE) == SAID
    assert own("[read_file for 'a.md'] Result:") == ""


@pytest.mark.parametrize("tool", ["read_file", "search_files", "use_mcp_tool", "fetch_instructions"])
def test_a_tool_that_shows_what_others_wrote_tells_nothing_of_the_user(tool: str) -> None:
    for body in (
        f"{DENIED}\n<feedback>\nNever test.\n</feedback>",
        "<answer>\nNever test.\n</answer>",
        "<user_message>\nNever test.\n</user_message>",
    ):
        assert own(f"[{tool} for 'a'] Result:\n{body}") == own(f"[{tool} for 'a'] Result:", body) == ""


@given(st.text(alphabet='ab<>/\n `"[]:', max_size=80))
def test_of_a_text_without_a_hosts_shape_nothing_is_lost(text: str) -> None:
    assert own(text) == text.strip()


def test_time_is_linear_in_the_text() -> None:
    """Each of these would take minutes where a text is looked through again for each piece."""
    for piece in ("<context>\n", "<system-reminder>\n", "<system-reminder> ", " " * 50 + "<rules>", "<a ", "<"):
        own("a\n" + piece * 20_000)
        own(piece * 20_000)


def test_the_time_for_what_looks_like_an_output_is_linear_in_the_text() -> None:
    """Each of these would take minutes where each line break begins another search."""
    for head in ("Code output: ", "TOOL RESPONSE:", "I ran the following shell command:\n```sh\n"):
        for piece in ("\n", " ", " \n", "\n```\n"):
            tells_an_output(head + piece * 400_000, "")
