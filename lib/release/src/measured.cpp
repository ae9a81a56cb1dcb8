#include <kubist/data/pointer.hpp>
#include <kubist/release/measured.hpp>

namespace kubist::release {

using data::Json;

namespace {

bool is_of_this_step(const Json& measured, const Progress& progress) {
  return measured.is_object() && data::int_at(measured, {"weight"}) == progress.weight &&
         data::int_at(measured, {"attempt"}) == progress.attempt && measured.contains("versions");
}

double of_version(const Json& measured, const std::string& version, const char* field) {
  for (const Json& each : measured["versions"]) {
    if (data::string_at(each, {"name"}) == version) {
      return each.value(field, 0.0);
    }
  }
  return 0;
}

}  // namespace

Json measured_after(const Json& measured, const Json& window, const Plan& plan,
                    const Progress& before) {
  const Json* arms = data::find_path(window, {"arms"});
  if (arms == nullptr) {
    return measured;
  }
  const bool goes_on = is_of_this_step(measured, before);
  Json versions = Json::array();
  for (const std::string& version : {plan.stable, plan.canary}) {
    Json row{{"name", version}};
    for (const char* field : {"requests", "errors"}) {
      const Json* counts = data::find_path(*arms, {version});
      row[field] = (counts != nullptr ? counts->value(field, 0.0) : 0.0) +
                   (goes_on ? of_version(measured, version, field) : 0.0);
    }
    versions.push_back(std::move(row));
  }
  return {
      {"weight", before.weight},
      {"attempt", before.attempt},
      {"seconds", window.value("seconds", 0.0) + (goes_on ? measured.value("seconds", 0.0) : 0.0)},
      {"versions", std::move(versions)}};
}

}  // namespace kubist::release
