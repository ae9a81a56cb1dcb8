#include <kubist/data/pointer.hpp>
#include <kubist/http/headers.hpp>
#include <kubist/http/url.hpp>
#include <kubist/kube/kubeconfig.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/key_pair.hpp>
#include <kubist/util/text.hpp>

#include "kubeconfig_fields.hpp"

// From a merged kubeconfig and the flags to one access: client-go tools/clientcmd/client_config.go.
namespace kubist::kube {
namespace {

using data::Json;
using util::ErrorKind;

constexpr const char* k_account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";

std::vector<std::string> names_of(const std::vector<KubeconfigEntry>& entries) {
  std::vector<std::string> names;
  for (const KubeconfigEntry& entry : entries) {
    names.push_back(entry.name);
  }
  return names;
}

util::Result<const KubeconfigEntry*> required(const KubeconfigEntry* entry, std::string_view kind,
                                              std::string_view name,
                                              const std::vector<KubeconfigEntry>& all) {
  if (entry == nullptr) {
    return util::fail(ErrorKind::not_found,
                      util::cat("kubeconfig: ", kind, " \"", name, "\" does not exist",
                                util::did_you_mean(name, names_of(all))),
                      "See `kubist config get-contexts`.");
  }
  return entry;
}

util::Result<std::string> normalize_server(const std::string& given) {
  // As client-go: a bare host means https.
  KUBIST_TRY(const http::Url url,
             http::parse_url(given.find("://") == std::string::npos ? "https://" + given : given));
  std::string server = http::to_string(url);
  while (server.ends_with('/')) {
    server.pop_back();
  }
  return server;
}

/// It becomes the host of the URL that the certificate is checked against: more than a host would
/// lead elsewhere.
util::Result<> check_tls_name(const std::string& name, std::string_view what) {
  if (name.empty()) {
    return {};
  }
  const auto url = http::parse_url(http::to_string({"https", "", name, 443, "/", ""}));
  if (url && url->host == name && http::is_header_value(name)) {
    return {};
  }
  return util::fail(ErrorKind::invalid,
                    util::cat("kubeconfig: ", what, ": tls-server-name is no name of a host"));
}

/// `fields`: where the text comes from, for the message, which says nothing of the text.
util::Result<> check_header(std::string_view text, std::string_view fields) {
  if (http::is_header_value(text)) {
    return {};
  }
  return util::fail(ErrorKind::invalid,
                    util::cat(fields,
                              " has a character that no HTTP header may have: it must be "
                              "printable ASCII, on one line"));
}

util::Result<> check_headers(const AuthInfo& auth, const std::string& what) {
  const auto check = [&](const std::string& text, std::string_view field) {
    return check_header(text, util::cat("kubeconfig: ", what, ": ", field));
  };
  KUBIST_CHECK(check(auth.token.reveal(), "token"));
  KUBIST_CHECK(check(auth.impersonation.user, "as"));
  KUBIST_CHECK(check(auth.impersonation.uid, "as-uid"));
  for (const std::string& group : auth.impersonation.groups) {
    KUBIST_CHECK(check(group, "as-groups"));
  }
  for (const auto& [key, values] : auth.impersonation.extra) {
    for (const std::string& value : values) {
      KUBIST_CHECK(check(value, "as-user-extra"));
    }
  }
  return {};
}

/// The field that has it, or the file that the other field names.
std::string name_of_pem(FieldReader& reader, const char* data_key, const char* file_key) {
  return reader.text(data_key).empty() ? reader.path(file_key).string() : data_key;
}

util::Result<> check_pair(const AuthInfo& auth, const std::string& what,
                          const std::string& certificate, const std::string& key) {
  if (auth.client_cert_pem.empty()) {
    return {};
  }
  if (auto pair = util::check_key_pair(auth.client_cert_pem, auth.client_key_pem.reveal()); !pair) {
    return util::fail(util::with_context(std::move(pair).error(),
                                         util::cat(what, ": ", certificate, " and ", key)));
  }
  return {};
}

util::Result<std::string> pem_of(FieldReader& reader, const char* data_key, const char* file_key,
                                 const Environment& env) {
  std::string data = reader.bytes(data_key);
  if (!data.empty()) {
    return data;
  }
  const std::filesystem::path file = reader.path(file_key);
  if (file.empty()) {
    return std::string();
  }
  auto text = env.read_file(file);
  if (!text) {
    return util::fail(util::with_context(std::move(text).error(),
                                         util::cat("kubeconfig: ", reader.what(), ": ", file_key)));
  }
  return text;
}

util::Result<> read_cluster(FieldReader& cluster, const Overrides& overrides,
                            const Environment& env, ClusterAccess& access) {
  const std::string server = overrides.server.empty() ? cluster.text("server") : overrides.server;
  access.tls_server_name = overrides.tls_server_name.empty() ? cluster.text("tls-server-name")
                                                             : overrides.tls_server_name;
  access.proxy_url = cluster.text("proxy-url");
  access.compression = !cluster.flag("disable-compression");
  access.insecure =
      overrides.insecure_skip_tls_verify.value_or(cluster.flag("insecure-skip-tls-verify"));
  if (!overrides.certificate_authority.empty()) {
    KUBIST_TRY(access.ca_pem, env.read_file(overrides.certificate_authority));
    access.insecure = overrides.insecure_skip_tls_verify.value_or(false);
  } else if (!overrides.insecure_skip_tls_verify.value_or(false)) {
    // --insecure-skip-tls-verify drops the file's CA, as in client-go.
    KUBIST_TRY(access.ca_pem,
               pem_of(cluster, "certificate-authority-data", "certificate-authority", env));
  }
  KUBIST_CHECK(cluster.check());
  KUBIST_CHECK(check_tls_name(access.tls_server_name, cluster.what()));
  if (access.insecure && !access.ca_pem.empty()) {
    return util::fail(
        ErrorKind::invalid,
        util::cat("kubeconfig: ", cluster.what(),
                  ": insecure-skip-tls-verify and a certificate authority exclude each other"));
  }
  if (server.empty()) {
    return util::fail(ErrorKind::invalid,
                      util::cat("kubeconfig: ", cluster.what(), ": server is missing"));
  }
  KUBIST_TRY(access.server, normalize_server(server));
  return {};
}

Json cluster_info(const KubeconfigEntry& cluster, const ClusterAccess& access) {
  Json info = {{"server", access.server}};
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) {
      info[key] = value;
    }
  };
  add("tls-server-name", access.tls_server_name);
  add("proxy-url", access.proxy_url);
  if (access.insecure) {
    info["insecure-skip-tls-verify"] = true;
  }
  if (!access.ca_pem.empty()) {
    info["certificate-authority-data"] = util::base64_encode(access.ca_pem);
  }
  const auto extensions = cluster.value.find("extensions");
  if (extensions != cluster.value.end() && extensions->is_array()) {
    for (const Json& extension : *extensions) {
      if (data::string_at(extension, {"name"}) == "client.authentication.k8s.io/exec" &&
          extension.contains("extension")) {
        info["config"] = extension["extension"];
      }
    }
  }
  return info;
}

