#include <array>
#include <map>

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/upstream.hpp>
#include <kubist/resources/kinds.hpp>

// The fields of apis/crds/manifests/landscaper.gardener.cloud_deployitems.yaml of
// gardener/landscaper.
namespace kubist::deployers {
namespace {

constexpr const char* k_own_part = "kubist";  // of config
constexpr std::array k_moved_fields{"import", "export", "exports", "exportSchema",
                                    "serviceAccountName"};
constexpr std::array k_status_fields{"exports", "exportGeneration", "handledRequest"};

/// Both are embedded resources: the API server wants them to say what they are.
void name_kind(Json& embedded, std::string_view kind) {
  embedded["apiVersion"] = resources::k_kubist_api_version;
  embedded["kind"] = kind;
}

void move_fields(Json& from, Json& to, const auto& fields) {
  for (const char* field : fields) {
    if (const auto found = from.find(field); found != from.end()) {
      to[field] = *found;
      from.erase(found);
    }
  }
}

void complete_condition(Json& condition) {
  condition.erase("observedGeneration");
  for (const char* field : {"reason", "message"}) {
    if (!condition.contains(field)) {
      condition[field] = "";
    }
  }
  if (condition.contains("lastTransitionTime") && !condition.contains("lastUpdateTime")) {
    condition["lastUpdateTime"] = condition["lastTransitionTime"];
  }
}

}  // namespace

Json to_upstream_spec(Json spec, const std::string& ns) {
  Json own = Json::object();
  move_fields(spec, own, k_moved_fields);
  Json& config = spec["config"];
  name_kind(config, "ItemConfiguration");
  if (!own.empty()) {
    config[k_own_part] = std::move(own);
  }
  if (spec.contains("target")) {
    spec["target"]["namespace"] = ns;
  }
  return spec;
}

Json from_upstream_spec(Json spec) {
  const Json* found = data::find_path(spec, {"config", k_own_part});
  if (found == nullptr || !found->is_object()) {
    return spec;
  }
  Json own = *found;
  spec["config"].erase(k_own_part);
  move_fields(own, spec, k_moved_fields);
  return spec;
}

Json to_upstream_status(Json status) {
  if (status.contains("providerStatus") || status.contains("exports") ||
      status.contains("handledRequest")) {
    Json& provider = status["providerStatus"];
    move_fields(status, provider, k_status_fields);
    name_kind(provider, "ItemStatus");
  }
  if (!status.contains("observedGeneration")) {
    status["observedGeneration"] = 0;
  }
  if (const auto deployer = status.find("deployer"); deployer != status.end()) {
    deployer->emplace("version", resources::k_version);
  }
  if (const auto conditions = status.find("conditions"); conditions != status.end()) {
    for (Json& condition : *conditions) {
      complete_condition(condition);
    }
  }
  return status;
}

Json sound_status(const Json& deploy_item) {
  using Type = Json::value_t;
  static const std::map<std::string, Type, std::less<>> types{
      {"phase", Type::string},         {"jobID", Type::string},
      {"jobIDFinished", Type::string}, {"transitionTimes", Type::object},
      {"deployer", Type::object},      {"providerStatus", Type::object},
      {"exports", Type::object},       {"exportRef", Type::object},
      {"conditions", Type::array},     {"lastErrors", Type::array}};
  Json status = data::object_at(deploy_item, {"status"});
  for (const auto& [field, type] : types) {
    const auto given = status.find(field);
    if (given != status.end() && given->type() != type) {
      status.erase(given);
    }
  }
  for (const char* list : {"conditions", "lastErrors"}) {
    if (Json* entries = data::find_path(status, {list}); entries != nullptr) {
      auto& array = entries->get_ref<Json::array_t&>();
      std::erase_if(array, [](const Json& entry) { return !entry.is_object(); });
    }
  }
  return status;
}

Json from_upstream_status(Json status) {
  const auto provider = status.find("providerStatus");
  if (provider == status.end() || !provider->is_object()) {
    return status;
  }
  Json moved = *provider;
  Json fields = Json::object();
  move_fields(moved, fields, k_status_fields);
  *provider = std::move(moved);
  status.update(fields);
  return status;
}

}  // namespace kubist::deployers
