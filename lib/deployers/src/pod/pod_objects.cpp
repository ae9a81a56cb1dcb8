#include <kubist/data/json_text.hpp>
#include <kubist/deployers/pod.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "item/requests.hpp"
#include "pod/pod_parts.hpp"

namespace kubist::deployers {

PodNames pod_names(const Item& item, const std::string& job) {
  const std::string base = short_name(item.name, item.uid, 50);
  return {.agent = base + "-agent",
          .input_secret = base + "-input",
          .export_secret = base + "-export",
          .state_secret = base + "-state",
          .state_claim = base + "-state",
          .token_secret = base + "-token",
          .pod = short_name(item.name, util::cat(item.uid, "/", job))};
}

Json owner_reference(const Item& item) {
  return {{"apiVersion", resources::k_landscaper_api_version},
          {"kind", "DeployItem"},
          {"name", item.name},
          {"uid", item.uid},
          {"controller", true}};
}

Json place_metadata(const Item& item, const Job& job, const std::string& name) {
  Json metadata{{"name", name},
                {"namespace", job.place.ns},
                {"labels",
                 {{std::string(resources::k_managed_by_label), "kubist"},
                  {std::string(k_item_label), item.uid}}},
                {"annotations", {{k_deploy_item_annotation, util::cat(item.ns, "/", item.name)}}}};
  if (job.place.cluster.empty() && job.place.ns == item.ns) {
    metadata["ownerReferences"] = Json::array({owner_reference(item)});
  }
  return metadata;
}

Json input_secret(const Item& item, const Workload& workload, const Job& job,
                  const PodNames& names) {
  Json data = Json::object();
  const auto add = [&data](std::string_view key, std::string_view text) {
    data[std::string(key)] = util::base64_encode(text);
  };
  if (!job.imports.is_null()) {
    add(state::k_imports_key, data::to_json(job.imports));
  }
  Json target;
  if (!item.target.empty()) {
    target = {
        {"target",
         {{"name", item.target}, {"cluster", job.place.cluster}, {"namespace", job.place.ns}}}};
    if (runs_at_home(item)) {
      target["target"] = {{"name", item.target}};
    }
  }
  add(state::k_target_key, data::to_json(target));
  if (workload.script) {
    add(state::k_script_key, *workload.script);
  }
  if (!item.export_schema.is_null()) {
    add(state::k_schema_key, data::to_json(item.export_schema));
  }
  return internal_secret(place_metadata(item, job, names.input_secret), std::move(data));
}

Json empty_secret(const Item& item, const Job& job, const std::string& name) {
  Json metadata = place_metadata(item, job, name);
  metadata["annotations"][std::string(state::k_job_annotation)] = job.id;
  return internal_secret(std::move(metadata), Json::object());
}

Json chunk_secret(const Item& item, const Job& job, const std::string& name) {
  return internal_secret(place_metadata(item, job, name), Json::object());
}

std::vector<Json> agent_account(const Item& item, const Workload& workload, const Job& job,
                                const PodNames& names) {
  Json own = Json::array({names.export_secret});
  if (!workload.state_claim) {
    own.push_back(names.state_secret);
    for (std::string& chunk : state::chunk_names(names.state_secret, workload.state_limit)) {
      own.push_back(std::move(chunk));
    }
  }
  const Json metadata = place_metadata(item, job, names.agent);
  const Json account{{"apiVersion", "v1"},
                     {"kind", "ServiceAccount"},
                     {"metadata", metadata},
                     {"automountServiceAccountToken", false}};
  const Json role{{"apiVersion", "rbac.authorization.k8s.io/v1"},
                  {"kind", "Role"},
                  {"metadata", metadata},
                  {"rules", Json::array({{{"apiGroups", Json::array({""})},
                                          {"resources", Json::array({"secrets"})},
                                          {"resourceNames", std::move(own)},
                                          {"verbs", Json::array({"get", "update", "patch"})}}})}};
  const Json binding{
      {"apiVersion", "rbac.authorization.k8s.io/v1"},
      {"kind", "RoleBinding"},
      {"metadata", metadata},
      {"roleRef",
       {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "Role"}, {"name", names.agent}}},
      {"subjects",
       Json::array(
           {{{"kind", "ServiceAccount"}, {"name", names.agent}, {"namespace", job.place.ns}}})}};
  return {account, role, binding};
}

}  // namespace kubist::deployers
