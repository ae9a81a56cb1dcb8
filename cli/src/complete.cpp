#include <algorithm>
#include <set>

#include <kubist/cli/complete.hpp>
#include <kubist/util/text.hpp>

#include "bind.hpp"

namespace kubist::cli {
namespace {

using util::cat;

std::string_view group_summary(const std::string& prefix, std::string_view word) {
  const CommandGroup* group = prefix.empty() ? find_group(word) : nullptr;
  return group == nullptr ? "" : group->summary;
}

Completion command_words(const std::vector<std::string>& words) {
  std::string prefix;
  for (const std::string& word : words) {
    if (&word == &words.back() || word.starts_with('-')) {
      break;
    }
    prefix += word + ' ';
  }
  Completion result;
  std::set<std::string_view> seen;
  if (words.size() == 1 && std::string_view("help").starts_with(words[0])) {
    result.candidates.push_back({"help", "Explain a command"});
  }
  for (const CommandSpec& spec : commands()) {
    if (spec.hidden || !spec.path.starts_with(prefix)) {
      continue;
    }
    const std::string_view rest = spec.path.substr(prefix.size());
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (word.starts_with(words.back()) && seen.insert(word).second) {
      result.candidates.push_back(
          {std::string(word),
           std::string(rest == word ? spec.summary : group_summary(prefix, word))});
    }
  }
  return result;
}

/// Where a value is typed.
struct Place {
  const std::vector<std::string>& words;  ///< all, global flags behind the command
  std::string_view typed;                 ///< of the value
  std::string_view prefix;                ///< stands before the value in the same word
};

Completion values_of(Completes what, const std::vector<std::string_view>& choices,
                     const Place& place, const NameSource& names) {
  Completion result;
  result.files = what == Completes::files;
  std::vector<Candidate> all;
  if (what == Completes::choices) {
    for (std::string_view choice : choices) {
      all.push_back({std::string(choice), ""});
    }
  } else if (what != Completes::files && what != Completes::nothing) {
    all = names(what, place.words);
  }
  for (Candidate& candidate : all) {
    if (candidate.word.starts_with(place.typed)) {
      candidate.word = cat(place.prefix, candidate.word);
      result.candidates.push_back(std::move(candidate));
    }
  }
  return result;
}

Completion flag_names(const CommandSpec& spec, std::string_view typed) {
  Completion result;
  for (const std::vector<Flag>* flags : {&spec.flags, &global_flags()}) {
    for (const Flag& flag : *flags) {
      const std::string word = cat("--", flag.name);
      if (!flag.hidden && word.starts_with(typed)) {
        result.candidates.push_back({word, std::string(flag.help)});
      }
    }
  }
  return result;
}

}  // namespace

Completion complete(const std::vector<std::string>& typed, const NameSource& names) {
  const std::string& last = typed.back();
  std::vector<std::string> words(typed.begin(), typed.end() - 1);
  const std::string before = words.empty() ? "" : words.back();
  const bool only_words = std::find(words.begin(), words.end(), "--") != words.end();
  words = hoist_global_flags(std::move(words));
  const bool help = !words.empty() && words[0] == "help";
  if (help) {
    words.erase(words.begin());
  }
  const CommandSpec* found = find_command(words);
  static const CommandSpec k_none;
  const CommandSpec& spec = found == nullptr ? k_none : *found;
  words.push_back(last);

  const Flag* flag = only_words ? nullptr : find_flag(found, before);
  if (flag != nullptr && takes_next_word(*flag)) {
    return values_of(flag->completes, flag->choices, {words, last, ""}, names);
  }
  if (last.starts_with('-') && !only_words) {
    const std::size_t equals = last.find('=');
    if (equals == std::string::npos) {
      return flag_names(spec, last);
    }
    flag = find_flag(found, last.substr(0, equals));
    const std::string_view word = last;
    const Place value{words, word.substr(equals + 1), word.substr(0, equals + 1)};
    return flag == nullptr ? Completion{} : values_of(flag->completes, flag->choices, value, names);
  }
  if (found == nullptr) {
    return command_words(words);
  }
  // Where the words are choices, the usage names them: "bash|zsh|fish".
  const std::vector<std::string> choices = util::split(spec.arguments, '|');
  return help ? Completion{}
              : values_of(spec.completes, {choices.begin(), choices.end()}, {words, last, ""},
                          names);
}

}  // namespace kubist::cli
