#pragma once
#include <string>
#include <vector>

#include <kubist/cli/context.hpp>
#include <kubist/data/json.hpp>
#include <kubist/kube/api_resource.hpp>

namespace kubist::cli {

/// An object as the server has it, with apiVersion and kind.
struct LiveObject {
  kube::ApiResource resource;
  data::Json object;
};

/// Which objects a command reads before it acts on them.
struct LiveQuery {
  std::vector<std::string> words;  ///< TYPE NAME..., TYPE/NAME..., or only TYPE; none with -f
  bool files = false;              ///< those that -f (and -R) name
  std::string label_selector;
  std::string field_selector;
  bool all = false;  ///< of a TYPE without names
  bool all_namespaces = false;
};

struct LiveObjects {
  std::vector<LiveObject> list;
  std::vector<util::Error> errors;  ///< of each that could not be read; the others are there
  bool single = false;              ///< exactly one object was named
};

/// Reads them. Usage: the words say nothing or too much; not_found: an unknown type; else as
/// read_input().
util::Result<LiveObjects> live_objects(Context& context, const Arguments& arguments,
                                       const LiveQuery& query);

/// The query that the words and the flags -l, --field-selector, --all and -A say.
util::Result<LiveQuery> live_query(const Arguments& arguments, std::vector<std::string> words);
/// These flags, with -f and -R.
std::vector<Flag> live_flags();

}  // namespace kubist::cli
