"""The documents' site as a reader sees it in a browser. site_test.py SITE, a folder that scripts/site made."""
import functools
import http.server
import pathlib
import re
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from browser import Browser  # noqa: E402 (of tests/support)

PARTS = ["Learn", "How-to guides", "Reference", "Background", "Project"]
PHONE = 400  # pixels
# Of all that the page consists of. Below that, tables and code have their own scroll bars.
WIDTH = """(element => {
    let width = 0;
    for (; element; element = element.parentElement) width = Math.max(width, element.scrollWidth);
    return width;
  })(document.querySelector("article, .content"))"""
SITE = pathlib.Path()
LEAST = 100  # pages


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass


def brightness(colour):
    """Of rgb(R, G, B), as WCAG defines relative luminance."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        cls.root = f"http://127.0.0.1:{server.server_port}"
        cls.browser = cls.enterClassContext(Browser())

    def test_index(self):
        self.browser.open(f"{self.root}/docs/index.html")
        self.assertRegex(self.browser.value("document.title"), r"^kubist \d")
        self.assertEqual(self.browser.value("document.querySelector('h1').firstChild.textContent"), "kubist")
        parts = self.browser.value("[...document.querySelectorAll('.sidebar-tree .caption')].map(p => "
                                   "[p.textContent, p.nextElementSibling.querySelectorAll('a').length])")
        self.assertEqual([name for name, _ in parts], PARTS)
        self.assertTrue(all(links > 2 for _, links in parts), parts)

    def test_the_way_in(self):
        """As the README says: open index.html, a file."""
        self.browser.open((SITE / "index.html").as_uri())
        self.browser.wait_for("location.pathname.endsWith('/docs/index.html')")
        self.browser.wait_for("document.readyState == 'complete' && document.title.startsWith('kubist')")

    def test_search(self):
        self.browser.open(f"{self.root}/docs/index.html")
        form = self.browser.value("(f => [f.action, f.querySelector('input').name])"
                                  "(document.querySelector('form.sidebar-search-container'))")
        for word, page in (("thompson", "docs/how-to/experiment.html"), ("WorseThanStable", "docs/how-to/canary.html")):
            self.browser.open(f"{form[0]}?{form[1]}={word}")
            self.browser.wait_for("/found \\d+ page/.test(document.querySelector('#search-results').innerText)")
            found = self.browser.value("[...document.querySelectorAll('#search-results li a')].map(a => a.href)")
            self.assertIn(page, " ".join(found), word)
            self.assertEqual(self.browser.errors, [])
        self.browser.open(f"{form[0]}?{form[1]}=nosuchwordanywhere")
        self.browser.wait_for("document.querySelector('#search-results').innerText.includes('did not match')")

    def test_light_and_dark(self):
        seen = {}
        for dark in (False, True):
            self.browser.open(f"{self.root}/docs/how-to/canary.html", dark=dark)
            for place in ("body", "article pre", "article table"):
                back, text = self.browser.value(f"""(element => {{
                    const text = getComputedStyle(element).color;
                    let back = "";
                    for (; element; element = element.parentElement) {{
                      back = getComputedStyle(element).backgroundColor;
                      if (!back.startsWith("rgba(")) break;
                    }}
                    return [back, text];
                  }})(document.querySelector("{place}"))""")
                pair = sorted((brightness(back), brightness(text)))
                self.assertGreater((pair[1] + 0.05) / (pair[0] + 0.05), 4.5, f"{place}, dark={dark}: {text} on {back}")
                seen[place, dark] = brightness(back)
        for place in ("body", "article pre", "article table"):
            self.assertGreater(seen[place, False], 0.8, place)
            self.assertLess(seen[place, True], 0.1, place)

    def test_every_page_on_a_phone(self):
        pages, pictures, wrong = sorted(SITE.rglob("*/*.html")) + sorted(SITE.glob("[A-Z]*.html")), 0, []
        self.assertGreater(len(pages), LEAST)
        for page in pages:
            name = page.relative_to(SITE)
            self.browser.open(f"{self.root}/{name}", width=PHONE)
            width, headings, images = self.browser.value(
                f"[{WIDTH}, document.querySelectorAll('h1').length,"
                " [...document.images].map(image => [image.src, image.naturalWidth])]")
            pictures += len(images)
            wrong += [f"{name}: {error}" for error in self.browser.errors]
            wrong += [f"{name}: the picture {source} does not load" for source, natural in images if not natural]
            wrong += [f"{name}: is {width} pixels wide on a screen of {PHONE}"] if width > PHONE else []
            wrong += [f"{name}: {headings} headings h1"] if headings != 1 else []
        self.assertEqual(wrong, [])
        self.assertGreaterEqual(pictures, 3)


if __name__ == "__main__":
    SITE = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
