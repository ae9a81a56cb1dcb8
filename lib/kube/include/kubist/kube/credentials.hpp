#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/http/headers.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/result.hpp>
#include <kubist/util/secret.hpp>

namespace kubist::kube {

/// Acting as somebody else (the API server checks the right to).
struct Impersonation {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
  bool empty() const { return user.empty() && uid.empty() && groups.empty() && extra.empty(); }
};

/// Its Impersonate-* header fields.
http::Headers impersonation_headers(const Impersonation& as);

/// The `exec` part of a kubeconfig user.
struct ExecConfig {
  enum class Interactive { never, if_available, always };
  std::string api_version;  ///< client.authentication.k8s.io/v1 or v1beta1
  std::string command;      ///< a path, or a name for PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> environment;
  Interactive interactive = Interactive::if_available;
  bool provide_cluster_info = false;
  std::string install_hint;
  data::Json cluster_info;  ///< spec.cluster of the ExecCredential, where it is wanted
};

/// How a user proves who he is, as a kubeconfig says.
struct AuthInfo {
  util::Secret token;
  std::filesystem::path token_file;  ///< read again every minute; wins over `token`
  std::string username;
  util::Secret password;
  std::string client_cert_pem;
  util::Secret client_key_pem;
  std::optional<ExecConfig> exec;  ///< not run where one of the above is given
  Impersonation impersonation;
};

/// What goes with a request now.
struct Credentials {
  util::Secret authorization;  ///< the value of the Authorization header; empty: none
  std::string client_cert_pem;
  util::Secret client_key_pem;
  /// Impersonate-* fields.
  http::Headers headers;
};

/// Gives the credentials for each request; keeps and renews them. Thread-safe.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  /// May block (files, exec plugin). forbidden: the plugin failed, with what it said about why.
  virtual util::Result<Credentials> get(std::stop_token stop) = 0;
  /// The server answered 401 to `refused`: drop it, so that the next get() gives others. False:
  /// there are no others. Does not block for long.
  virtual bool renew(const Credentials& refused) = 0;
};

struct CredentialOptions {
  bool may_prompt = false;             ///< stdin is a terminal that plugins may use
  std::filesystem::path cache_folder;  ///< for plugins' answers; empty: none on disk
};

/// Fixed, file and plugin credentials of an AuthInfo.
std::unique_ptr<CredentialSource> make_credentials(AuthInfo auth, CredentialOptions options = {},
                                                   const util::Clock& clock = util::system_clock());

}  // namespace kubist::kube
