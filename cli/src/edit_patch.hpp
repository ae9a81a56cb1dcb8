#pragma once
#include <kubist/cli/context.hpp>

#include "query/live_objects.hpp"

namespace kubist::cli {

/// What an edit makes of the object that was opened. Invalid: the text is no YAML of one object, or
/// names another one.
util::Result<data::Json> read_edited(const data::Json& opened, const std::string& text);
/// Do the texts mean the same, but for comments?
bool same_content(const std::string& a, const std::string& b);

/// Writes what the edit changes, as a merge patch. What others have changed meanwhile stays; where
/// both have changed the same list, a conflict, and nothing is written. The object as it is then;
/// errors are those of kube::Writer.
util::Result<data::Json> write_edited(Context& context, const LiveObject& opened,
                                      const data::Json& edited);

}  // namespace kubist::cli
