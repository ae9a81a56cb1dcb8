#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::state {

/// What a workload gave back, in normal form.
struct Exports {
  data::Json value = data::Json::object();
  std::string bytes = "{}";  ///< one line of JSON with sorted keys: equal values, equal bytes
  std::string sha256;        ///< of bytes
};

/// One JSON or YAML document that is a map, at most k_max_exports bytes, and as `schema` (a JSON
/// schema, or null) wants it. Empty text is an empty map. Invalid with line and column; messages
/// name keys and types, never values. `origin` names the text in them.
util::Result<Exports> parse_exports(std::string_view text, const std::string& origin,
                                    const data::Json& schema = nullptr);

/// The same from a file below `root`, on the way to which no link is followed (the workload may
/// have put one there to show the agent's own files). A missing file is an empty map. Invalid: a
/// link, a folder, a device.
util::Result<Exports> read_exports(const std::filesystem::path& root, std::string_view file,
                                   const data::Json& schema = nullptr);

}  // namespace kubist::state
