#pragma once
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::data {

enum class MissingKeys {
  error,  ///< "x is not found" (kubectl get -o jsonpath without --allow-missing-template-keys)
  allow,  ///< they give nothing (custom-columns, wait, exports)
};

/// Values that one evaluation may produce, with those on the way to what it selects.
inline constexpr std::size_t k_most_found = 2'000'000;     ///< of one object
inline constexpr std::size_t k_most_printed = 20'000'000;  ///< of lists that somebody has printed

/// What a template selects: one group per `{...}` and per text between them. Values point into the
/// document, into the JsonPath, or into `storage`.
struct JsonPathResult {
  std::vector<std::vector<const Json*>> groups;
  std::deque<Json> storage;
  /// All values in order.
  std::vector<const Json*> values() const;
};

/// kubectl's JSONPath dialect (client-go/util/jsonpath), one engine for -o jsonpath, wait,
/// custom-columns, sort-by and exports. Immutable and safe to share once compiled:
/// any thread may evaluate it, several at once. Unlike Go's map order, wildcards over maps go by
/// sorted keys.
class JsonPath {
 public:
  /// A template: "{.items[*].metadata.name}{"\n"}". Errors: invalid, with the column.
  static util::Result<JsonPath> compile(std::string_view text);
  /// What kubectl takes in custom-columns, wait and sort-by: "metadata.name", ".metadata.name" and
  /// "{.metadata.name}" are the same.
  static util::Result<JsonPath> compile_relaxed(std::string_view text);

  /// Errors: not_found (a missing key, where that is an error) or invalid (an index out of bounds,
  /// a filter on something that is no list, values that cannot be compared, more than `most`).
  util::Result<JsonPathResult> find(const Json& root, MissingKeys missing = MissingKeys::error,
                                    std::size_t most = k_most_found) const;
  /// Appends what `kubectl -o jsonpath=` prints: values joined by spaces, maps and lists as JSON.
  /// There may be k_most_printed.
  util::Result<> print(const Json& root, std::string& out,
                       MissingKeys missing = MissingKeys::allow) const;
  /// The text that it was compiled from.
  const std::string& text() const;

  struct Program;

 private:
  explicit JsonPath(std::shared_ptr<const Program> program);
  std::shared_ptr<const Program> m_program;
};

/// One value as kubectl prints it in jsonpath and custom-columns: strings bare, maps and lists as
/// compact JSON, null as "null".
std::string jsonpath_text(const Json& value);

}  // namespace kubist::data
