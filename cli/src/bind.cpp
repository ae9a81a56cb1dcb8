// The only file that knows CLI11: a record becomes a CLI::App, the result becomes Arguments.
#include "bind.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "left_out.hpp"

namespace kubist::cli {
namespace {

using util::cat;
using util::ErrorKind;

using Values = std::vector<std::string>;

void add_flag(CLI::App& app, const Flag& flag, Values& values) {
  if (flag.kind == FlagKind::boolean || flag.kind == FlagKind::optional) {
    // A CLI11 flag takes a value only after '=', which is what pflag's NoOptDefVal means.
    const std::string_view bare = flag.kind == FlagKind::boolean ? "true" : flag.bare;
    const std::string names =
        flag.letter != 0 ? cat("-", flag.letter, '{', bare, "},--", flag.name, '{', bare, '}')
                         : cat("--", flag.name, '{', bare, '}');
    app.add_flag(names, values)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return;
  }
  const std::string names =
      flag.letter != 0 ? cat("-", flag.letter, ",--", flag.name) : cat("--", flag.name);
  app.add_option(names, values)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// May one of the words name the flag? `-tn` may, as may what stands behind a "--".
bool may_be_given(const Flag& flag, const Values& words) {
  const std::string name = cat("--", flag.name);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word.starts_with("--") ? word.starts_with(name)
                                  : flag.letter != 0 && word.starts_with('-') &&
                                        word.find(flag.letter, 1) != std::string::npos;
  });
}

auto usage_error(const CommandSpec& spec, std::string message, const std::string& advice = {}) {
  return util::fail(ErrorKind::usage, std::move(message),
                    advice.empty() ? cat("See 'kubist ", spec.path, " --help'.") : advice);
}

util::Result<> check_value(const CommandSpec& spec, const Flag& flag, const std::string& value) {
  const auto bad = [&](std::string_view expected) {
    return usage_error(
        spec, cat("invalid value \"", value, "\" for --", flag.name, ": expected ", expected),
        flag.name == "output" ? advice_for_output(value) : "");
  };
  if (flag.kind == FlagKind::boolean && value != "true" && value != "false") {
    return bad("true or false");
  }
  if (flag.kind == FlagKind::number && !util::parse_int(value)) {
    return bad("a whole number");
  }
  if (flag.kind == FlagKind::duration && !parse_flag_duration(value)) {
    return bad("a duration like 90s or 1m30s, or a number of seconds");
  }
  const bool unset = value.empty() && flag.kind == FlagKind::text && flag.initial.empty();
  if (!flag.choices.empty() && !unset &&
      std::none_of(flag.choices.begin(), flag.choices.end(), [&](std::string_view choice) {
        return choice.ends_with('=') ? value.starts_with(choice) : value == choice;
      })) {
    const std::vector<std::string> choices(flag.choices.begin(), flag.choices.end());
    return bad(cat("one of ", util::join(choices, ", "), util::did_you_mean(value, choices)));
  }
  return {};
}

using FlagTable = std::vector<const Flag*>;

FlagTable flags_of(const CommandSpec& spec) {
  FlagTable all;
  for (const std::vector<Flag>* flags : {&spec.flags, &global_flags()}) {
    for (const Flag& flag : *flags) {
      all.push_back(&flag);
    }
  }
  return all;
}

std::vector<std::string> long_names(const FlagTable& flags) {
  std::vector<std::string> names;
  for (const Flag* flag : flags) {
    names.push_back(cat("--", flag->name));
  }
  return names;
}

std::string letter_with_value(const FlagTable& flags, const std::string& word) {
  for (const Flag* flag : flags) {
    if (flag->letter == word[1]) {
      return cat("--", flag->name, word.substr(2));
    }
  }
  return word;
}

// pflag takes -n=team, CLI11 only -nteam and -n team. And where pflag reads an empty value behind
// the '=', as an unset variable leaves it, CLI11 takes the next word.
util::Result<Values> as_cli11_reads(const CommandSpec& spec, const FlagTable& flags,
                                    const Values& words) {
  Values read;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") {
      read.insert(read.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    std::string word = words[i];
    if (word.size() > 2 && word[0] == '-' && word[1] != '-' && word[2] == '=') {
      word = letter_with_value(flags, word);
    }
    const Flag* flag =
        word.ends_with('=') ? find_flag(&spec, word.substr(0, word.size() - 1)) : nullptr;
    if (flag == nullptr) {
      read.push_back(std::move(word));
    } else if (takes_next_word(*flag) && words[i][1] == '-') {
      read.insert(read.end(), {word.substr(0, word.size() - 1), ""});
    } else {
      return usage_error(spec, cat(words[i], " has no value"));
    }
  }
  return read;
}

// Unknown flags are reported by us, with a suggestion; everything else left over is a word.
util::Result<std::vector<std::string>> check_words(const CommandSpec& spec, const FlagTable& flags,
                                                   std::vector<std::string> rest) {
  for (const std::string& word : rest) {
    if (word == "--") {
      break;
    }
    if (word.size() > 1 && word[0] == '-') {
      const std::string name = word.substr(0, word.find('='));
      return usage_error(spec,
                         cat("unknown flag ", name, util::did_you_mean(name, long_names(flags))),
                         advice_for_word(spec.path, name));
    }
  }
  rest.erase(std::remove(rest.begin(), rest.end(), "--"), rest.end());
  const int count = static_cast<int>(rest.size());
  if (count < spec.min_words) {
    return usage_error(spec, cat("'kubist ", spec.path, "' needs ", spec.arguments));
  }
  if (spec.max_words >= 0 && count > spec.max_words) {
    const std::string& more = rest[static_cast<std::size_t>(spec.max_words)];
    return usage_error(spec, cat("unexpected argument \"", more, '"'),
                       advice_for_word(spec.path, more));
  }
  return rest;
}

}  // namespace

