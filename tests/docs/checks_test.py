"""Each check of the documents finds what it is there for: it runs on pages with a fault, and on one without."""
import pathlib
import subprocess
import sys
import tempfile
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
LONG = textwrap.fill("This sentence is long, " + "and it goes on and on, " * 8 + "until it ends.", 100)

LINKS = {  # a page beside docs/index.md, and what links.py says of it
    "[x](none.md)": "none.md: is no file",
    "![x](none.svg)": "none.svg: is no file",
    "[x](index.md#none)": "docs/index.md has no heading with that anchor",
    "[x](../../outside.md)": "is no file",
    "[x]: none.md": "none.md: is no file",
    "See `docs/none.md`.": "docs/none.md: there is no such page",
    "See docs/index.md#none.": "docs/index.md#none: there is no such page",
    "[x](index.md#first-steps) and `[x](none.md)`": None,
}
STYLE = {
    LONG: "words, 35 are allowed",
    "    code\n\n" + LONG: "words, 35 are allowed",
    "> [!NOTE]\n" + textwrap.indent(LONG, "> "): "words, 35 are allowed",
    "- item\n\n    " + LONG: "words, 35 are allowed",
    "One. " * 3 + "\n" + "x" * 121: "121 columns",
    "This " + "word " * 20 + "ends.": "at the mean",
    "kubist looks at it in vain.": "in vain",
    "It lets go.": "lets go",
    "It is let go of.": "is let go",
    "All is looked at.": "looked at",
    "It gets none of it again.": "none of it again",
    "a\n\n- Names: `a`, ``": "page.md:3: an empty code span",
    "| `` | b |": "an empty code span",
    "```sh\n`` \n```\n\n``a `b` ``, ``c``, and `` ` ``.": None,
    "\n\n".join([textwrap.indent(LONG, "> "), textwrap.indent(LONG, " " * 4), f"~~~\n{LONG}\n~~~", "a"]): None,
}
OTHERS = {  # other files than pages: their name and text, and what style.py says of them
    ("x.7", ".SH A\nText.\n.TP\n.B looks at\nIn\n.I x\nvain, in vain."): "x.7:5: \"in vain\"",
    ("x.7", f".B name\n{LONG}"): "words, 35 are allowed",
    ("x.7", ".nf\nin vain\n.fi\n.B in vain\nis text.\n.SH in vain\n"): None,
    ("values.yaml", f"# -- a value\na: in vain\n# -- one more,\n# in vain\nb: 1  {'x' * 121}"): "values.yaml:3: \"in vain\"",
    ("values.yaml", "# text\na: in vain\n#chart a: in vain\n# {{ in vain }}"): None,
    ("Chart.yaml", "description: in vain"): "Chart.yaml:1: \"in vain\"",
    ("NOTES.txt", "It is\n\n  in vain\n{{- if .in vain }}\nNo {{ in vain }}, in vain."): "NOTES.txt:5: \"in vain\"",
    ("NOTES.txt", "It is\n\n  in vain\n{{- if .in vain }}\nNo {{ in vain }}."): None,
}
MESSAGES = {  # C++, and what messages.py says of it
    'fail("kubist looks at it");': "looks at",
    'fail("kubist looks "\n     "at it");': "looks at",
    'fail(cat("left ", name, " alone: ", why));': "alone",
    f'fail("{LONG}");'.replace("\n", ' "\n"'): "a sentence of",
    'f("no", "kubist looks", "at it"); // "in vain"\nf(R"x(in vain)x", "alone", "see \\"it\\" now");': None,
}
COMMANDS = {
    "```sh\nls\n```": "a block `sh` that no test runs",
    "```\nls\n```": "a block `` that no test runs",
    "```console\n$ ls\n```": "a block `console` that no test runs",
    "```console nosuch\n$ ls\n```": "a block `console nosuch` that no test runs",
    "```console quickstart\n$ ls\n```": "that no test runs",
    "```groovy\nsh 'ls'\n```": "a block `groovy` that no test runs",
    "```text\n$ ls\n```": "a block `text` that no test runs",
    '```sh skip=""\nls\n```': "that no test runs",
    "```cmake from=tests/CMakeLists.txt\nnosuch\n...\n```": "differs from tests/CMakeLists.txt",
    "```cmake from=tests/nosuch\n...\n```": "differs from tests/nosuch",
    "```markdown from=changes.d/README.md\n# Changes since the last release\n...\n```": None,
    "text\n\n    ls": "page.md:3: a block that is indented",
    "- item\n\n  ```sh\n  ls\n  ```": "a block that is indented",
    "```sh run\nls\n```\n\n```console cluster exit=3\n$ ls\n```\n\n```yaml\na: 1\n```": None,
    '```sh skip="it needs a browser"\nls\n```\n\n```sh file=a.sh\nls\n```': None,
}
LIMITS = {  # a page's paragraph, limits.tsv, a source, and what limits.py says
    ("| size | 1 MiB |", "size\ta.cpp\tk_size", "std::size_t k_size = std::size_t{1} << 20U;"): None,
    ("- **Runs**: 2 to 1,024 in 10 min.", "Runs\ta.cpp\tk[0]\nRuns\ta.cpp\tk[1]\nRuns\ta.cpp\tlimits.wall",
     "Shares k{2, 1'024};\nlimits.wall = std::chrono::minutes(10);"): None,
    ("It is 30 s.", "It\ta.cpp\tk_time", "std::chrono::milliseconds k_time{30'000};  // k_time = 1"): None,
    ("It is 30 s.", "It\ta.cpp\tk_time", "std::chrono::seconds k_time{31};"): "the page has 30 s, k_time in a.cpp is (31",
    ("It is 2.", "It\ta.cpp\tk_a, k_b", "int k_a = 2, k_b = 3;"): "is (2, 3)",
    ("It is 2.", "It\ta.cpp\tk_size", "int k_sizes = 2;"): "there is no constant k_size",
    ("It is 2.", "It\ta.cpp b.cpp\tk_size", "int k_size = 2;"): "b.cpp",
    ("It is 2.", "It\ta.cpp\tk_a", "int k_a = 2;\nint k_a = 3;"): "k_a has several values",
    ("It is 2.", "It\ta.cpp\tk_a", "int k_a = other();"): "is no expression of numbers",
    ("It is 2 or 3.", "It\ta.cpp\tk_a", "int k_a = 2;"): "2 numbers, and limits.tsv has 1 lines",
    ("It is so.", "So\ta.cpp\tk_a", "int k_a = 2;"): "nothing in the page begins with: So",
    ("It is 2.", "It\t-\tcounted by hand", ""): None,
}


