#pragma once
#include <cstddef>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::data {

/// Bounds of one JSON Patch; the API server has the same number of operations (10,000).
struct PatchLimits {
  std::size_t max_operations = 10'000;
  std::size_t max_copied_nodes = 1'000'000;  ///< values that "copy" operations may add in all
  /// Maps and lists inside each other, and tokens of a path: what is deeper nobody reads again.
  std::size_t max_depth = 500;
};

/// RFC 6902: all operations, all or nothing. Errors: invalid (a malformed patch or a path that is
/// not there) or conflict (a failed "test"), naming the operation's index, op and path.
util::Result<Json> apply_json_patch(Json target, const Json& patch, const PatchLimits& limits = {});

/// RFC 7386: null removes, objects merge, everything else replaces.
Json apply_merge_patch(Json target, const Json& patch);
/// The smallest merge patch that makes `from` into `to`; an empty object when they are equal.
/// Nulls inside `to` cannot be said in a merge patch and are left out.
Json make_merge_patch(const Json& from, const Json& to);

/// The number of values in a tree, itself included, and how many maps and lists are inside each
/// other. Of a tree of any depth.
struct Extent {
  std::size_t nodes = 0, depth = 0;
};
Extent extent_of(const Json& value);

}  // namespace kubist::data
