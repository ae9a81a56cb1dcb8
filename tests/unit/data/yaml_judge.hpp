#pragma once
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <yaml-cpp/yaml.h>

#include <kubist/data/document.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/util/text.hpp>

#include "golden.hpp"
#include "scalar.hpp"

/// yaml-cpp as an independent judge of what kubist reads and writes: it shares no code with
/// libyaml.
namespace yaml_judge {

using namespace kubist;
using data::Json;
using data::ScalarKind;
using util::cat;

inline constexpr int k_depth = 100;  // yaml-cpp recurses

/// Both must have the same text, and agree on whether it is text: kubist quotes `yes` where it
/// writes it, and reads it as true where it is plain.
inline bool same_scalar(const Json& ours, const YAML::Node& theirs) {
  if (theirs.IsNull()) {
    return ours.is_null();
  }
  const bool plain = theirs.Tag() == "?";
  const data::Scalar meant = data::resolve_plain(theirs.Scalar());
  const bool is_text = meant.kind == ScalarKind::string || meant.kind == ScalarKind::timestamp;
  if (ours.is_string()) {
    return ours == theirs.Scalar() && (!plain || is_text);
  }
  switch (theirs.Tag() == "!" ? ScalarKind::string : meant.kind) {
    case ScalarKind::null:
      return ours.is_null();
    case ScalarKind::boolean:
      return ours == meant.boolean;
    case ScalarKind::integer:
      return ours == meant.integer;
    case ScalarKind::unsigned_integer:
      return ours == static_cast<double>(meant.unsigned_integer);
    case ScalarKind::real:
      return ours.is_number() && ours.get<double>() == meant.real;
    case ScalarKind::string:
    case ScalarKind::timestamp:
      break;
  }
  return false;
}

class Judge {
 public:
  /// What kubist makes of the text, and what it writes of that, against yaml-cpp's tree.
  void judge(const std::string& name, const std::string& text) {
    data::ReadOptions options = golden::as_kubectl();
    const auto ours = data::read_documents(text, name, options);
    const auto theirs = load(text);
    if (!ours && !theirs) {
      ++refused;
      return;
    }
    if (!ours || !theirs) {
      differ(name, ours ? "only kubist reads it" : "only yaml-cpp reads it");
      return;
    }
    if (ours->size() != theirs->size()) {
      differ(name, cat(ours->size(), " documents, yaml-cpp has ", theirs->size()));
    }
    for (std::size_t i = 0; i < std::min(ours->size(), theirs->size()); ++i) {
      const Json& value = (*ours)[i].value;
      const std::string place = cat(name, '#', i);
      compare(value, (*theirs)[i], place);
      const auto written = load(data::to_yaml(value));
      if (written && written->size() == 1) {
        compare(value, written->front(), cat(place, " written"));
      } else {
        differ(cat(place, " written"), "not one document");
      }
      ++documents;
    }
  }
  void compare(const Json& ours, const YAML::Node& theirs, const std::string& place,
               int depth = 0) {
    if (depth > k_depth) {
      return;
    }
    if (ours.is_object() && theirs.IsMap()) {
      compare_maps(ours, theirs, place, depth);
    } else if (ours.is_array() && theirs.IsSequence()) {
      if (ours.size() != theirs.size()) {
        differ(place, cat(ours.size(), " items, yaml-cpp has ", theirs.size()));
      }
      for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
        compare(ours[i], theirs[i], cat(place, '/', i), depth + 1);
      }
    } else if (ours.is_structured() || theirs.IsMap() || theirs.IsSequence()) {
      differ(place, "a scalar and none");
    } else {
      ++scalars;
      if (!same_scalar(ours, theirs)) {
        differ(place,
               cat(ours.dump(-1, ' ', false, Json::error_handler_t::replace), ", yaml-cpp has ",
                   theirs.IsNull() ? "null" : theirs.Scalar(), " (", theirs.Tag(), ')'));
      }
    }
  }

  std::map<std::string, std::string> differences;  ///< by place: the first one there
  std::size_t documents = 0, scalars = 0;          ///< compared
  std::size_t refused = 0;                         ///< texts that neither reads

 private:
  void differ(const std::string& place, const std::string& what) {
    differences.emplace(place, what);
  }
  void compare_maps(const Json& ours, const YAML::Node& theirs, const std::string& place,
                    int depth) {
    std::set<std::string> keys;
    for (const auto& [key, value] : ours.items()) {
      keys.insert(key);
    }
    std::map<std::string, YAML::Node> last;  // kubectl keeps the last of a key, yaml-cpp all
    for (const auto& entry : theirs) {
      last.erase(entry.first.Scalar());
      last.emplace(entry.first.Scalar(), entry.second);
    }
    for (const auto& [key, value] : last) {
      if (keys.erase(key) == 1) {
        compare(ours[key], value, cat(place, '/', key), depth + 1);
      } else {
        differ(place, cat("keys: yaml-cpp has \"", key, '"'));
      }
    }
    if (!keys.empty()) {
      differ(place, cat("keys: kubist has \"", *keys.begin(), '"'));
    }
  }
  /// The documents but those that are null; nothing where yaml-cpp refuses the text.
  static std::optional<std::vector<YAML::Node>> load(const std::string& text) {
    try {
      auto all = YAML::LoadAll(text);
      std::vector<YAML::Node> documents;
      std::copy_if(all.begin(), all.end(), std::back_inserter(documents),
                   [](const YAML::Node& node) { return !node.IsNull(); });
      return documents;
    } catch (const YAML::Exception&) {
      return std::nullopt;
    }
  }
};

}  // namespace yaml_judge
