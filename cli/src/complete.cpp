#include <set>

#include <kubist/cli/complete.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using util::cat;

Completion command_words(const std::vector<std::string>& words) {
  std::string prefix;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    prefix += words[i] + ' ';
  }
  Completion result;
  std::set<std::string> seen;
  for (const CommandSpec* spec : commands()) {
    if (spec->hidden || !spec->path.starts_with(prefix)) {
      continue;
    }
    const std::string_view rest = spec->path.substr(prefix.size());
    const std::string word(rest.substr(0, rest.find(' ')));
    if (word.starts_with(words.back()) && seen.insert(word).second) {
      result.candidates.push_back({word, rest == word ? std::string(spec->summary) : ""});
    }
  }
  return result;
}

const Flag* find_flag(const CommandSpec& spec, std::string_view word) {
  for (const std::vector<Flag>* flags : {&spec.flags, &global_flags()}) {
    for (const Flag& flag : *flags) {
      if (word == cat("--", flag.name) || (flag.letter != 0 && word == cat('-', flag.letter))) {
        return &flag;
      }
    }
  }
  return nullptr;
}

bool takes_next_word(const Flag& flag) {
  return flag.kind != FlagKind::boolean && flag.kind != FlagKind::optional;
}

Completion values_of(Completes what, const Flag* flag, const std::vector<std::string>& words,
                     std::string_view typed, std::string_view prefix, const NameSource& names) {
  Completion result;
  result.files = what == Completes::files;
  std::vector<Candidate> all;
  if (what == Completes::choices && flag != nullptr) {
    for (std::string_view choice : flag->choices) {
      all.push_back({std::string(choice), ""});
    }
  } else if (what != Completes::files && what != Completes::nothing) {
    all = names(what, words);
  }
  for (Candidate& candidate : all) {
    if (candidate.word.starts_with(typed)) {
      candidate.word = cat(prefix, candidate.word);
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

Completion complete(const std::vector<std::string>& words, const NameSource& names) {
  const CommandSpec* spec = find_command({words.begin(), words.end() - 1});
  if (spec == nullptr) {
    return words.back().starts_with('-') ? flag_names(CommandSpec{}, words.back())
                                         : command_words(words);
  }
  const std::string& last = words.back();
  const std::string before = words.size() > 1 ? words[words.size() - 2] : "";
  if (const Flag* flag = find_flag(*spec, before); flag != nullptr && takes_next_word(*flag)) {
    return values_of(flag->completes, flag, words, last, "", names);
  }
  if (last.starts_with('-')) {
    const std::size_t equals = last.find('=');
    if (equals == std::string::npos) {
      return flag_names(*spec, last);
    }
    const Flag* flag = find_flag(*spec, last.substr(0, equals));
    return flag == nullptr ? Completion{}
                           : values_of(flag->completes, flag, words, last.substr(equals + 1),
                                       last.substr(0, equals + 1), names);
  }
  return values_of(spec->completes, nullptr, words, last, "", names);
}

}  // namespace kubist::cli
