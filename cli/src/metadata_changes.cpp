#include "metadata_changes.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

using data::Json;
using util::cat;
using util::ErrorKind;

util::Result<ChangeWords> split_words(const MetadataMap& map,
                                      const std::vector<std::string>& words) {
  ChangeWords split;
  for (const std::string& word : words) {
    const bool change =
        word.find('=', 1) != std::string::npos || (word.size() > 1 && word.ends_with('-'));
    if (!change && !split.changes.empty()) {
      return util::fail(
          ErrorKind::usage,
          cat("all resources must be specified before ", map.noun, " changes: ", word),
          "A change is KEY=VALUE, or KEY- to remove the key.");
    }
    (change ? split.changes : split.objects).push_back(word);
  }
  return split;
}

namespace {

util::Result<> check_change(const MetadataMap& map, const std::string& key,
                            const std::string& value) {
  std::string problem = resources::check_qualified_name(key);
  if (!problem.empty()) {
    return util::fail(ErrorKind::usage, cat("invalid ", map.noun, " key \"", key, "\": ", problem));
  }
  if (&map == &k_labels) {
    problem = resources::check_label_value(value);
  }
  return problem.empty() ? util::Result<>{}
                         : util::fail(ErrorKind::usage, cat("invalid label value \"", value,
                                                            "\" of ", key, ": ", problem));
}

}  // namespace

util::Result<MetadataChanges> read_changes(const MetadataMap& map,
                                           const std::vector<std::string>& words) {
  MetadataChanges changes;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      changes.removed.insert(word.substr(0, word.size() - 1));
      continue;
    }
    const std::string key = word.substr(0, equals);
    changes.set[key] = word.substr(equals + 1);
    KUBIST_CHECK(check_change(map, key, changes.set[key]));
  }
  for (const std::string& key : changes.removed) {
    if (changes.set.contains(key)) {
      return util::fail(ErrorKind::usage, cat("can not both modify and remove the ", map.noun,
                                              " \"", key, "\" in one command"));
    }
  }
  return changes;
}

const Json& metadata_map(const MetadataMap& map, const Json& object) {
  return data::object_at(object, {"metadata", map.field});
}

util::Result<> check_overwrites(const MetadataMap& map, const Json& live,
                                const MetadataChanges& changes) {
  std::vector<std::string> kept;
  for (const auto& [key, value] : changes.set) {
    const Json& values = metadata_map(map, live);
    if (values.contains(key) && values[key] != value) {
      const std::string has =
          &map == &k_labels ? cat(" (", data::string_at(values, {key}), ')') : std::string();
      kept.push_back(cat('\'', key, "' already has a value", has));
    }
  }
  return kept.empty() ? util::Result<>{}
                      : util::fail(ErrorKind::invalid,
                                   cat(util::join(kept, "; "), ", and --overwrite is false"),
                                   "With --overwrite it gets the new one.");
}

MetadataDifference difference(const MetadataMap& map, const Json& live,
                              const MetadataChanges& changes) {
  MetadataDifference found;
  const Json& values = metadata_map(map, live);
  for (const auto& [key, value] : changes.set) {
    if (!values.contains(key) || values[key] != value) {
      found.patch[key] = value;
      found.adds = true;
    }
  }
  for (const std::string& key : changes.removed) {
    if (values.contains(key)) {
      found.patch[key] = nullptr;
    }
  }
  return found;
}

}  // namespace kubist::cli
