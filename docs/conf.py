"""Sphinx's settings for the site that scripts/site builds.

The source folder is the repository, so that pages link to each other as they do on GitHub. No page has a table of
contents of its own making: add_contents() gives each index page one of its folder, from the files that are there.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent

project = "kubist"
copyright = "the authors of kubist"  # noqa: A001 (Sphinx's name)
release = re.search(r"project\(kubist\s+VERSION\s+([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = ["docs/**.md", "*.md", "examples/README.md", "packaging/README.md", "bench/README.md"]
exclude_patterns = ["README.md", "build*", "lib", "cli", "tests", "changes.d", ".git", ".cache"]
nitpicky = True

myst_heading_anchors = 4
myst_enable_extensions = ["alert"]  # GitHub's: > [!WARNING]
highlight_language = "none"

html_theme = "furo"
html_title = f"kubist {release}"
html_favicon = "pictures/icon.svg"
html_copy_source = False
html_show_sphinx = False
html_extra_path = ["site"]  # index.html, which leads to docs/index.html
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}

SECTIONS = {
    "Learn": ["docs/learn"],
    "How-to guides": ["docs/how-to"],
    "Reference": ["docs/reference"],
    "Background": ["docs/why", "docs/background"],
    "Project": ["docs/project", "CHANGELOG", "CONTRIBUTING", "ARCHITECTURE", "SECURITY", "packaging/README",
                "bench/README", "examples/README"],
}
# Pages that come first in their folder, in this order; the others follow by name.
FIRST = ["docs/learn/install", "docs/learn/first-environment", "docs/learn/first-script", "docs/learn/first-canary",
         "docs/learn/first-policy", "docs/learn/pipeline", "docs/background/the-tree", "docs/background/a-run",
         "docs/reference/commands/index", "docs/reference/kinds/index", "docs/reference/policies/index",
         "docs/reference/reasons", "docs/project/upgrade"]
INDEXES = {f"{part}/index" for parts in SECTIONS.values() for part in parts}


def place(name):
    return (FIRST.index(name) if name in FIRST else len(FIRST), name)


def pages_of(folder, found):
    """The pages of a folder but its index, and of its folders their index or, where there is none, their pages."""
    pages = []
    for name in found:
        below = name.removeprefix(f"{folder}/")
        parent = name.rpartition("/")[0]
        if below == name or below == "index":
            continue
        if "/" not in below or below.endswith("/index") and below.count("/") == 1 or f"{parent}/index" not in found:
            pages.append(name)
    return sorted(pages, key=place)


def toctree(pages, caption=None):
    head = ["```{toctree}", ":hidden:"] + ([f":caption: {caption}"] if caption else [])
    return "\n".join([*head, "", *(f"/{page}" for page in pages), "```", ""])


def add_contents(app, name, source):
    found = app.env.found_docs
    if name == root_doc:
        for caption, parts in SECTIONS.items():
            pages = [page for part in parts for page in ([part] if part in found else pages_of(part, found))]
            indexes = [f"{part}/index" for part in parts if f"{part}/index" in found]
            source[0] += "\n" + toctree(indexes + pages, caption)
    elif name.endswith("/index") and name not in INDEXES:
        source[0] += "\n" + toctree(pages_of(name.removesuffix("/index"), found))


def setup(app):
    app.connect("source-read", add_contents)