def run(check, *arguments):
    return subprocess.run([sys.executable, HERE / check, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)


def expect(check, text, message, done):
    if (done.returncode == 0) != (message is None) or message and message not in done.stdout:
        sys.exit(f"{check}: of {text!r} it said with exit code {done.returncode}:\n{done.stdout}\nnot: {message}")


def links(folder, text):
    docs = folder / "docs"
    docs.mkdir(exist_ok=True)
    (docs / "index.md").write_text("# Index\n\n## First steps\n\n[page](page.md), docs/page.md\n")
    (docs / "page.md").write_text(text + "\n")
    return run("links.py", folder)


def limits(folder, page, table, source):
    for name, text in (("docs/reference/limits.md", page), ("tests/docs/limits.tsv", table), ("a.cpp", source)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text + "\n")
    return run("limits.py", folder)


def main():
    with tempfile.TemporaryDirectory(prefix="kubist-docs-") as name:
        folder = pathlib.Path(name)
        subprocess.run(["git", "init", "--quiet", folder], check=True)
        for text, message in LINKS.items():
            expect("links.py", text, message, links(folder, text))
        (folder / "docs/alone.md").write_text("# Alone\n")
        expect("links.py", "alone.md", "no links lead from docs/index.md", links(folder, ""))
        for check, name, texts in (("style.py", "page.md", STYLE), ("commands.py", "page.md", COMMANDS),
                                   ("messages.py", "source.cpp", MESSAGES)):
            for text, message in texts.items():
                (folder / name).write_text(text + "\n")
                expect(check, text, message, run(check, folder / name))
        for (name, text), message in OTHERS.items():
            (folder / name).write_text(text + "\n")
            expect("style.py", text, message, run("style.py", folder / name))
        for texts, message in LIMITS.items():
            expect("limits.py", texts, message, limits(folder, *texts))
    count = len(LINKS) + 1 + len(LIMITS) + len(STYLE) + len(OTHERS) + len(COMMANDS) + len(MESSAGES)
    print(f"{count} texts are judged as they should be")


if __name__ == "__main__":
    main()