void read_impersonation(FieldReader& user, Impersonation& impersonation) {
  impersonation.user = user.text("as");
  impersonation.uid = user.text("as-uid");
  impersonation.groups = user.texts("as-groups");
  if (const Json* extra = user.child("as-user-extra")) {
    for (const auto& [key, values] : extra->items()) {
      for (const Json& value : values.is_array() ? values : Json::array()) {
        if (value.is_string()) {
          impersonation.extra[key].push_back(value.get<std::string>());
        }
      }
    }
  }
}

util::Result<> read_user(FieldReader& user, const Environment& env, AuthInfo& auth) {
  auth.token = util::Secret(user.text("token"));
  auth.token_file = user.path("tokenFile");
  auth.username = user.text("username");
  auth.password = util::Secret(user.text("password"));
  KUBIST_TRY(auth.client_cert_pem,
             pem_of(user, "client-certificate-data", "client-certificate", env));
  KUBIST_TRY(std::string key, pem_of(user, "client-key-data", "client-key", env));
  auth.client_key_pem = util::Secret(std::move(key));
  read_impersonation(user, auth.impersonation);
  if (user.child("auth-provider") != nullptr) {
    return util::fail(
        ErrorKind::invalid,
        util::cat("kubeconfig: ", user.what(), ": auth-provider is no longer supported"),
        "Use an exec plugin instead, as kubectl since 1.26.");
  }
  if (const Json* exec = user.child("exec")) {
    KUBIST_TRY(auth.exec, read_exec(user, *exec));
  }
  KUBIST_CHECK(user.check());
  if (auth.client_cert_pem.empty() != auth.client_key_pem.empty()) {
    return util::fail(ErrorKind::invalid,
                      util::cat("kubeconfig: ", user.what(),
                                ": a client certificate and its key must come together"));
  }
  KUBIST_CHECK(check_headers(auth, user.what()));
  return check_pair(auth, util::cat("kubeconfig: ", user.what()),
                    name_of_pem(user, "client-certificate-data", "client-certificate"),
                    name_of_pem(user, "client-key-data", "client-key"));
}

