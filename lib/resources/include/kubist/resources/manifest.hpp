#pragma once
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/data/position.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/result.hpp>

namespace kubist::resources {

/// One object of the input with where it came from.
struct Manifest {
  data::Json object;
  util::SourcePos pos;  ///< where the object starts; empty for objects that come from no text
  /// Positions of the fields of its document (null when unknown); indexes it on the first call.
  data::PositionLookup lookup;
  std::string prefix;  ///< JSON pointer of the object in its document: "" or "/items/3" of a List
  std::string source_file;  ///< what it named by sourceFile and holds as source; empty: none

  /// The position of the value (or key) at a JSON pointer into `object`, of its nearest ancestor in
  /// the text, or `pos`.
  util::SourcePos position(std::string_view pointer, data::At at = data::At::value) const;
};

struct ManifestOptions {
  bool recursive = false;                  ///< -R: folders with all that is below them
  std::istream* standard_input = nullptr;  ///< what "-" reads; std::cin when null
  /// Reads a http(s) URL; URLs are an error when empty.
  std::function<util::Result<std::string>(const std::string& url)> fetch;
};

/// Objects read so far and every problem met, so that one pass shows all of them. Nothing may be
/// applied while errors is not empty (data::combine_errors makes one of them).
struct ManifestSet {
  std::vector<Manifest> manifests;
  std::vector<util::Error> errors;
  std::vector<std::string> warnings;  ///< one line each, about objects that were read
};

/// Reads every path of `-f`: a file, a folder (its .yaml, .yml and .json files in name order), "-",
/// or a URL. Lists (kind List and *List with items) are flattened. Every object has apiVersion,
/// kind and metadata.name, or an error says where it lacks one. A cluster-scoped object of kubist's
/// kinds loses a metadata.namespace, with a warning.
ManifestSet read_manifests(const std::vector<std::string>& paths, const ManifestOptions& options);

/// The same for text in memory. `origin` is its name in messages and positions, and no file is read
/// for it: a definition with sourceFile is an error, whatever files have that name.
ManifestSet read_manifest_text(std::string_view text, const std::string& origin);

}  // namespace kubist::resources
