"""What is prose in files that are no Markdown, line by line as Markdown, so that style.py judges it, too.

A man page: the words of its macros are code. YAML: comments, and descriptions. What helm prints: actions are code.
"""
import re

FONT = re.compile(r'^\.(?:[BI][BIR]?|[RS][BI]) +(.*)')
COMMENT = re.compile(r"^ *#+ ?(?:-- )?(.*)")
DESCRIPTION = re.compile(r"^description: (.*)")
ACTION = re.compile(r"\{\{.*?\}\}")


def man_page(lines):
    literal = tag = False
    for line in lines:
        found = FONT.match(line)
        if line.startswith((".nf", ".fi")):
            literal = line.startswith(".nf")
        if literal or tag or line.startswith(".") and not found:
            yield ""  # a heading, the end of a paragraph, or a term
        elif found:
            yield f"`{found[1]}`{'.' if found[1].endswith('.') else ''}"
        else:
            yield re.sub(r"\\f[A-Z]|\\&|\\", "", line)
        tag = line.startswith(".TP")


def yaml_comments(lines):
    for line in lines:
        found = COMMENT.match(line) or DESCRIPTION.match(line)
        if re.match(" *# -- ", line):
            yield "- " + found[1]  # each value's text is for itself
        else:
            yield ACTION.sub("`action`", found[1]) if found and not line.strip().startswith("#chart") else ""


def notes(lines):
    for line in lines:
        indented = line.startswith("  ")
        yield "" if indented or ACTION.fullmatch(line) else ACTION.sub("`action`", line)


def as_markdown(path, text):
    """The text with as many lines, so that numbers of lines stay."""
    lines = text.splitlines()
    if re.fullmatch(r"\.[1-8]", path.suffix):
        lines = man_page(lines)
    elif path.suffix == ".yaml":
        lines = yaml_comments(lines)
    elif path.suffix == ".txt":
        lines = notes(lines)
    return "\n".join(lines) + "\n"
