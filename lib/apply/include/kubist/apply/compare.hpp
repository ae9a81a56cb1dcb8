#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>

/// Would a server-side apply of an input change anything? Answered without asking the server, from
/// the live object and its managedFields. Pure.
namespace kubist::apply {

/// What an apply would do, as far as can be told.
enum class Verdict {
  unchanged,  ///< our managedFields entry covers exactly the input's fields, and values are equal
  changed,    ///< it does not, or a value differs
  doubtful,   ///< only the server's normal form can tell: apply and see whether resourceVersion
              ///< moves
};

/// The answer of compare().
struct Comparison {
  Verdict verdict = Verdict::changed;
  std::string reason;  ///< "spec.replicas differs", "not applied by kubist before"; for traces
};

/// What compare() has to know besides the two objects.
struct CompareOptions {
  std::string_view manager;
  bool has_status = true;  ///< `status` of the input is dropped by the server (status subresource)
  /// A built-in type: the server normalises quantities, times, empty values and known defaults.
  /// Custom resources are kept as they were sent but for the defaults of their schema.
  bool built_in = true;
  /// The input with the defaults of its schema filled in: settles doubts inside atomic values of
  /// custom resources. Null: the input itself.
  const data::Json* defaulted = nullptr;
};

/// Is the group one whose objects are Go types in the API server?
bool is_built_in_group(std::string_view group);

/// A digest of the fields that `manager` owns by Apply, which only metadata tells; empty: none.
/// For same_fields().
std::string applied_fields(const data::Json& live, std::string_view manager);
/// The same of each manager whose name begins with `prefix`, in one pass: anybody may write any
/// number of them. Nothing where there are more than `most`.
std::map<std::string_view, std::string> applied_fields_of(const data::Json& live,
                                                          std::string_view prefix,
                                                          std::size_t most);
/// Has nobody else changed or removed one of these fields between two such digests? An autoscaler
/// may: it is there to change spec.replicas.
bool same_fields(std::string_view before, std::string_view now);

/// Compares what would be sent with what the server has (with metadata.managedFields).
Comparison compare(const data::Json& input, const data::Json& live, const CompareOptions& options);

}  // namespace kubist::apply
