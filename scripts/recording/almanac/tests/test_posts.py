import tempfile
import unittest
from pathlib import Path

from almanac.posts import PostError, read_post, read_posts


class Reading(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def post(self, text, name="a.md"):
        path = Path(self.folder.name) / name
        path.write_text(text, encoding="utf-8")
        return path

    def test_head(self):
        post = read_post(self.post("title: Beans\ndate: 2025-05-01\ntags: soil, beans\n\nText.\n"))
        self.assertEqual((post.title, post.tags, post.text), ("Beans", ("soil", "beans"), "Text.\n"))

    def test_no_title(self):
        with self.assertRaises(PostError):
            read_post(self.post("date: 2025-05-01\n\nText.\n"))

    def test_newest_first(self):
        self.post("title: A\ndate: 2025-05-01\n\nA\n", "a.md")
        self.post("title: B\ndate: 2025-06-01\n\nB\n", "b.md")
        self.assertEqual([post.slug for post in read_posts(Path(self.folder.name))], ["b", "a"])
