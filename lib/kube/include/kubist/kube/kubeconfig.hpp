#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/kube/credentials.hpp>
#include <kubist/util/result.hpp>

/// Kubeconfig files, read exactly as client-go reads them (tools/clientcmd). All functions are pure
/// but those that say that they read files.
namespace kubist::kube {

/// One named cluster, user or context with the file it came from.
struct KubeconfigEntry {
  std::string name;
  data::Json value;  ///< the map under "cluster", "user" or "context", unknown fields kept
  std::filesystem::path origin;  ///< relative paths in it are relative to this file's folder
};

/// One file, or several merged.
struct Kubeconfig {
  std::vector<KubeconfigEntry> clusters;
  std::vector<KubeconfigEntry> users;
  std::vector<KubeconfigEntry> contexts;
  std::string current_context;
  std::vector<std::filesystem::path> files;  ///< read, in order

  const KubeconfigEntry* cluster(std::string_view name) const;
  const KubeconfigEntry* user(std::string_view name) const;
  const KubeconfigEntry* context(std::string_view name) const;
};

/// Reads one file's text. Invalid: no YAML, not a kubeconfig, a field of the wrong type.
util::Result<Kubeconfig> parse_kubeconfig(std::string_view text,
                                          const std::filesystem::path& origin);
/// The first of each name wins as a whole, the first current-context that is not empty too.
Kubeconfig merge_kubeconfigs(std::vector<Kubeconfig> configs);
/// As one document of kind Config, in kubectl's order of fields; `redact` as `kubectl config view`.
data::Json to_json(const Kubeconfig& config, bool redact);

/// What the global flags of the command line change. Empty: not given.
struct Overrides {
  std::string kubeconfig;  ///< the only file to read
  std::string context, cluster, user, ns;
  std::string server, tls_server_name, certificate_authority;
  std::optional<bool> insecure_skip_tls_verify;
  std::string client_certificate, client_key;
  util::Secret token;
  std::string username;
  util::Secret password;
  std::string as, as_uid;
  std::vector<std::string> as_groups;
};

/// The process's surroundings, so that tests can give others.
struct Environment {
  std::function<std::string(const char*)> variable;  ///< unset: empty
  std::function<util::Result<std::string>(const std::filesystem::path&)> read_file;
  std::filesystem::path home;
};
/// The real ones.
Environment process_environment();

/// Everything needed to talk to one API server.
struct ClusterAccess {
  std::string context_name, cluster_name, user_name;
  std::string ns = "default";
  bool ns_given = false;  ///< the context or --namespace names it
  std::string server;     ///< "https://host:port" (and perhaps a path), no slash at the end
  std::string ca_pem, tls_server_name, proxy_url;
  bool insecure = false;
  bool compression = true;
  AuthInfo auth;
  /// Of strict_access(): of a refusal's body a Client shows no more than a Kubernetes Status.
  bool from_secret = false;
};

/// The files that count: only --kubeconfig, else the KUBECONFIG list without repeats, else
/// ~/.kube/config (none without a home folder).
std::vector<std::filesystem::path> kubeconfig_files(const Overrides& overrides,
                                                    const Environment& env);
/// Reads and merges them. not_found: --kubeconfig names no file (missing ones of the others are
/// skipped); invalid as parse_kubeconfig.
util::Result<Kubeconfig> load_kubeconfig(const Overrides& overrides, const Environment& env);

/// The access that a kubeconfig and the flags describe; reads the CA, certificate and key files it
/// names. not_found: no such context, cluster or user (with suggestions); invalid: wrong fields, a
/// key that is not the certificate's, a token or another header's value that is not printable
/// ASCII.
util::Result<ClusterAccess> resolve(const Kubeconfig& config, const Overrides& overrides,
                                    const Environment& env);
/// The service account of the pod this runs in; nothing outside of pods.
std::optional<util::Result<ClusterAccess>> in_cluster(const Environment& env);
/// load, resolve, and in_cluster() where no kubeconfig says anything: what the command line uses.
/// Errors say how to point kubist at a cluster.
util::Result<ClusterAccess> find_access(const Overrides& overrides, const Environment& env);

/// A kubeconfig from a Secret. It may hold server (https, without user, query and fragment), CA
/// data, tls-server-name, token and client certificate data; every other field is invalid with
/// reason "KubeconfigNotAllowed", and the message names it. No error has anything else of the text:
/// the Secret may be something else. Whether the server may be asked is for the caller to judge.
util::Result<ClusterAccess> strict_access(std::string_view text, const std::string& origin);

/// Sets current-context in the first file of the list that has one (it wins over the others), else
/// in the file of that context; all else in it stays as it is. Reads and writes files (0600,
/// atomic). not_found: no such context.
util::Result<> use_context(const Overrides& overrides, const Environment& env,
                           const std::string& name);

}  // namespace kubist::kube
