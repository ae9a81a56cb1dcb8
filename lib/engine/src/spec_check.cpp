#include "spec_check.hpp"

#include <mutex>

#include <kubist/data/schema.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/util/text.hpp>

namespace kubist::engine {

namespace {

/// The compiled schema of a kind, or nothing; compiled once, kept for the life of the process.
const data::Schema* schema_of(const Key& key) {
  static std::mutex mutex;
  static std::map<std::string, std::optional<data::Schema>> schemas;
  std::lock_guard lock(mutex);
  auto [it, added] = schemas.try_emplace(util::cat(key.group, "/", key.kind));
  if (added) {
    if (const Json* json = resources::schema(key.group, key.kind)) {
      if (auto compiled = data::Schema::compile(*json)) {
        it->second = std::move(*compiled);
      }
    }
  }
  return it->second ? &*it->second : nullptr;
}

}  // namespace

util::Result<> check_spec(const Node& node, const Json& spec) {
  if (spec == node.spec()) {
    return {};
  }
  const data::Schema* schema = schema_of(node.key);
  if (!schema) {
    return {};
  }
  Json object = {{"apiVersion", (*node.object)["apiVersion"]},
                 {"kind", node.key.kind},
                 {"metadata", {{"name", node.key.name}}},
                 {"spec", spec}};
  auto errors = schema->validate(object);
  if (errors.empty()) {
    return {};
  }
  auto error = util::with_context(data::combine_errors(std::move(errors), "the spec"),
                                  "it made a spec that the kind does not take");
  error.reason = "PolicyFailed";
  return util::fail(std::move(error));
}

}  // namespace kubist::engine
