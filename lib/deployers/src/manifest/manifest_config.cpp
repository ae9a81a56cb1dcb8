#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

#include "item/config_check.hpp"
#include "manifest/manifest_plan.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

constexpr util::Word<ManagePolicy> k_policies[] = {{ManagePolicy::manage, "manage"},
                                                   {ManagePolicy::fallback, "fallback"},
                                                   {ManagePolicy::keep, "keep"},
                                                   {ManagePolicy::immutable, "immutable"},
                                                   {ManagePolicy::ignore, "ignore"}};

constexpr util::Word<OnDrift> k_drift_words[] = {
    {OnDrift::repair, "Repair"}, {OnDrift::report, "Report"}, {OnDrift::ignore, "Ignore"}};

constexpr std::string_view k_manifest_schema = R"({
  "type": "object",
  "properties": {
    "manifests": {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": true}},
    "yaml": {"type": "string"}
  }
})";

/// One entry in landscaper's shape (v1alpha2).
constexpr std::string_view k_entry_schema = R"({
  "type": "object",
  "required": ["manifest"],
  "properties": {
    "policy": {"type": "string", "enum": ["manage", "fallback", "keep", "immutable", "ignore"]},
    "manifest": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
    "annotateBeforeCreate": {"type": "object", "additionalProperties": {"type": "string"}},
    "annotateBeforeDelete": {"type": "object", "additionalProperties": {"type": "string"}},
    "patchBeforeDelete": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
    "patchAfterDeployment": {"x-kubernetes-preserve-unknown-fields": true}
  }
})";

/// The objects of a text or value; Lists become their items.
util::Result<std::vector<resources::Manifest>> read_objects_of(std::string_view text,
                                                               const std::string& where) {
  auto set = resources::read_manifest_text(text, where);
  if (!set.errors.empty()) {
    util::Error error = data::combine_errors(std::move(set.errors), where);
    error.kind = util::ErrorKind::invalid;
    return util::fail(util::with_reason(std::move(error), "InvalidConfiguration"));
  }
  return std::move(set.manifests);
}

util::Result<> add_entry(const Json& entry, const std::string& where, ManifestPlan& plan) {
  const bool wrapped = entry.is_object() && !entry.contains("kind");
  if (wrapped) {
    static const data::Schema schema = config_schema(k_entry_schema);
    if (auto errors = schema.validate(entry); !errors.empty()) {
      return util::fail(config_error(data::combine_errors(std::move(errors), where).to_string()));
    }
    if (entry.contains("patchAfterDeployment")) {
      return refuse(cat(where, ".patchAfterDeployment is not supported by kubist"),
                    "Put the fields into the manifest itself.");
    }
  }
  const Json& object = wrapped ? entry["manifest"] : entry;
  KUBIST_TRY(auto manifests, read_objects_of(data::to_json(object), where));
  for (resources::Manifest& manifest : manifests) {
    // Lines and columns of the text between are nobody's.
    manifest.pos = {where, 0, 0};
    manifest.lookup = {};
  }
  const std::size_t first = plan.entries.size();
  add_manifests(std::move(manifests),
                parse_policy(wrapped ? data::string_at(entry, {"policy"}, "manage") : "manage"),
                plan);
  for (std::size_t i = first; wrapped && i < plan.entries.size(); ++i) {
    ManifestEntry& added = plan.entries[i];
    added.annotate_before_delete = entry.value("annotateBeforeDelete", Json());
    added.patch_before_delete = entry.value("patchBeforeDelete", Json());
    const Json annotations = entry.value("annotateBeforeCreate", Json::object());
    for (const auto& [key, value] : annotations.items()) {
      resources::set_annotation(added.manifest.object, key, value.get<std::string>());
    }
  }
  return {};
}

}  // namespace

std::string_view to_string(ManagePolicy policy) { return util::word_of(k_policies, policy); }

ManagePolicy parse_policy(std::string_view text) {
  return util::value_of(k_policies, text).value_or(ManagePolicy::manage);
}

std::string_view to_string(OnDrift drift) { return util::word_of(k_drift_words, drift); }

std::optional<OnDrift> parse_drift(std::string_view text) {
  return util::value_of(k_drift_words, text);
}

void add_manifests(std::vector<resources::Manifest> manifests, ManagePolicy policy,
                   ManifestPlan& plan) {
  for (resources::Manifest& manifest : manifests) {
    plan.entries.push_back({std::move(manifest), policy, nullptr, nullptr, false});
  }
}

util::Result<ManifestPlan> parse_manifest_plan(const Item& item) {
  static const data::Schema schema = schema_with_shared(k_manifest_schema);
  KUBIST_CHECK(check_config(item, schema, "manifest"));
  ManifestPlan plan;
  KUBIST_CHECK(read_shared(item.config, false, plan));
  std::size_t i = 0;
  for (const Json& entry : item.config.value("manifests", Json::array())) {
    KUBIST_CHECK(add_entry(entry, cat("config.manifests[", i++, "]"), plan));
  }
  if (item.config.contains("yaml")) {
    KUBIST_TRY(auto manifests,
               read_objects_of(item.config["yaml"].get_ref<const std::string&>(), "config.yaml"));
    add_manifests(std::move(manifests), ManagePolicy::manage, plan);
  }
  return plan;
}

}  // namespace kubist::deployers
