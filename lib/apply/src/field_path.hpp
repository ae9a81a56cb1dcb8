#pragma once
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/util/error.hpp>

namespace kubist::apply {

/// A field as found in an object.
struct FoundField {
  const data::Json* value = nullptr;  ///< null: not there
  std::string pointer;                ///< of the field, or of its nearest parent that is there
};

/// Finds a field by the path of a conflict: ".spec.containers[name=\"web\"].image", ".data.a.b"
/// (keys with dots are not quoted: the longest key that fits wins), ".spec.tags[=\"red\"]",
/// ".l[0]".
FoundField find_field(const data::Json& object, std::string_view path);

/// Where in the input that stands which the server's answer refuses; the object's start where the
/// answer names no field, or several.
util::SourcePos refused_place(const util::Error& error, const resources::Manifest& manifest);

}  // namespace kubist::apply
