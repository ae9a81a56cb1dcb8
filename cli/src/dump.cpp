#include <kubist/cli/help.hpp>
#include <kubist/data/json.hpp>
#include <kubist/util/words.hpp>

namespace kubist::cli {
namespace {

using data::Json;

std::string_view to_string(FlagKind kind) {
  static constexpr util::Word<FlagKind> k_words[] = {
      {FlagKind::boolean, "boolean"},   {FlagKind::text, "text"}, {FlagKind::number, "number"},
      {FlagKind::duration, "duration"}, {FlagKind::list, "list"}, {FlagKind::optional, "optional"}};
  return util::word_of(k_words, kind);
}

Json dump_flags(const std::vector<Flag>& flags) {
  Json result = Json::array();
  for (const Flag& flag : flags) {
    if (flag.hidden) {
      continue;
    }
    Json entry{{"name", flag.name}, {"kind", to_string(flag.kind)}, {"help", flag.help}};
    if (flag.letter != 0) {
      entry["letter"] = std::string(1, flag.letter);
    }
    if (!flag.value.empty()) {
      entry["value"] = flag.value;
    }
    if (!flag.initial.empty()) {
      entry["default"] = flag.initial;
    }
    if (!flag.choices.empty()) {
      entry["choices"] = flag.choices;
    }
    result.push_back(std::move(entry));
  }
  return result;
}

}  // namespace

std::string dump() {
  Json all = Json::array();
  for (const CommandSpec& spec : commands()) {
    if (spec.hidden) {
      continue;
    }
    Json examples = Json::array();
    for (const Example& example : spec.examples) {
      examples.push_back({{"what", example.what}, {"command", example.command}});
    }
    all.push_back({{"path", spec.path},
                   {"group", spec.group},
                   {"summary", spec.summary},
                   {"details", spec.details},
                   {"arguments", spec.arguments},
                   {"flags", dump_flags(spec.flags)},
                   {"examples", std::move(examples)}});
  }
  return Json{{"name", "kubist"},
              {"commands", std::move(all)},
              {"flags", dump_flags(global_flags())}}
             .dump(2) +
         '\n';
}

}  // namespace kubist::cli
