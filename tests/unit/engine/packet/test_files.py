from ctxmgr.engine.packet.files import file_lines
from ctxmgr.model.saved.facts import Fact


def facts(*told: tuple[str, str]) -> list[Fact]:
    return [Fact("file", path, path, "tool", at, status=status) for at, (status, path) in enumerate(told)]


def test_paths_are_grouped_newest_first_changed_before_read() -> None:
    lines, counts, root, total = file_lines(
        facts(
            ("read", "src/a.ts"),
            ("edited", "src/b.ts"),
            ("written", "src/c.ts"),
            ("read", "src/c.ts"),
            ("read", "x"),
        )
    )
    assert lines == ["changed src/: c.ts, b.ts", "read x", "read src/a.ts"]
    assert (counts, root, total) == ([2, 1, 1], "", 4)


def test_the_directory_that_all_share_is_said_once() -> None:
    lines, _, root, _ = file_lines(facts(("edited", "/home/me/p/src/a.ts"), ("read", "/home/me/p/b.ts")))
    assert (root, lines) == ("/home/me/p/", ["changed src/a.ts", "read b.ts"])


def test_files_elsewhere_do_not_hide_what_the_changed_ones_share() -> None:
    lines, _, root, _ = file_lines(facts(("edited", "/p/q/a"), ("edited", "/p/q/r/b"), ("read", "/usr/c")))
    assert (root, lines) == ("/p/q/", ["changed r/b", "changed a", "read /usr/c"])


def test_one_file_elsewhere_does_not_hide_what_nearly_all_share() -> None:
    told = facts(*(("read", f"/home/me/p/{name}") for name in ("a", "b", "c")), ("read", "/home/me/.notes"))
    lines, _, root, _ = file_lines(told)
    assert (root, lines) == ("/home/me/p/", ["read /home/me/.notes", "read c, b, a"])


def test_a_file_by_its_whole_path_and_from_where_a_shell_was_is_one() -> None:
    lines, _, root, total = file_lines(
        facts(("edited", "/p/src/a.ts"), ("read", "src/b.ts"), ("deleted", "src/a.ts"), ("read", "/p/src/b.ts"))
    )
    assert (lines, root, total) == (["deleted a.ts", "read b.ts"], "/p/src/", 2)


def test_temporary_files_are_left_out_where_there_are_others() -> None:
    rows = [("edited", "/tmp/a.py"), ("written", "/var/folders/x/T/b"), ("read", "/tmp/c/d.txt")]
    lines, _, root, total = file_lines(facts(*rows, ("edited", "src/a.ts"), ("read", "/tmpl/b.ts")))
    assert (lines, root, total) == (["changed src/a.ts", "read /tmpl/b.ts"], "", 2)
    assert file_lines(facts(*rows[:1]))[0] == ["changed /tmp/a.py"]


def test_a_file_gone_is_told_as_gone() -> None:
    assert file_lines(facts(("edited", "a"), ("deleted", "b")))[0] == ["deleted b", "changed a"]


def test_many_names_are_split_over_lines_and_all_counted() -> None:
    lines, counts, _, total = file_lines(facts(*(("edited", f"d/{'n' * 40}{number}") for number in range(12))))
    assert len(lines) > 1
    assert (sum(counts), total) == (12, 12)
    assert file_lines([]) == ([], [], "", 0)