util::Result<> override_user(const Overrides& overrides, const Environment& env, AuthInfo& auth) {
  if (!overrides.token.empty()) {
    auth.token = overrides.token;
    auth.token_file.clear();
    auth.exec.reset();
  }
  if (!overrides.username.empty()) {
    auth.username = overrides.username;
    auth.password = overrides.password;
  }
  if (!overrides.client_certificate.empty()) {
    KUBIST_TRY(auth.client_cert_pem, env.read_file(overrides.client_certificate));
    KUBIST_TRY(std::string key, env.read_file(overrides.client_key));
    auth.client_key_pem = util::Secret(std::move(key));
    KUBIST_CHECK(check_pair(auth, "--client-certificate and --client-key",
                            overrides.client_certificate, overrides.client_key));
  }
  if (!overrides.as.empty()) {
    auth.impersonation.user = overrides.as;
  }
  if (!overrides.as_uid.empty()) {
    auth.impersonation.uid = overrides.as_uid;
  }
  if (!overrides.as_groups.empty()) {
    auth.impersonation.groups = overrides.as_groups;
  }
  const Impersonation& as = auth.impersonation;
  if (as.user.empty() && !as.empty()) {
    return util::fail(ErrorKind::invalid, "impersonating a group or uid needs a user too",
                      "Give --as with --as-group or --as-uid.");
  }
  KUBIST_CHECK(check_header(auth.token.reveal(), "the token"));
  KUBIST_CHECK(check_header(as.user, "--as"));
  KUBIST_CHECK(check_header(as.uid, "--as-uid"));
  for (const std::string& group : as.groups) {
    KUBIST_CHECK(check_header(group, "--as-group"));
  }
  return {};
}

}  // namespace

