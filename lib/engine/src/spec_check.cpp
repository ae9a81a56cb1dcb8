#include "spec_check.hpp"

#include <mutex>

#include <kubist/data/pointer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/util/text.hpp>

namespace kubist::engine {

namespace {

/// The compiled schema of a kind's spec, or nothing; compiled once, kept for the life of the
/// process.
const data::Schema* schema_of(const Key& key) {
  static std::mutex mutex;
  static std::map<std::string, std::optional<data::Schema>> schemas;
  std::lock_guard lock(mutex);
  auto [it, added] = schemas.try_emplace(util::cat(key.group, "/", key.kind));
  if (added) {
    const Json* json = resources::schema(key.group, key.kind);
    const Json* spec = json ? data::find_path(*json, {"properties", "spec"}) : nullptr;
    if (auto compiled = data::Schema::compile(spec ? *spec : Json::object()); spec && compiled) {
      it->second = std::move(*compiled);
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
  auto errors = schema->validate(spec);
  if (errors.empty()) {
    return {};
  }
  auto error = util::with_context(data::combine_errors(std::move(errors), "the spec"),
                                  "it made a spec that the kind does not take");
  error.reason = "PolicyFailed";
  return util::fail(std::move(error));
}

}  // namespace kubist::engine
