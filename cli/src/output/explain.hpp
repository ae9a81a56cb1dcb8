#pragma once
#include <string>
#include <vector>

#include "kind_schemas.hpp"
#include "reasons.hpp"

namespace kubist::cli {

/// The documentation of a kind, or of the field at `path`, as `kubectl explain` prints it.
/// not_found: no such field, with a suggestion.
util::Result<std::string> explain_text(const KindSchema& kind, const std::vector<std::string>& path,
                                       bool recursive);

/// The same as a document: group, version, kind, field, type, enum, description, and of each field
/// below name, type, required, enum and description; `recursive`: with their own `fields`.
util::Result<data::Json> explain_document(const KindSchema& kind,
                                          const std::vector<std::string>& path, bool recursive);

/// What the registry says of a reason, for people and as a document.
std::string reason_text(const Reason& reason);
data::Json reason_document(const Reason& reason);

}  // namespace kubist::cli
