#include <algorithm>
#include <exception>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/cli/help.hpp>
#include <kubist/cli/run.hpp>
#include <kubist/util/cancel.hpp>
#include <kubist/util/text.hpp>

#include "bind.hpp"
#include "output/set_report.hpp"

namespace kubist::cli {
namespace {

using util::cat;
using util::Error;
using util::ErrorKind;

std::size_t words_in(std::string_view path) { return util::split(path, ' ').size(); }

/// What may stand behind these leading words of commands: "list" behind "deployitem".
std::vector<std::string> words_below(const std::string& leading) {
  std::vector<std::string> below;
  for (const CommandSpec* spec : commands()) {
    if (!spec->hidden && spec->path.starts_with(leading)) {
      const std::string_view rest = spec->path.substr(leading.size());
      std::string word(rest.substr(0, rest.find(' ')));
      if (std::find(below.begin(), below.end(), word) == below.end()) {
        below.push_back(std::move(word));
      }
    }
  }
  return below;
}

Error unknown_command(const std::vector<std::string>& words) {
  std::string leading;
  std::size_t known = 0;
  while (known < words.size() && !words_below(leading + words[known] + ' ').empty()) {
    leading += words[known++] + ' ';
  }
  const auto below = words_below(leading);
  const std::string group = leading.substr(0, leading.empty() ? 0 : leading.size() - 1);
  const std::string hint = known == 0
                               ? "See 'kubist help'."
                               : cat("'kubist ", group, "' has: ", util::join(below, ", "), ".");
  if (known > 0 && (known == words.size() || words[known].starts_with('-'))) {
    return util::make_error(ErrorKind::usage, cat("'kubist ", group, "' needs a command"), hint);
  }
  return util::make_error(ErrorKind::usage,
                          cat("unknown command \"", leading, words[known], "\"",
                              util::did_you_mean(words[known], below)),
                          hint);
}

int report(const Error& error, Sink& err) {
  err.write(cat("error: ", util::printable(error.to_string()), '\n'));
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
  void flush() override { m_inner.flush(); }
  bool closed() const override { return m_inner.closed(); }
  bool used() const { return m_used; }

 private:
  Sink& m_inner;
  bool m_used = false;
};

int run_command(const CommandSpec& spec, const std::vector<std::string>& words, Sink& out,
                Sink& err) {
  auto arguments = parse_arguments(spec, words);
  if (!arguments) {
    return report(arguments.error(), err);
  }
  const util::Cancellation cancellation;
  NotedSink noted(out);
  Context context(*arguments, noted, err, cancellation.token());
  const auto code = spec.run(context, *arguments);
  if (!code && !noted.used()) {
    out.write(refusal_document(*arguments, code.error()));
  }
  out.flush();
  if (code) {
    return *code == k_interrupted && cancellation.signal() != 0 ? 128 + cancellation.signal()
                                                                : *code;
  }
  const int failed = report(code.error(), err);
  return code.error().kind == ErrorKind::cancelled && cancellation.signal() != 0
             ? 128 + cancellation.signal()
             : failed;
}

int dispatch(std::vector<std::string> words, Sink& out, Sink& err) {
  words = hoist_global_flags(std::move(words));
  const bool help_word = !words.empty() && words[0] == "help";
  if (help_word) {
    words.erase(words.begin());
  }
  if (words.empty() || words[0].starts_with('-')) {
    out.write(overview());
    return words.empty() || asks_for_help(words) ? k_ok : k_usage;
  }
  if (words[0] == "--version") {
    words[0] = "version";
  }
  const CommandSpec* spec = find_command(words);
  if (spec == nullptr) {
    return report(unknown_command(words), err);
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
