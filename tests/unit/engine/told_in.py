"""One short session told in three languages: the same calls and results, and each its own words."""

import msgspec

from tests.notation import Said, a, call, err, r, u


class Words(msgspec.Struct, frozen=True):
    """Of one session, all in one language. `request`, `correction` and `asking` are the user's, `look`, `broken`
    and `done` the assistant's, each of two paragraphs but the first."""

    request: str
    look: str
    broken: str
    correction: str
    question: str
    answer: str
    tasks: tuple[str, str]
    done: str
    asking: str
    subject: str


def session(words: Words) -> list[Said]:
    """Eight messages of people and models, with the calls between them."""
    first, second = words.tasks
    answered = f'"{words.question}"="{words.answer}"'
    return [
        u(words.request),
        a(words.look, call("read", path="src/login.py")),
        r("def login(): ...\n"),
        a(call("edit", path="src/login.py", oldText="1", newText="2")),
        r("Edited."),
        a(call("TodoWrite", todos=[_task(first, "in_progress"), _task(second, "pending")])),
        r("Todos have been modified."),
        a(call("bash", command="pytest -q tests/test_login.py")),
        err("FAILED tests/test_login.py::test_hash - assert 1 == 2\n1 failed, 3 passed in 0.10s\n"),
        a(words.broken),
        u(words.correction),
        a(call("AskUserQuestion", questions=[{"question": words.question, "options": [{"label": words.answer}]}])),
        r(f"User has answered your questions: {answered}. You can now continue with these in mind."),
        a(call("bash", command="pytest -q")),
        r("41 passed in 2.10s\n"),
        a(call("bash", command=f"git commit -qam '{words.subject}' && git log -1")),
        r(f"[main 1a2b3c4] {words.subject}\n 1 file changed\n"),
        a(words.done),
        u(words.asking),
    ]


def _task(text: str, status: str) -> dict[str, str]:
    return {"content": text, "status": status, "activeForm": text}


def placeholders(words: Words) -> dict[str, str]:
    """What a packet or a summary may tell of each text, and the name that stands for it, longest first."""
    texts = {
        "request": words.request,
        "look": words.look,
        "broken": words.broken.rpartition("\n\n")[2],
        "correction": words.correction,
        "question": words.question,
        "answer": words.answer,
        "first": words.tasks[0],
        "second": words.tasks[1],
        "done": words.done.rpartition("\n\n")[2],
        "asking": words.asking,
        "subject": words.subject,
    }
    return dict(sorted(((text, f"<{name}>") for name, text in texts.items()), key=lambda one: -len(one[0])))


def without_words(text: str, words: Words) -> str:
    """A text with a name for each of the session's texts."""
    for said, name in placeholders(words).items():
        text = text.replace(said, name)
    return text


LANGUAGES = {
    "English": Words(
        "Move the login to bcrypt. Never touch the vendor folder, and write all comments in English.",
        "I look at it first.",
        "The hashes differ.\n\nOne test fails: the salt is read twice.",
        "No, not like that: keep the old hashes valid, and do not push before I have seen it.",
        "How many rounds shall bcrypt use?",
        "Twelve",
        ("Hash with bcrypt", "Write the migration"),
        "All tests pass.\n\nThe commit is made; the migration comes next.",
        "Why did you choose twelve rounds?",
        "Hash passwords with bcrypt",
    ),
    "German": Words(
        "Stell den Login auf bcrypt um. Fass den Ordner vendor nie an, und schreib alle Kommentare auf Englisch.",
        "Ich sehe es mir erst an.",
        "Die Hashes sind verschieden.\n\nEin Test schlägt fehl: Das Salz wird zweimal gelesen.",
        "Nein, so nicht: Die alten Hashes müssen gültig bleiben, und schieb nichts hoch, ehe ich es gesehen habe.",
        "Wie viele Runden soll bcrypt nehmen?",
        "Zwölf",
        ("Mit bcrypt hashen", "Die Migration schreiben"),
        "Alle Tests laufen durch.\n\nDer Commit ist gemacht; als Nächstes kommt die Migration.",
        "Warum hast du zwölf Runden gewählt?",
        "Passwörter mit bcrypt hashen",
    ),
    "Chinese": Words(
        "把登录改成使用 bcrypt。绝对不要动 vendor 目录,所有注释都用英文写。",
        "我先看一下。",
        "哈希值不一致。\n\n有一个测试失败:盐被读取了两次。",
        "不对,不是这样:旧的哈希必须继续有效,在我看过之前不要推送。",
        "bcrypt 应该用多少轮?",
        "十二轮",
        ("用 bcrypt 计算哈希", "编写迁移脚本"),
        "所有测试都通过了。\n\n提交已经完成;接下来是迁移。",
        "你为什么选这个轮数?",
        "密码改用 bcrypt",
    ),
}
