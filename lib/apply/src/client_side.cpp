#include "client_side.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>

namespace kubist::apply {

using data::Json;

namespace {

constexpr std::string_view k_last_applied = "kubectl.kubernetes.io/last-applied-configuration";

bool writes_by(const Json& entry, std::string_view manager, std::string_view operation) {
  return data::string_at(entry, {"manager"}) == manager &&
         data::string_at(entry, {"operation"}) == operation &&
         data::string_at(entry, {"subresource"}).empty();
}

/// The newest one comes first.
Json::iterator entry_of(Json& entries, std::string_view manager, std::string_view operation) {
  return std::find_if(entries.begin(), entries.end(),
                      [&](const Json& entry) { return writes_by(entry, manager, operation); });
}

}  // namespace

std::vector<std::string> client_side_managers(const Json& live) {
  std::vector<std::string> managers;
  if (data::find_path(live, {"metadata", "annotations", k_last_applied}) == nullptr) {
    return managers;
  }
  const std::string field = "f:" + std::string(k_last_applied);
  for (const Json& entry : data::array_at(live, {"metadata", "managedFields"})) {
    const std::string manager(data::string_at(entry, {"manager"}));
    if (writes_by(entry, manager, "Update") &&
        data::find_path(entry, {"fieldsV1", "f:metadata", "f:annotations", field}) != nullptr &&
        std::find(managers.begin(), managers.end(), manager) == managers.end()) {
      managers.push_back(manager);
    }
  }
  return managers;
}

Json taken_over_fields(const Json& live, const std::vector<std::string>& managers,
                       const std::string& manager) {
  Json entries = data::array_at(live, {"metadata", "managedFields"});
  for (const std::string& other : managers) {
    auto own = entry_of(entries, manager, "Apply");
    if (own == entries.end()) {
      own = entry_of(entries, other, "Update");
      if (own == entries.end()) {
        continue;
      }
      (*own)["manager"] = manager;
      (*own)["operation"] = "Apply";
    }
    const auto theirs = std::find_if(entries.begin(), entries.end(), [&](const Json& entry) {
      return writes_by(entry, other, "Update") &&
             data::string_at(entry, {"apiVersion"}) == data::string_at(*own, {"apiVersion"});
    });
    if (theirs != entries.end()) {
      // Sets of fields are maps of maps.
      (*own)["fieldsV1"].merge_patch(theirs->value("fieldsV1", Json::object()));
    }
    Json kept = Json::array();
    for (Json& entry : entries) {
      if (!writes_by(entry, other, "Update")) {
        kept.push_back(std::move(entry));
      }
    }
    entries = std::move(kept);
  }
  return entries;
}

}  // namespace kubist::apply
