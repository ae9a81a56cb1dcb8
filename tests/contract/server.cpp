#include "server.hpp"

#include <algorithm>
#include <chrono>

#include <kubist/util/clock.hpp>
#include <kubist/util/random.hpp>

namespace contract {

using namespace kubist;

bool eventually(const std::function<bool()>& holds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  bool held = holds();
  while (!held && std::chrono::steady_clock::now() < until) {
    util::sleep_for(std::chrono::milliseconds(20), {});
    held = holds();
  }
  return held;
}

Place::Place() : m_ns(cat("contract-", util::random_uuid().substr(0, 8))) {
  must(client()->run(
      kube::create(well_known::namespaces(),
                   {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", m_ns}}}})));
}

Place::~Place() {
  // What finalizers hold is let go, or the namespace would stay.
  for (const auto& of : {well_known::config_maps(), resource_of(virtual_cluster("x"))}) {
    const auto objects = client()->list(of, m_ns);
    for (const Json& object : objects ? objects->items : std::vector<Json>()) {
      if (object["metadata"].contains("finalizers")) {
        static_cast<void>(client()->run(kube::patch(of, m_ns, text(object, {"metadata", "name"}),
                                                    kube::PatchType::merge,
                                                    {{"metadata", {{"finalizers", nullptr}}}})));
      }
    }
  }
  static_cast<void>(client()->run(kube::remove(well_known::namespaces(), "", m_ns)));
}

Json Place::config_map(const std::string& name, const Json& values) const {
  Json made{{"apiVersion", "v1"},
            {"kind", "ConfigMap"},
            {"metadata", {{"name", name}, {"namespace", m_ns}}}};
  if (!values.empty()) {
    made["data"] = values;
  }
  return made;
}

Json Place::virtual_cluster(const std::string& name, const Json& spec) const {
  Json made{{"apiVersion", "kubist.io/v1alpha1"},
            {"kind", "VirtualCluster"},
            {"metadata", {{"name", name}, {"namespace", m_ns}}},
            {"spec", {{"clusterRef", {{"name", "home"}}}}}};
  made["spec"].update(spec);
  return made;
}

Json Place::make(const Json& object) const {
  return must(client()->json(kube::create(resource_of(object), object)));
}

Json Place::read(const Json& object) const {
  const auto found =
      must(client()->find(resource_of(object), m_ns, text(object, {"metadata", "name"})));
  return found ? *found : Json();
}

Place::Answer Place::ask(const kube::ApiCall& call) {
  Answer answer;
  auto value = client()->json(call);
  if (value) {
    answer.value = *std::move(value);
  } else {
    answer.code = value.error().http_status;
    answer.error = value.error();
    CHECK_MESSAGE(answer.code != 0, answer.error.to_string());
  }
  return answer;
}

kube::ApiResource resource_of(const Json& object) {
  return must(client()->discovery().find_kind(object["apiVersion"].get<std::string>(),
                                              object["kind"].get<std::string>()));
}

std::string text(const Json& object, std::initializer_list<std::string_view> path) {
  return std::string(data::string_at(object, path));
}

std::string version_of(const Json& object) { return text(object, {"metadata", "resourceVersion"}); }

std::vector<std::string> owners(const Json& object, const std::string& pointer) {
  std::vector<std::string> found;
  for (const Json& entry : object["metadata"]["managedFields"]) {
    if (entry["fieldsV1"].contains(Json::json_pointer(pointer))) {
      const std::string sub = entry.value("subresource", "");
      found.push_back(cat(entry.value("manager", ""), ' ', entry.value("operation", ""),
                          sub.empty() ? "" : " ", sub));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

Place::Answer apply_as(const Json& object, const std::string& manager, bool force) {
  kube::ApplyOptions options;
  options.field_manager = manager;
  options.force = force;
  return Place::ask(kube::apply(resource_of(object), object, options));
}

}  // namespace contract
