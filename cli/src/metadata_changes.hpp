#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

// Labels and annotations are the same to a command: a map of the metadata.
namespace kubist::cli {

/// What tells the two apart.
struct MetadataMap {
  std::string_view field;    ///< of the metadata
  std::string_view noun;     ///< "label"
  std::string_view manager;  ///< the field manager that writes it
};

inline constexpr MetadataMap k_labels{"labels", "label", "kubist-label"};
inline constexpr MetadataMap k_annotations{"annotations", "annotation", "kubist-annotate"};

/// The words of a command line: those that name objects, then KEY=VALUE and KEY-.
struct ChangeWords {
  std::vector<std::string> objects;
  std::vector<std::string> changes;
};
/// Usage: an object behind a change.
util::Result<ChangeWords> split_words(const MetadataMap& map,
                                      const std::vector<std::string>& words);

struct MetadataChanges {
  std::map<std::string, std::string> set;
  std::set<std::string> removed;
};
/// Usage: a key or a label's value that Kubernetes does not take, or a key both set and removed.
util::Result<MetadataChanges> read_changes(const MetadataMap& map,
                                           const std::vector<std::string>& words);

/// What a live object has; an empty object where it has none.
const data::Json& metadata_map(const MetadataMap& map, const data::Json& live);
/// Invalid: a value is there, and another one. An annotation's may be a secret: it is not told.
util::Result<> check_overwrites(const MetadataMap& map, const data::Json& live,
                                const MetadataChanges& changes);

struct MetadataDifference {
  data::Json patch = data::Json::object();  ///< of the map; empty: nothing changes
  bool adds = false;                        ///< or changes a value, besides what it removes
};
MetadataDifference difference(const MetadataMap& map, const data::Json& live,
                              const MetadataChanges& changes);

}  // namespace kubist::cli
