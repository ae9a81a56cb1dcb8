#include <array>
#include <cstdio>

#include <kubist/util/base64.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "report/html.hpp"
#include "report/report.hpp"

namespace kubist::cli {

using util::cat;

namespace {

constexpr std::string_view k_page_style = R"(
:root { color-scheme: light dark; --back: #fff; --text: #1b1f24; --dim: #57606a; --line: #d8dee4; --soft: #f3f5f7;
  --good: #1a7f37; --bad: #cf222e; --warn: #8a5a00; --work: #0969da; --wait: #b6d4f5; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #e6edf3; --dim: #9198a1; --line: #30363d;
  --soft: #161b22; --good: #3fb950; --bad: #ff7b72; --warn: #d29922; --work: #4493f8; --wait: #1f4a7d; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 72rem; background: var(--back); color: var(--text);
  font: 15px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1.1rem; margin: 1.6rem 0 .5rem; } h3 { font-size: 1rem; }
p { margin: .2rem 0; } ul, ol { margin: .2rem 0; padding-left: 1.3rem; }
pre, code, .name { font-family: ui-monospace, monospace; font-size: .87em; }
pre { margin: .3rem 0; padding: .5rem; background: var(--soft); overflow-x: auto; white-space: pre-wrap; }
pre.diff { white-space: pre; }
.dim, .facts, footer { color: var(--dim); } footer { margin-top: 2rem; }
.ready, .passed { color: var(--good); } .failed { color: var(--bad); } .waiting, .skipped { color: var(--warn); }
.add { color: var(--good); } .del { color: var(--bad); }
.finding { border-left: 3px solid var(--line); padding: .1rem .7rem; margin: .6rem 0; }
.row { border-bottom: 1px solid var(--line); } .more { padding: .2rem 0 .6rem 1.2rem; }
.line { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 2fr) 4.5rem minmax(0, 4fr); gap: .7rem;
  align-items: center; padding: .25rem 0; }
.name { white-space: pre-wrap; } .took { text-align: right; color: var(--dim); }
summary { cursor: pointer; } .row > summary { list-style: none; } .row > summary .name::after { content: " \25B8"; }
.row[open] > summary .name::after { content: " \25BE"; }
svg { display: block; width: 100%; } .bar { height: .8rem; background: var(--soft); }
.bar .work { fill: var(--work); } .bar .wait { fill: var(--wait); }
.chart { max-width: 44rem; } .chart text { fill: var(--dim); font-size: 12px; }
.chart .grid { stroke: var(--line); } .chart .weight { fill: none; stroke: var(--work); stroke-width: 2; }
.chart .passed { fill: var(--work); } .chart .failed { fill: var(--bad); }
@media (max-width: 40rem) { .line { grid-template-columns: minmax(0, 1fr) 4.5rem; gap: 0 .5rem; }
  .line .name, .line .bar { grid-column: 1 / -1; } }
)";

std::string policy() {
  return cat("default-src 'none'; style-src 'sha256-",
             util::base64_encode(util::sha256_raw(k_page_style)),
             "'; base-uri 'none'; form-action 'none'");
}

}  // namespace

std::string html_element(std::string_view name, std::string_view classes, std::string_view text) {
  const std::string of = classes.empty() ? "" : cat(" class=\"", classes, '"');
  return text.empty() ? "" : cat('<', name, of, '>', xml_text(text), "</", name, ">\n");
}

std::string html_prose(std::string_view classes, std::string_view sentences) {
  std::string text;
  bool code = false;
  for (const std::string& part : util::split(sentences, '`')) {
    text += code ? cat("<code>", xml_text(part), "</code>") : xml_text(part);
    code = !code;
  }
  return text.empty() ? "" : cat("<p class=\"", classes, "\">", text, "</p>\n");
}

std::string html_details(std::string_view classes, std::string_view summary,
                         std::string_view body) {
  return cat("<details class=\"", classes, "\"><summary>", summary, "</summary>\n", body,
             "</details>\n");
}

std::string html_section(std::string_view heading, std::string_view body) {
  return body.empty() ? ""
                      : cat("<section>\n", html_element("h2", "", heading), body, "</section>\n");
}

std::string html_diff(std::string_view diff) {
  std::string lines;
  for (const std::string& line : util::split(util::trim(diff), '\n')) {
    const std::string_view kind = line.starts_with('+')   ? "add"
                                  : line.starts_with('-') ? "del"
                                                          : "";
    lines += kind.empty() ? cat(xml_text(line), '\n') : html_element("span", kind, line);
  }
  return cat("<pre class=\"diff\">", lines, "</pre>\n");
}

std::string html_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

std::string html_page(std::string_view title, std::string_view body) {
  return cat("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
             "<meta http-equiv=\"Content-Security-Policy\" content=\"", policy(), "\">\n",
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
             html_element("title", "", title), "<style>", k_page_style,
             "</style>\n</head>\n<body>\n", body,
             "<footer>Written by kubist " KUBIST_VERSION "</footer>\n</body>\n</html>\n");
}

}  // namespace kubist::cli
