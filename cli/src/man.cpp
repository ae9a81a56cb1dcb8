#include <algorithm>
#include <cctype>

#include <kubist/cli/exit_codes.hpp>
#include <kubist/cli/help.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using util::cat;

// roff: backslashes, hyphens and a leading dot or quote have a meaning of their own.
std::string roff(std::string_view text) {
  std::string result;
  bool line_start = true;
  for (char c : text) {
    if (line_start && (c == '.' || c == '\'')) {
      result += "\\&";
    }
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    line_start = c == '\n';
  }
  return result;
}

std::string flag_entries(const std::vector<Flag>& flags) {
  std::string text;
  for (const Flag& flag : flags) {
    if (flag.hidden) {
      continue;
    }
    text += ".TP\n.B ";
    if (flag.letter != 0) {
      text += cat("\\-", flag.letter, ", ");
    }
    text += roff(cat("--", flag.name));
    if (flag.kind == FlagKind::optional) {
      text += roff(cat("[=", flag.value, ']'));
    } else if (!flag.value.empty()) {
      text += cat(" \\fI", roff(flag.value), "\\fR");
    }
    text += cat('\n', roff(flag.help));
    if (!flag.initial.empty()) {
      text += roff(cat(" (default ", flag.initial, ')'));
    }
    text += '\n';
  }
  return text;
}

std::string page_name(std::string_view path) {
  return path.empty() ? "kubist" : "kubist-" + util::replace_all(path, " ", "-");
}

std::string header(std::string_view path, std::string_view summary) {
  const std::string name = page_name(path);
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(), [](char c) { return std::toupper(c); });
  // No date: the same sources give the same pages.
  return cat(".TH ", title, " 1 \"\" \"kubist " KUBIST_VERSION "\" \"kubist manual\"\n",
             ".SH NAME\n", roff(name), " \\- ", roff(summary), '\n');
}

std::string exit_status() {
  std::string text = ".SH EXIT STATUS\n.TS\nl l.\n";
  for (const auto& [code, means] : k_exit_codes) {
    text += cat(static_cast<int>(code), '\t', roff(means), '\n');
  }
  return text + ".TE\n";
}

std::string program_page() {
  std::string text = "'\\\" t\n" +
                     header("", "keep whole Kubernetes environments in their desired state") +
                     ".SH SYNOPSIS\n.B kubist\n\\fICOMMAND\\fR [flags]\n.SH COMMANDS\n";
  for (const CommandSpec& spec : commands()) {
    if (!spec.hidden) {
      text += cat(".TP\n.BR ", roff(page_name(spec.path)), " (1)\n", roff(spec.summary), '\n');
    }
  }
  return text + ".SH GLOBAL FLAGS\n" + flag_entries(global_flags()) + exit_status() +
         ".SH SEE ALSO\n"
         ".BR kubist\\-config (5)\nfor files and environment variables,\n"
         ".BR kubist\\-policies (7),\n.BR kubist\\-deployitems (7)\n";
}

}  // namespace

std::string man_page(const CommandSpec* spec) {
  if (spec == nullptr) {
    return program_page();
  }
  std::string text = header(spec->path, spec->summary);
  text +=
      cat(".SH SYNOPSIS\n.B kubist ", roff(spec->path), "\n", roff(spec->arguments), "\n[flags]\n");
  if (!spec->examples.empty()) {
    text += ".SH EXAMPLES\n";
    for (const Example& example : spec->examples) {
      text += cat(&example == &spec->examples.front() ? "" : ".PP\n", roff(example.what),
                  ":\n.PP\n.nf\n.RS\n", roff(example.command), "\n.RE\n.fi\n");
    }
  }
  if (!spec->details.empty()) {
    text +=
        cat(".SH DESCRIPTION\n", util::replace_all(roff(spec->details), "\n\n", "\n.PP\n"), '\n');
  }
  if (!spec->flags.empty()) {
    text += ".SH FLAGS\n" + flag_entries(spec->flags);
  }
  return text + ".SH SEE ALSO\n.BR kubist (1)\nfor global flags and exit status\n";
}

}  // namespace kubist::cli