util::Result<ClusterAccess> resolve(const Kubeconfig& config, const Overrides& overrides,
                                    const Environment& env) {
  ClusterAccess access;
  access.context_name = overrides.context.empty() ? config.current_context : overrides.context;
  access.cluster_name = overrides.cluster;
  access.user_name = overrides.user;
  if (!access.context_name.empty()) {
    KUBIST_TRY(const KubeconfigEntry* entry,
               required(config.context(access.context_name), "context", access.context_name,
                        config.contexts));
    FieldReader context(*entry, util::cat("context \"", entry->name, '"'));
    access.cluster_name = overrides.cluster.empty() ? context.text("cluster") : overrides.cluster;
    access.user_name = overrides.user.empty() ? context.text("user") : overrides.user;
    const std::string ns = context.text("namespace");
    access.ns_given = !ns.empty();
    access.ns = ns.empty() ? access.ns : ns;
    KUBIST_CHECK(context.check());
  }
  if (!overrides.ns.empty()) {
    access.ns = overrides.ns;
    access.ns_given = true;
  }

  const KubeconfigEntry nothing{"", Json::object(), {}};
  const KubeconfigEntry* cluster_entry = &nothing;
  if (!access.cluster_name.empty() &&
      (config.cluster(access.cluster_name) || overrides.server.empty())) {
    KUBIST_TRY(cluster_entry, required(config.cluster(access.cluster_name), "cluster",
                                       access.cluster_name, config.clusters));
  }
  FieldReader cluster(*cluster_entry, util::cat("cluster \"", access.cluster_name, '"'));
  KUBIST_CHECK(read_cluster(cluster, overrides, env, access));

  if (!access.user_name.empty()) {
    KUBIST_TRY(const KubeconfigEntry* entry,
               required(config.user(access.user_name), "user", access.user_name, config.users));
    FieldReader user(*entry, util::cat("user \"", entry->name, '"'));
    KUBIST_CHECK(read_user(user, env, access.auth));
  }
  KUBIST_CHECK(override_user(overrides, env, access.auth));
  if (access.auth.exec && access.auth.exec->provide_cluster_info) {
    access.auth.exec->cluster_info = cluster_info(*cluster_entry, access);
  }
  return access;
}

std::optional<util::Result<ClusterAccess>> in_cluster(const Environment& env) {
  const std::string host = env.variable("KUBERNETES_SERVICE_HOST");
  const std::string port = env.variable("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return {};
  }
  const std::filesystem::path folder = k_account_folder;
  auto token = env.read_file(folder / "token");
  if (!token) {
    return {};  // a pod without a mounted account: as outside of pods
  }
  auto ca = env.read_file(folder / "ca.crt");
  if (!ca) {
    return util::Result<ClusterAccess>(
        util::fail(util::with_context(std::move(ca).error(), "this pod's service account")));
  }
  ClusterAccess access;
  access.context_name = "in-cluster";
  const bool ipv6 = host.find(':') != std::string::npos;
  access.server = util::cat("https://", ipv6 ? "[" : "", host, ipv6 ? "]:" : ":", port);
  access.ca_pem = std::move(*ca);
  access.auth.token = util::Secret(std::string(util::trim(*token)));
  access.auth.token_file = folder / "token";
  if (const auto ns = env.read_file(folder / "namespace"); ns && !util::trim(*ns).empty()) {
    access.ns = std::string(util::trim(*ns));
    access.ns_given = true;
  }
  return util::Result<ClusterAccess>(std::move(access));
}

util::Result<ClusterAccess> find_access(const Overrides& overrides, const Environment& env) {
  KUBIST_TRY(const Kubeconfig config, load_kubeconfig(overrides, env));
  const bool nothing_said = config.current_context.empty() && overrides.context.empty() &&
                            overrides.cluster.empty() && overrides.server.empty();
  if (!nothing_said) {
    return resolve(config, overrides, env);
  }
  if (overrides.kubeconfig.empty()) {
    if (auto access = in_cluster(env)) {
      if (*access) {
        KUBIST_CHECK(override_user(overrides, env, (*access)->auth));
        if (!overrides.ns.empty()) {
          (*access)->ns = overrides.ns;
          (*access)->ns_given = true;
        }
      }
      return std::move(*access);
    }
  }
  const std::vector<std::filesystem::path> files = kubeconfig_files(overrides, env);
  const std::string where = files.empty() ? "KUBECONFIG" : files.front().string();
  if (!config.contexts.empty()) {
    return util::fail(ErrorKind::invalid, util::cat("no current context in ", where),
                      "Choose one: `kubist config use-context NAME`, or give --context NAME.");
  }
  return util::fail(ErrorKind::not_found,
                    util::cat("no cluster is configured (", where, " has no context)"),
                    "Give --kubeconfig FILE, set KUBECONFIG, or create ~/.kube/config.");
}

}  // namespace kubist::kube
