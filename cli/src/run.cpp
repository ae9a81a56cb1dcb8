#include <algorithm>
#include <exception>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/cli/help.hpp>
#include <kubist/cli/run.hpp>
#include <kubist/util/cancel.hpp>
#include <kubist/util/text.hpp>

#include "bind.hpp"
#include "error_text.hpp"
#include "left_out.hpp"
#include "output/set_documents.hpp"
#include "output/set_report.hpp"
#include "reasons.hpp"
#include "report/reports.hpp"

namespace kubist::cli {
namespace {

using util::cat;
using util::Error;
using util::ErrorKind;

std::size_t words_in(std::string_view path) { return util::split(path, ' ').size(); }

/// What may stand behind these leading words of commands: "list" behind "deployitem".
std::vector<std::string> words_below(const std::string& leading) {
  std::vector<std::string> below;
  for (const CommandSpec& spec : commands()) {
    if (!spec.hidden && spec.path.starts_with(leading)) {
      const std::string_view rest = spec.path.substr(leading.size());
      std::string word(rest.substr(0, rest.find(' ')));
      if (std::find(below.begin(), below.end(), word) == below.end()) {
        below.push_back(std::move(word));
      }
    }
  }
  return below;
}

/// How many of `words` lead to commands; `group` becomes those words, a space behind each.
std::size_t words_of_group(const std::vector<std::string>& words, std::string& group) {
  std::size_t known = 0;
  while (known < words.size() && !words_below(cat(group, words[known], ' ')).empty()) {
    group += cat(words[known++], ' ');
  }
  return known;
}

Error unknown_command(const std::string& group, const std::string& word) {
  const auto below = words_below(group);
  if (std::string advice = advice_for_command(group + word); !advice.empty()) {
    return util::make_error(ErrorKind::usage, cat("unknown command \"", group, word, '"'),
                            std::move(advice));
  }
  return util::make_error(
      ErrorKind::usage,
      cat("unknown command \"", group, word, "\"", util::did_you_mean(word, below)),
      group.empty() ? "See 'kubist help'."
                    : cat("'kubist ", util::trim(group), "' has: ", util::join(below, ", "), "."));
}

int report(const Error& error, Sink& err) {
  err.write(cat(util::printable(error_text(error)), '\n'));
  if (const std::string more = reason_command(error.reason); !more.empty()) {
    err.write(cat("  '", more, "' says more.\n"));
  }
  err.flush();
  return exit_code(error.kind);
}

/// Knows whether anything was written through it.
class NotedSink final : public Sink {
 public:
  explicit NotedSink(Sink& inner) : m_inner(inner) {}
  void write(std::string_view text) override {
    m_used = m_used || !text.empty();
    m_inner.write(text);
  }
  void steer(std::string_view sequences) override { m_inner.steer(sequences); }
  void flush() override { m_inner.flush(); }
  bool closed() const override { return m_inner.closed(); }
  bool used() const { return m_used; }

 private:
  Sink& m_inner;
  bool m_used = false;
};

/// A command that has delivered no report had nothing to do, or failed before it had any result.
/// True: its error stands where people see it.
bool report_the_end(const CommandSpec& spec, Reports& reports, const util::Result<int>& code,
                    NotedSink& out) {
  if (reports.delivered() || (!code && code.error().kind == ErrorKind::usage)) {
    return false;
  }
  static const apply::Report nothing;
  reports.deliver(code ? set_report(nothing, no_manifests(), cat("kubist ", spec.path, '\n'))
                       : refusal_report(code.error()),
                  out, !out.used());
  return !code && reports.annotated();
}

int run_command(const CommandSpec& spec, const std::vector<std::string>& words, Sink& out,
                Sink& err) {
  auto arguments = parse_arguments(spec, words);
  if (!arguments) {
    return report(arguments.error(), err);
  }
  util::Cancellation cancellation;
  NotedSink noted(out);
  Context context(*arguments, noted, err, cancellation);
  Reports& reports = context.reports();
  if (const auto opened = reports.open(*arguments); !opened) {
    return report(opened.error(), err);
  }
  auto code = spec.run(context, *arguments);
  const bool told = report_the_end(spec, reports, code, noted);
  if (reports.trouble() && code && *code == k_ok) {
    code = util::fail(*reports.trouble());
  } else if (reports.trouble()) {
    report(*reports.trouble(), err);
  }
  out.flush();
  if (code) {
    return *code == k_interrupted && cancellation.signal() != 0 ? 128 + cancellation.signal()
                                                                : *code;
  }
  const int failed = told ? exit_code(code.error().kind) : report(code.error(), err);
  return code.error().kind == ErrorKind::cancelled && cancellation.signal() != 0
             ? 128 + cancellation.signal()
             : failed;
}

/// Words that name no command: a group's help, which is an error where nobody asked for it.
int no_command(const std::vector<std::string>& words, bool asked, Sink& out, Sink& err) {
  std::string group;
  const std::size_t known = words_of_group(words, group);
  if (known == 0 || (known < words.size() && !words[known].starts_with('-'))) {
    return report(unknown_command(group, words[known]), err);
  }
  if (asked) {
    out.write(group_help(group));
    return k_ok;
  }
  const std::string_view path = util::trim(group);
  const int code =
      report(util::make_error(ErrorKind::usage, cat("'kubist ", path, "' needs a command"),
                              advice_for_group(path)),
             err);
  err.write(cat('\n', group_help(group)));
  return code;
}

int dispatch(std::vector<std::string> words, Sink& out, Sink& err) {
  words = hoist_global_flags(std::move(words));
  const bool help_word = !words.empty() && words[0] == "help";
  if (help_word) {
    words.erase(words.begin());
  }
  if (words.empty() || (words[0].starts_with('-') && asks_for_help(words))) {
    out.write(overview());
    return k_ok;
  }
  if (words[0].starts_with('-')) {
    const auto version = std::find(words.begin(), words.end(), "--version");
    if (version == words.end()) {
      return report(util::make_error(ErrorKind::usage,
                                     cat("'kubist ", util::join(words, " "), "' needs a command"),
                                     "See 'kubist help'."),
                    err);
    }
    words.erase(version);
    words.insert(words.begin(), {"version", "--client"});
  }
  const CommandSpec* spec = find_command(words);
  if (spec == nullptr) {
    return no_command(words, help_word || asks_for_help(words), out, err);
  }
  if (help_word || asks_for_help(words)) {
    out.write(command_help(*spec));
    return k_ok;
  }
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(words_in(spec->path)));
  return run_command(*spec, words, out, err);
}

}  // namespace

int run(const std::vector<std::string>& words, Sink& out, Sink& err) {
  try {
    return dispatch(words, out, err);
  } catch (const std::exception& bug) {
    return report(
        util::make_error(ErrorKind::internal, cat("internal error: ", bug.what()),
                         "This is a bug in kubist: please report it with the command line."),
        err);
  }
}

}  // namespace kubist::cli
