#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/jsonpath.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/util/result.hpp>

namespace kubist::deployers {

/// What an item may do to one object; landscaper's words.
enum class ManagePolicy {
  manage,     ///< create, update (also what others made), delete
  fallback,   ///< create where nobody has, update and delete only what the item made
  keep,       ///< create, update; never delete
  immutable,  ///< create, never update; delete
  ignore,     ///< nothing: only for exports and checks
};
std::string_view to_string(ManagePolicy policy);
ManagePolicy parse_policy(std::string_view text);  ///< of a config that passed its schema

/// What is done where somebody else changed or deleted an object that the item made.
enum class OnDrift { repair, report, ignore };
inline constexpr std::string_view k_drift_annotation = "kubist.io/drift";  ///< of one object
std::string_view to_string(OnDrift drift);
/// Nothing: it is none of their words.
std::optional<OnDrift> parse_drift(std::string_view text);

struct ManifestEntry {
  resources::Manifest manifest;
  ManagePolicy policy = ManagePolicy::manage;
  Json annotate_before_delete;  ///< or null
  Json patch_before_delete;     ///< a JSON merge patch, or null
  bool only_absent = false;     ///< what is there already is not touched
};

/// Objects by name, or by label where match_labels is set.
struct ObjectSelector {
  std::string api_version, kind, name, ns;  ///< empty ns: the place's
  std::optional<Json> match_labels;
};

struct Requirement {
  data::JsonPath path;
  std::string text;  ///< the path as written
  std::string op;    ///< exists ! = == in != notin
  std::vector<Json> values;
};

struct ReadinessCheck {
  std::string name;
  std::vector<ObjectSelector> objects;
  std::vector<Requirement> requirements;
  std::optional<std::chrono::seconds> timeout;  ///< from the start of the job
};

struct ExportRule {
  std::string key;  ///< dotted keys nest
  data::JsonPath path;
  ObjectSelector from;  ///< without a kind: the values of the chart
  /// Where the object above only names (name, namespace) the one to export from.
  std::optional<data::JsonPath> reference;
  std::string referred_api_version, referred_kind;
};

/// All that a manifest or helm item wants of its target.
struct ManifestPlan {
  std::vector<ManifestEntry> entries;
  bool default_readiness = true;
  std::vector<ReadinessCheck> checks;
  std::vector<ExportRule> exports;
  std::vector<std::string> warnings;  ///< what people should know of a success
  /// {"Values": ...} as the chart has seen them; asked where an export reads from them.
  std::function<util::Result<Json>()> values;
};

/// The plan of a manifest item. Pure. Invalid, reason InvalidConfiguration, with the field.
util::Result<ManifestPlan> parse_manifest_plan(const Item& item);

/// The JSON schema of the fields that manifest and helm items share, for `properties`.
const Json& shared_fields();
/// The schema of a config that has these fields besides its own (JSON text).
data::Schema schema_with_shared(std::string_view own_fields);
/// Reads those (readinessChecks, exports) of a config that passed its schema; refuses what of
/// landscaper's fields kubist does not do. `has_values`: exports may come from the chart's values.
util::Result<> read_shared(const Json& config, bool has_values, ManifestPlan& plan);
/// Adds objects of one kind of policy.
void add_manifests(std::vector<resources::Manifest> manifests, ManagePolicy policy,
                   ManifestPlan& plan);

}  // namespace kubist::deployers
