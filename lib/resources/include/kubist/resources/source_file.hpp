#pragma once
#include <string>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::resources {

/// A definition of a policy or an executor may keep its Jsonnet beside its file:
/// `spec.runtime.jsonnet.sourceFile: team.jsonnet` becomes `source`, as clusters take it. Other
/// objects stay as they are. Returns the path of what was read, empty where nothing was. `file`:
/// where the object was read; empty: in no file. The path is relative to its folder, stays in it,
/// also behind links, ends in .jsonnet or .libsonnet, and no part begins with a dot: a manifest of
/// another owner must not upload what else is there. Fails with invalid: it is no such path,
/// `source` is there as well, the object comes from no file (memory, standard input, a URL);
/// not_found: there is no such file.
util::Result<std::string> take_source_file(data::Json& object, const std::string& file);

}  // namespace kubist::resources
