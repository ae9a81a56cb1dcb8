"""Whether what a document shows of a command's output is what it prints now: for recorded.py."""
import re

# What differs from one run on a cluster to another.
CHANGING = [(re.compile(pattern), name) for pattern, name in (
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", "INSTANT"),
    (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "UID"),
    (r"\b(?:\d+(?:\.\d+)?(?: ms|ms|d|h|m|s))+\b", "TIME"),
    (r"-(?:(?:[bcdf-hj-np-tv-z2-9]{8,10}-)?[bcdf-hj-np-tv-z2-9]{5}|[0-9a-f]{10})\b", "-SUFFIX"),
    (r"\b[1-9]\d* writes?\b", "N writes"),
    # A release: what was counted, and what follows from it.
    (r"\bfor \d+ s:", "for TIME:"),
    (r"\b\d+ (?=requests|errors)|\b[1-9]\d* of \d+ \([\d.]+ %\)|(?<=stable 0 of )\d+|(?<=errors)( +)[\d.]+ %|"
     r"(?<=a probability of )[\d.]+ %|(?<=always-valid p )[\d.e-]+", "N "),
    (r" {2,}", "  "),  # columns are as wide as what is in them
)]


def comparable(text, mark):
    for pattern, name in CHANGING if mark != "run" else ():
        text = pattern.sub(name, text)
    return text


def as_said(said, now, mark):
    lines = ("(?:.*\n)*" if line == "..." else re.escape(comparable(line, mark) + "\n") for line in said.splitlines())
    return re.fullmatch("".join(lines), comparable(now, mark)) is not None
