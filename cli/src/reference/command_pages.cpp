#include <kubist/cli/command.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/text.hpp>

#include "reference/pages.hpp"

namespace kubist::cli {
namespace {

using util::cat;

std::string flag_lines(const std::vector<Flag>& flags) {
  std::string text;
  for (const Flag& flag : flags) {
    if (flag.hidden) {
      continue;
    }
    const std::string_view value = flag.value.empty() ? "" : flag.value;
    std::string line = md_code(cat("--", flag.name,
                                   flag.kind == FlagKind::optional ? cat("[=", value, ']')
                                   : value.empty()                 ? std::string()
                                                                   : cat(' ', value)));
    line += flag.letter == 0 ? "" : cat(", ", md_code(cat('-', flag.letter)));
    line += cat(": ", md_text(flag.help), flag.help.ends_with('.') ? "" : ".");
    if (!flag.initial.empty() && flag.initial != "false") {
      line += cat(" Default: ", md_code(flag.initial), '.');
    }
    text += md_paragraph("- ", line, 2);
  }
  return text;
}

/// An example in lines that are no wider than the documents'.
std::string in_lines(std::string_view command) {
  constexpr std::size_t k_width = 112;
  std::string text;
  std::size_t column = 0;
  for (const std::string& word : util::split(command, ' ')) {
    if (column > 0 && column + word.size() > k_width) {
      text += "\\\n    ";
      column = 4;
    }
    text += cat(word, ' ');
    column += word.size() + 1;
  }
  text.back() = '\n';
  return text;
}

std::string command_section(const CommandSpec& spec, std::string_view level) {
  std::string text = cat('\n', level, " kubist ", spec.path, "\n\n", md_sentence(spec.summary),
                         "\n\n```\nkubist ", spec.path, spec.arguments.empty() ? "" : " ",
                         spec.arguments, " [flags]\n```\n", md_paragraphs(spec.details));
  if (!spec.flags.empty()) {
    text += "\nFlags:\n\n" + flag_lines(spec.flags);
  }
  for (const Example& example : spec.examples) {
    text += cat(&example == &spec.examples.front() ? "\nExamples:\n\n```\n" : "", "# ",
                example.what, '\n', in_lines(example.command));
  }
  return text + (spec.examples.empty() ? "" : "```\n");
}

/// The commands that share a first word.
struct Group {
  std::string word;
  std::string_view heading, summary;
  std::vector<const CommandSpec*> commands;
};

std::vector<Group> groups() {
  std::vector<Group> all;
  for (const CommandSpec& spec : commands()) {
    if (spec.hidden) {
      continue;
    }
    const std::string word(spec.path.substr(0, spec.path.find(' ')));
    if (all.empty() || all.back().word != word) {
      const CommandGroup* group = find_group(word);
      all.push_back({word, spec.group, group == nullptr ? spec.summary : group->summary, {}});
    }
    all.back().commands.push_back(&spec);
  }
  return all;
}

constexpr std::string_view k_command_source = "the commands' records (cli/src/commands)";

Page command_page(const Group& group) {
  const bool one = group.commands.size() == 1 && group.commands[0]->path == group.word;
  std::string text = md_head(cat("kubist ", group.word), k_command_source);
  if (one) {
    const std::string section = command_section(*group.commands[0], "");
    text += section.substr(section.find('\n', 1) + 1);  // its heading is the page's
  } else {
    text += cat('\n', md_sentence(group.summary), '\n');
    for (const CommandSpec* spec : group.commands) {
      text += command_section(*spec, "##");
    }
  }
  return {cat("commands/", group.word, ".md"),
          text +
              "\nEvery command takes the [global flags](global-flags.md), and ends with one of "
              "the\n[exit codes](../exit-codes.md).\n"};
}

Page exit_code_page() {
  std::string text = md_head("Exit codes", "cli/include/kubist/cli/exit_codes.hpp");
  text += "\nEvery command of kubist ends with one of these codes.\n\n";
  for (const auto& [code, means] : k_exit_codes) {
    text += md_paragraph("- ", cat(md_code(cat(static_cast<int>(code))), ": ", md_text(means)), 2);
  }
  return {"exit-codes.md", text};
}

}  // namespace

std::vector<Page> command_pages() {
  std::vector<Page> pages;
  std::vector<std::string> entries;
  std::string index = md_head("Commands", k_command_source);
  std::string_view heading;
  for (const Group& group : groups()) {
    pages.push_back(command_page(group));
    entries.push_back(group.word);
    index += group.heading == heading ? "" : cat("\n## ", group.heading, "\n\n");
    heading = group.heading;
    index += md_paragraph(
        "- ", cat("[kubist ", group.word, "](", group.word, ".md): ", md_sentence(group.summary)),
        2);
  }
  entries.emplace_back("global-flags");
  pages.push_back(md_index("commands", index, entries));
  pages.push_back({"commands/global-flags.md",
                   cat(md_head("Global flags", "cli/src/commands.cpp"),
                       "\nEvery command takes these flags, before it or behind it.\n\n",
                       flag_lines(global_flags()))});
  pages.push_back(exit_code_page());
  return pages;
}

}  // namespace kubist::cli