bool asks_for_help(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") {
      return false;
    }
    if (word == "-h" || word == "--help") {
      return true;
    }
  }
  return false;
}

util::Result<Arguments> parse_arguments(const CommandSpec& spec, std::vector<std::string> words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  const FlagTable flags = flags_of(spec);
  KUBIST_TRY(words, as_cli11_reads(spec, flags, words));
  std::vector<Values> given(flags.size());
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (may_be_given(*flags[i], words)) {  // CLI11 compares each new name with all before it
      add_flag(app, *flags[i], given[i]);
    }
  }
  std::reverse(words.begin(), words.end());  // CLI11 consumes from the back
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return usage_error(spec, error.what());
  }
  std::map<std::string, Values> values;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    for (const std::string& value : given[i]) {
      KUBIST_CHECK(check_value(spec, *flags[i], value));
    }
    if (!given[i].empty()) {
      values.emplace(flags[i]->name, std::move(given[i]));
    }
  }
  KUBIST_TRY(auto rest, check_words(spec, flags, app.remaining()));
  return Arguments(spec, std::move(values), std::move(rest));
}

const Flag* find_flag(const CommandSpec* spec, std::string_view word) {
  const auto search = [&](const std::vector<Flag>& flags) -> const Flag* {
    for (const Flag& flag : flags) {
      if (word == cat("--", flag.name) || (flag.letter != 0 && word == cat('-', flag.letter))) {
        return &flag;
      }
    }
    return nullptr;
  };
  const Flag* own = spec == nullptr ? nullptr : search(spec->flags);
  return own != nullptr ? own : search(global_flags());
}

bool takes_next_word(const Flag& flag) {
  return flag.kind != FlagKind::boolean && flag.kind != FlagKind::optional;
}

std::vector<std::string> hoist_global_flags(std::vector<std::string> words) {
  std::vector<std::string> path;
  std::vector<std::string> flags;
  std::size_t at = 0;
  for (; at < words.size() && words[at] != "--"; ++at) {
    const std::string& word = words[at];
    if (word.size() > 1 && word[0] == '-') {
      const bool named = word[1] == '-';
      if (!path.empty() &&
          find_flag(nullptr, word.substr(0, named ? word.find('=') : 2)) == nullptr) {
        break;  // a flag of the command's own
      }
      const Flag* flag = find_flag(nullptr, word);
      flags.push_back(word);
      if (flag != nullptr && takes_next_word(*flag) && at + 1 < words.size()) {
        flags.push_back(words[++at]);
      }
    } else if (find_command(path) == nullptr) {
      path.push_back(word);
    } else {
      break;
    }
  }
  path.insert(path.end(), flags.begin(), flags.end());
  path.insert(path.end(), words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return path;
}

}  // namespace kubist::cli
