#include <algorithm>

#include <kubist/cli/help.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using util::cat;

// Text wrapped at `width` columns, each line behind `indent` spaces; blank lines stay.
std::string wrap(std::string_view text, std::size_t indent, std::size_t width = 96) {
  const std::string margin(indent, ' ');
  std::string result;
  for (const std::string& paragraph : util::split(text, '\n')) {
    std::string line;
    for (const std::string& word : util::split(paragraph, ' ')) {
      if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
        result += cat(margin, line, '\n');
        line.clear();
      }
      line += line.empty() ? word : cat(' ', word);
    }
    result += line.empty() ? "\n" : cat(margin, line, '\n');
  }
  return result;
}

std::string flag_usage(const Flag& flag) {
  std::string text = flag.letter != 0 ? cat("-", flag.letter, ", ") : "    ";
  text += cat("--", flag.name);
  if (flag.kind == FlagKind::optional) {
    text += cat("[=", flag.value, ']');
  } else if (flag.kind != FlagKind::boolean) {
    text += cat(' ', flag.value);
  }
  return text;
}

std::string flag_list(const std::vector<Flag>& flags) {
  std::string text;
  for (const Flag& flag : flags) {
    if (flag.hidden) {
      continue;
    }
    const std::string usage = flag_usage(flag);
    std::string help(flag.help);
    if (!flag.initial.empty() && flag.initial != "false") {
      help += cat(" (default ", flag.initial, ')');
    }
    text += cat("  ", usage);
    if (usage.size() > 26) {
      text += '\n' + wrap(help, 30);
    } else {
      text += wrap(help, 30).substr(2 + usage.size());
    }
  }
  return text;
}

/// A command, or a group of them, in a list; the summaries begin in that column.
std::string command_line(std::string_view words, std::string_view summary,
                         std::size_t column = 24) {
  return cat("  ", words, std::string(column - words.size(), ' '), summary, '\n');
}

}  // namespace

std::string command_help(const CommandSpec& spec) {
  std::string text = cat(spec.summary, ".\n\nUsage:\n  kubist ", spec.path);
  if (!spec.arguments.empty()) {
    text += cat(' ', spec.arguments);
  }
  text += " [flags]\n";
  if (!spec.details.empty()) {
    text += '\n' + wrap(spec.details, 0);
  }
  if (!spec.examples.empty()) {
    text += "\nExamples:\n";
    for (const Example& example : spec.examples) {
      text += cat("  # ", example.what, "\n  ", example.command, "\n");
    }
  }
  if (!spec.flags.empty()) {
    text += "\nFlags:\n" + flag_list(spec.flags);
  }
  return text + "\nUse 'kubist options' for the flags that every command takes.\n";
}

std::string options_help() {
  return "Every command takes these flags, before it or behind it:\n\n" + flag_list(global_flags());
}

std::string group_help(std::string_view words) {
  const CommandGroup* group = find_group(util::trim(words));
  std::string text = cat(group == nullptr ? "" : cat(group->summary, ".\n\n"), "Usage:\n  kubist ",
                         words, "COMMAND [flags]\n\nCommands:\n");
  std::vector<const CommandSpec*> below;
  std::size_t column = 24;
  for (const CommandSpec& spec : commands()) {
    if (!spec.hidden && spec.path.starts_with(words)) {
      below.push_back(&spec);
      column = std::max(column, spec.path.size() + 2);
    }
  }
  for (const CommandSpec* spec : below) {
    text += command_line(spec->path, spec->summary, column);
  }
  return text +
         cat("\n'kubist ", words, "COMMAND --help' explains a command and shows examples.\n");
}

std::string overview() {
  std::string text =
      "kubist keeps whole Kubernetes environments in their desired state.\n\n"
      "Usage:\n  kubist COMMAND [flags]\n  kubist --version\n";
  std::string_view heading;
  std::string_view first;
  for (const CommandSpec& spec : commands()) {
    const std::string_view word = spec.path.substr(0, spec.path.find(' '));
    if (spec.hidden || word == first) {
      continue;  // one line says it for all of a group
    }
    first = word;
    if (spec.group != heading) {
      heading = spec.group;
      text += cat('\n', heading, ":\n");
    }
    const CommandGroup* group = find_group(word);
    text += command_line(word, group == nullptr ? spec.summary : group->summary);
  }
  return text +
         "\n'kubist COMMAND --help' explains a command or a group of them, with examples.\n"
         "Use 'kubist options' for the flags that every command takes.\n";
}

}  // namespace kubist::cli
