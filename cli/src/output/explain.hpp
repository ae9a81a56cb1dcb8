#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/cli/sink.hpp>
#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::cli {

/// The schema of one kind and what its "$ref"s refer to ("components/schemas").
struct KindSchema {
  std::string group, version, kind;
  const data::Json* schema = nullptr;
  const data::Json* components = nullptr;  ///< may be null
};

/// Prints the documentation of a kind, or of the field at `path`, as `kubectl explain` does.
/// not_found: no such field, with a suggestion; nothing is printed then.
util::Result<> explain(Sink& out, const KindSchema& kind, const std::vector<std::string>& path,
                       bool recursive);

}  // namespace kubist::cli
