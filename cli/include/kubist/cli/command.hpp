#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/util/result.hpp>

namespace kubist::cli {

class Context;
class Arguments;

/// What the shell offers for a value; `__complete` maps it to a function.
enum class Completes {
  nothing,
  files,
  resource_types,  ///< pods, kcl, ...
  explained,       ///< types, and reasons: ParentNotReady
  resource_names,  ///< names of the type given before, or TYPE/NAME
  namespaces,
  contexts,
  clusters,
  users,
  deploy_items,
  canaries,
  experiments,
  choices,  ///< Flag::choices
};

enum class FlagKind {
  boolean,   ///< --watch, --watch=false
  text,      ///< --name=value or --name value
  number,    ///< a decimal integer
  duration,  ///< 90s, 1m30s (Go's form), 90 (seconds)
  list,      ///< may be repeated; values are kept in order
  optional,  ///< --dry-run (means Flag::bare) or --dry-run=value; never takes the next word
};

/// One flag. Names are without dashes. Everything that help, man page and completion say is here.
struct Flag {
  std::string_view name;
  char letter = 0;  ///< 0: none
  FlagKind kind = FlagKind::boolean;
  std::string_view value;         ///< what help calls the value: FILE, NAME
  std::string_view help;          ///< one sentence, lower-case start, no full stop
  std::string_view initial = {};  ///< the default, as the user would write it
  Completes completes = Completes::nothing;
  std::string_view bare = {};  ///< for optional: the value of the flag without one
  /// The only values allowed; one that ends with '=' stands for all that begin with it.
  std::vector<std::string_view> choices = {};
  bool hidden = false;
};

/// A flag that takes one of `choices`; with `bare` it may stand without one. Its words are Flag's.
Flag choice_flag(std::string_view name, char letter, std::string_view value, std::string_view help,
                 std::string_view initial, std::vector<std::string_view> choices,
                 std::string_view bare = {});

/// One of kubectl's that changes nothing of what kubist does: taken, and shown nowhere.
Flag kubectl_flag(std::string_view name, FlagKind kind);

struct Example {
  std::string_view what;     ///< "Apply a folder and wait until all is ready"
  std::string_view command;  ///< "kubist apply -f env/ --wait"
};

/// One command: the one record that parsing, help, man page and completion read.
struct CommandSpec {
  std::string_view path;       ///< "apply", "deployitem logs"
  std::string_view group;      ///< heading in `kubist help`; commands of one follow each other
  std::string_view summary;    ///< one line
  std::string_view details;    ///< paragraphs for help and man page
  std::string_view arguments;  ///< usage of the positional words: "[TYPE[/NAME]...]"
  int min_words = 0;
  int max_words = 0;  ///< -1: any number
  Completes completes = Completes::nothing;
  std::vector<Flag> flags;
  std::vector<Example> examples;
  /// Does the work; the value is the exit code. Errors are printed and mapped by the dispatcher.
  std::function<util::Result<int>(Context&, const Arguments&)> run;
  bool hidden = false;
};

/// The value of a flag of kind duration; nothing where it is none, or longer than 285 years.
std::optional<std::chrono::nanoseconds> parse_flag_duration(std::string_view text);

/// The parsed words of one command. Asking for a flag that its spec does not name is a bug
/// (assert).
class Arguments {
 public:
  Arguments(const CommandSpec& spec, std::map<std::string, std::vector<std::string>> values,
            std::vector<std::string> words);

  const CommandSpec& spec() const { return *m_spec; }
  const std::vector<std::string>& words() const { return m_words; }
  /// The same for another command with the same flags.
  Arguments with_words(std::vector<std::string> words) const {
    Arguments copy = *this;
    copy.m_words = std::move(words);
    return copy;
  }
  bool given(std::string_view flag) const;
  bool boolean(std::string_view flag) const;
  /// The value given, or the flag's default, or "".
  std::string text(std::string_view flag) const;
  std::vector<std::string> list(std::string_view flag) const;
  /// Checked when parsed, so these cannot fail. A number or duration that has no default is 0.
  long long number(std::string_view flag) const;
  std::chrono::nanoseconds duration(std::string_view flag) const;

 private:
  const Flag& flag(std::string_view name) const;
  const CommandSpec* m_spec;
  std::map<std::string, std::vector<std::string>> m_values;
  std::vector<std::string> m_words;
};

/// Every command, in the order of `kubist help`: makes the records of all of them, for which a
/// start has no time. Adding a command adds a line in commands.cpp.
const std::vector<std::reference_wrapper<const CommandSpec>>& commands();
/// Commands that share their first word: one line of `kubist help`.
struct CommandGroup {
  std::string_view word;     ///< "canary"
  std::string_view summary;  ///< one line
};
/// The group of that word, or nullptr.
const CommandGroup* find_group(std::string_view word);
/// The flags that every command takes (kubectl's global ones, -v, --color).
const std::vector<Flag>& global_flags();
/// The command whose path is the longest run of leading `words`; nullptr when none. Makes the
/// record of only that command.
const CommandSpec* find_command(const std::vector<std::string>& words);

}  // namespace kubist::cli
