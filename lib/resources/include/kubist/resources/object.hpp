#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

/// Values, views and pure functions: any thread, as long as nobody changes what is read. The
/// set_... functions change an object, which no other thread may use meanwhile.
namespace kubist::resources {

/// What names one object: enough to find it and to print it. `ns` is empty for cluster-scoped
/// kinds.
struct ObjectRef {
  std::string group;
  std::string kind;
  std::string ns;
  std::string name;

  auto operator<=>(const ObjectRef&) const = default;
};

/// "Kind/name", as `dependsOn` and every message spell it.
std::string to_string(const ObjectRef& ref);
/// "Kind.group/namespace/name" without the empty parts: unique, for keys and logs.
std::string to_key(const ObjectRef& ref);
/// Reads "Kind/name" (group and namespace stay empty). Invalid: no slash, an empty part, a name
/// that no object can have.
util::Result<ObjectRef> parse_ref(std::string_view text);

/// The group of "group/version", empty for the core group ("v1").
std::string_view group_of(std::string_view api_version);
/// The version of "group/version" or of "v1".
std::string_view version_of(std::string_view api_version);

/// One entry of status.conditions. Views into the object it was read from.
struct ConditionView {
  std::string_view type;
  std::string_view status;  ///< "True", "False", "Unknown"; DeployItems also "Progressing"
  std::string_view reason;
  std::string_view message;
  std::int64_t observed_generation = 0;  ///< 0 when absent
};

struct OwnerView {
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
  bool controller = false;
};

/// Read access to the well-known fields of one Kubernetes object. Fields that are absent, or of the
/// wrong type, read as empty: the schema is what complains about types. Holds a reference: the
/// object must outlive the view, and every string_view points into it.
class ObjectView {
 public:
  explicit ObjectView(const data::Json& object) : m_object(object) {}

  std::string_view api_version() const;
  std::string_view group() const { return group_of(api_version()); }
  std::string_view version() const { return version_of(api_version()); }
  std::string_view kind() const;
  std::string_view name() const;
  std::string_view generate_name() const;
  std::string_view ns() const;
  std::string_view uid() const;
  std::string_view resource_version() const;
  std::string_view deletion_timestamp() const;
  std::string_view creation_timestamp() const;
  std::int64_t generation() const;           ///< 0 when absent
  std::int64_t observed_generation() const;  ///< of status; 0 when absent
  /// The map, or an empty object.
  const data::Json& labels() const;
  const data::Json& annotations() const;
  /// The value, or an empty view when there is none.
  std::string_view label(std::string_view key) const;
  std::string_view annotation(std::string_view key) const;
  std::vector<OwnerView> owners() const;
  std::vector<std::string_view> finalizers() const;
  bool has_finalizer(std::string_view name) const;
  std::vector<ConditionView> conditions() const;
  std::optional<ConditionView> condition(std::string_view type) const;
  /// The object at that key, or an empty object.
  const data::Json& spec() const;
  const data::Json& status() const;
  ObjectRef ref() const;

 private:
  const data::Json& m_object;
};

/// A condition to write. `reason` is CamelCase and never empty (the API requires it).
struct Condition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  std::int64_t observed_generation = 0;  ///< 0 leaves it out
};

/// The condition of an object that kubist keeps and that others may change; also the reason of what
/// is Ready nevertheless.
inline constexpr const char* k_drifted = "Drifted";
/// That condition. `what`: what others changed; empty: nothing.
Condition drift_condition(std::string what);

/// Adds or replaces the condition of that type in a conditions array (made when null).
/// lastTransitionTime moves to `now` (RFC 3339) only when the status changes, as the API convention
/// says. True when anything changed, so that an unchanged status is not written again.
bool set_condition(data::Json& conditions, const Condition& condition, std::string_view now);

void set_label(data::Json& object, std::string_view key, std::string_view value);
void set_annotation(data::Json& object, std::string_view key, std::string_view value);

/// RFC 1123 label: at most 63 of [a-z0-9-], alphanumeric at both ends.
bool is_dns_label(std::string_view text);
/// RFC 1123 subdomain: at most 253, labels joined by dots.
bool is_dns_subdomain(std::string_view text);
/// What is wrong with a name, as a sentence tail ("must be ..."), or empty when nothing is.
std::string check_dns_label(std::string_view text);
std::string check_dns_subdomain(std::string_view text);
/// The rule for metadata.name of that kind: RBAC kinds take any path segment, Namespaces and
/// Services a label, all others a subdomain. Empty when the name is fine.
std::string check_object_name(std::string_view group, std::string_view kind, std::string_view name);
/// Qualified name of labels and annotations: optional DNS prefix and '/', then at most 63 of
/// [A-Za-z0-9._-]. Empty when fine.
std::string check_qualified_name(std::string_view text);
/// Label value: empty, or at most 63 of [A-Za-z0-9._-], alphanumeric at both ends.
std::string check_label_value(std::string_view text);

}  // namespace kubist::resources
