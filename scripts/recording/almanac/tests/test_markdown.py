import unittest

from almanac.markdown import inline, render


class Inline(unittest.TestCase):
    def test_link(self):
        self.assertEqual(inline("[a](/b)"), '<a href="/b">a</a>')

    def test_bold_and_italic(self):
        self.assertEqual(inline("**a** *b*"), "<strong>a</strong> <em>b</em>")

    def test_escaped(self):
        self.assertEqual(inline("a < b & c"), "a &lt; b &amp; c")


class Blocks(unittest.TestCase):
    def test_list(self):
        self.assertEqual(render("- a\n- b"), "<ul><li>a</li><li>b</li></ul>")

    def test_code_is_not_marked(self):
        self.assertEqual(render("```\n*a*\n```"), "<pre><code>*a*</code></pre>")

    def test_heading(self):
        self.assertEqual(render("## A\n\nb"), "<h2>A</h2>\n<p>b</p>")
