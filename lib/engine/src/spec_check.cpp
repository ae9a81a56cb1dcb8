#include "spec_check.hpp"

#include <mutex>
#include <set>
#include <string>
#include <vector>

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

std::vector<util::Error> errors_of(const Key& key, const Json& spec) {
  const data::Schema* schema = schema_of(key);
  return schema == nullptr ? std::vector<util::Error>{} : schema->validate(spec);
}

util::Result<> judge(std::vector<util::Error> errors) {
  if (errors.empty()) {
    return {};
  }
  auto error = util::with_context(data::combine_errors(std::move(errors), "the spec"),
                                  "it made a spec that the kind does not take");
  return util::fail(util::with_reason(std::move(error), "PolicyFailed"));
}

}  // namespace

util::Result<> check_spec(const Key& key, const Json& before, const Json& spec) {
  return spec == before ? util::Result<>{} : judge(errors_of(key, spec));
}

util::Result<> check_recorded_spec(const Key& key, const Json& before, const Json& spec) {
  std::set<std::string> known;
  for (const util::Error& error : errors_of(key, before)) {
    known.insert(error.message);
  }
  std::vector<util::Error> errors = errors_of(key, spec);
  std::erase_if(errors, [&](const util::Error& error) { return known.contains(error.message); });
  return judge(std::move(errors));
}

}  // namespace kubist::engine
