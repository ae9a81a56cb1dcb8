#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/setup/target.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "rules.hpp"

namespace kubist::setup {

using data::Json;
using util::cat;

namespace {

/// An object that kubist keeps for that owner; empty: for nobody in particular.
Json kept(std::string_view api_version, std::string_view kind, const std::string& ns,
          const std::string& name, const std::string& owner) {
  Json object{{"apiVersion", api_version}, {"kind", kind}, {"metadata", {{"name", name}}}};
  if (!ns.empty()) {
    object["metadata"]["namespace"] = ns;
  }
  resources::set_label(object, resources::k_managed_by_label, "kubist");
  if (!owner.empty()) {
    resources::set_annotation(object, k_registered_by, owner);
  }
  return object;
}

std::string project_of(const ClusterName& cluster) {
  return cat(cluster.home_uid, '/', cluster.ns);
}

Json account_binding(const TargetAccount& account, const std::string& owner) {
  // No account's name has a colon: no two accounts share a binding.
  const std::string name = cat(k_target_role, ':', account.ns, ':', account.name);
  Json object = binding("ClusterRoleBinding", "", name, "ClusterRole", k_target_role, account.ns,
                        {account.name});
  resources::set_label(object, resources::k_managed_by_label, "kubist");
  resources::set_annotation(object, k_registered_by, owner);
  return object;
}

}  // namespace

std::string TargetAccount::user() const { return cat("system:serviceaccount:", ns, ':', name); }

Json target_role() {
  Json rules = Json::array({rule({""}, {"namespaces"}, k_manage)});
  for (const Json& part : {project_roles().front().at("rules"), istio_check_rules()}) {
    rules.insert(rules.end(), part.begin(), part.end());
  }
  Json object = role("ClusterRole", "", k_target_role, std::move(rules));
  resources::set_label(object, resources::k_managed_by_label, "kubist");
  return object;
}

Json account_object(const TargetAccount& account, const ClusterName& cluster) {
  Json object = kept("v1", "ServiceAccount", account.ns, account.name, project_of(cluster));
  object["automountServiceAccountToken"] = false;
  return object;
}

Json token_secret_object(const TargetAccount& account, const ClusterName& cluster,
                         const std::string& token_secret) {
  Json object =
      kept("v1", "Secret", account.ns, token_secret, cat(project_of(cluster), '/', cluster.name));
  resources::set_annotation(object, "kubernetes.io/service-account.name", account.name);
  object["type"] = "kubernetes.io/service-account-token";
  return object;
}

std::vector<Json> target_objects(const TargetAccount& account, const ClusterName& cluster,
                                 const std::string& token_secret) {
  return {kept("v1", "Namespace", "", account.ns, cluster.home_uid),
          account_object(account, cluster), target_role(),
          account_binding(account, project_of(cluster)),
          token_secret_object(account, cluster, token_secret)};
}

std::string first_token_secret(const TargetAccount& account, const ClusterName& cluster) {
  return cat(account.name, '-', cluster.name, "-token-1");
}

std::string next_token_secret(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  const auto number =
      dash == std::string::npos ? std::nullopt : util::parse_int(name.substr(dash + 1));
  return number ? cat(name.substr(0, dash + 1), *number + 1) : cat(name, "-2");
}

std::string kubeconfig_secret_name(const std::string& cluster) {
  return cat(cluster, "-kubeconfig");
}

Json kubeconfig_secret(const ClusterName& cluster, const TargetAccount& account,
                       const std::string& token_secret, const std::string& kubeconfig) {
  Json object = kept("v1", "Secret", cluster.ns, kubeconfig_secret_name(cluster.name), "");
  resources::set_label(object, k_internal_label, "true");
  resources::set_annotation(object, k_account_annotation, cat(account.ns, '/', account.name));
  resources::set_annotation(object, k_token_annotation, token_secret);
  object["data"] = {
      {std::string(resources::k_default_kubeconfig_key), util::base64_encode(kubeconfig)}};
  return object;
}

Json cluster_object(const ClusterName& cluster) {
  return {{"apiVersion", resources::k_kubist_api_version},
          {"kind", "Cluster"},
          {"metadata", {{"name", cluster.name}, {"namespace", cluster.ns}}},
          {"spec", {{"kubeconfigSecretRef", {{"name", kubeconfig_secret_name(cluster.name)}}}}}};
}

util::Result<std::string> target_kubeconfig(const kube::ClusterAccess& access,
                                            const util::Secret& token) {
  const auto refused = [&](std::string_view what) {
    return util::fail(util::ErrorKind::invalid,
                      cat("context \"", access.context_name, "\" reaches ", access.server, " by ",
                          what, ", which a kubeconfig in a Secret may not have"),
                      "Name a context with a direct and checked way: --context.");
  };
  if (!access.proxy_url.empty()) {
    return refused("proxy-url");
  }
  if (access.insecure) {
    return refused("insecure-skip-tls-verify");
  }
  Json server{{"server", access.server}};
  if (!access.ca_pem.empty()) {
    server["certificate-authority-data"] = util::base64_encode(access.ca_pem);
  }
  if (!access.tls_server_name.empty()) {
    server["tls-server-name"] = access.tls_server_name;
  }
  const Json config{
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"clusters", Json::array({{{"name", "target"}, {"cluster", std::move(server)}}})},
      {"users", Json::array({{{"name", "kubist"}, {"user", {{"token", token.reveal()}}}}})},
      {"contexts", Json::array({{{"name", "target"},
                                 {"context", {{"cluster", "target"}, {"user", "kubist"}}}}})},
      {"current-context", "target"}};
  std::string text = data::to_yaml(config);
  KUBIST_CHECK(kube::strict_access(text, cat("context \"", access.context_name, '"')));
  return text;
}

std::optional<std::chrono::system_clock::time_point> token_end(const util::Secret& token) {
  const std::vector<std::string> parts = util::split(token.reveal(), '.');
  if (parts.size() != 3) {
    return std::nullopt;
  }
  std::string payload = util::replace_all(util::replace_all(parts[1], "-", "+"), "_", "/");
  payload.append((4 - payload.size() % 4) % 4, '=');
  const auto text = util::base64_decode(payload);
  const Json claims = text ? Json::parse(*text, nullptr, false) : Json();
  const auto end = claims.is_object() ? claims.find("exp") : claims.end();
  if (end == claims.end() || !end->is_number()) {
    return std::nullopt;
  }
  constexpr double k_latest = 9e9;  // within what system_clock holds
  const double seconds = std::clamp(end->get<double>(), 0.0, k_latest);
  return std::chrono::system_clock::time_point(
      std::chrono::seconds(static_cast<std::int64_t>(seconds)));
}

}  // namespace kubist::setup
