#include <array>

#include <kubist/kube/kubeconfig.hpp>
#include <kubist/util/text.hpp>

// Kubeconfigs that come from a Secret: whoever may write the Secret must not make kubist run programs,
// read its files, go through a proxy or act as somebody else.
namespace kubist::kube {
namespace {

using data::Json;

constexpr std::array<std::string_view, 3> k_cluster_fields{"server", "certificate-authority-data",
                                                           "tls-server-name"};
constexpr std::array<std::string_view, 3> k_user_fields{"token", "client-certificate-data",
                                                        "client-key-data"};

bool says_nothing(const Json& value) {
  return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty()) ||
         (value.is_boolean() && !value.get<bool>()) || (value.is_structured() && value.empty());
}

template <std::size_t count>
util::Result<> check_fields(const KubeconfigEntry& entry, std::string_view what, const std::string& origin,
                            const std::array<std::string_view, count>& allowed) {
  for (const auto& [key, value] : entry.value.items()) {
    const bool known = std::find(allowed.begin(), allowed.end(), key) != allowed.end();
    if (known || key == "extensions" || says_nothing(value)) {
      continue;
    }
    util::SourcePos pos;
    pos.origin = origin;
    util::Error error = util::make_error(
        util::ErrorKind::invalid, pos,
        util::cat("kubeconfig: ", what, " \"", entry.name, "\": the field ", key,
                  " is not allowed in a kubeconfig from a Secret"),
        "It may hold server, certificate-authority-data, tls-server-name, token, client-certificate-data "
        "and client-key-data.");
    error.reason = "KubeconfigNotAllowed";
    return util::fail(std::move(error));
  }
  return {};
}

}  // namespace

util::Result<ClusterAccess> strict_access(std::string_view text, const std::string& origin) {
  KUBIST_TRY(const Kubeconfig config, parse_kubeconfig(text, origin));
  for (const KubeconfigEntry& cluster : config.clusters) {
    KUBIST_CHECK(check_fields(cluster, "cluster", origin, k_cluster_fields));
  }
  for (const KubeconfigEntry& user : config.users) {
    KUBIST_CHECK(check_fields(user, "user", origin, k_user_fields));
  }
  Environment nothing;
  nothing.variable = [](const char*) { return std::string(); };
  nothing.read_file = [](const std::filesystem::path& path) -> util::Result<std::string> {
    return util::fail(util::ErrorKind::invalid, util::cat("reading ", path.string(), " is not allowed"));
  };
  Overrides overrides;
  if (config.current_context.empty() && config.contexts.size() == 1) {
    overrides.context = config.contexts.front().name;
  }
  auto access = resolve(config, overrides, nothing);
  if (access && access->context_name.empty()) {
    return util::fail(util::ErrorKind::invalid, util::cat(origin, ": the kubeconfig has no current-context"));
  }
  return access;
}

}  // namespace kubist::kube
