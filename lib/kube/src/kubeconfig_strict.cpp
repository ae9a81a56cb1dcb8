#include <array>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/http/headers.hpp>
#include <kubist/http/url.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/kube/kubeconfig.hpp>
#include <kubist/util/text.hpp>

// Kubeconfigs that come from a Secret: whoever may write the Secret must not make kubist run
// programs, read its files, go through a proxy, act as somebody else, or ask what is no API server.
// A Secret may be no kubeconfig at all: messages say the place, and nothing of the text.
namespace kubist::kube {
namespace {

using data::Json;

constexpr std::array<std::string_view, 3> k_cluster_fields{"server", "certificate-authority-data",
                                                           "tls-server-name"};
constexpr std::array<std::string_view, 3> k_user_fields{"token", "client-certificate-data",
                                                        "client-key-data"};
/// The others that kubeconfigs have, which may be named.
constexpr std::array<std::string_view, 15> k_other_fields{"as",
                                                          "as-groups",
                                                          "as-uid",
                                                          "as-user-extra",
                                                          "auth-provider",
                                                          "certificate-authority",
                                                          "client-certificate",
                                                          "client-key",
                                                          "disable-compression",
                                                          "exec",
                                                          "insecure-skip-tls-verify",
                                                          "password",
                                                          "proxy-url",
                                                          "tokenFile",
                                                          "username"};
/// What entries are called here: their own names are part of the Secret.
constexpr const char* k_current = "(current)";

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

tl::unexpected<util::Error> not_allowed(const std::string& origin, std::string_view problem,
                                        std::string hint) {
  util::SourcePos pos;
  pos.origin = origin;
  return util::fail(util::ErrorKind::invalid, pos, util::cat("kubeconfig: ", problem),
                    std::move(hint), "KubeconfigNotAllowed");
}

bool says_nothing(const Json& value) {
  return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty()) ||
         (value.is_boolean() && !value.get<bool>()) || (value.is_structured() && value.empty());
}

template <std::size_t count>
util::Result<> check_fields(const std::vector<KubeconfigEntry>& entries, std::string_view list,
                            const std::string& origin,
                            const std::array<std::string_view, count>& allowed) {
  for (std::size_t at = 0; at < entries.size(); ++at) {
    for (const auto& [key, value] : entries[at].value.items()) {
      if (is_one_of(allowed, key) || key == "extensions" || says_nothing(value)) {
        continue;
      }
      const std::string field =
          is_one_of(k_other_fields, key) ? util::cat("the field ", key) : "a field of another name";
      return not_allowed(
          origin,
          util::cat(list, '[', at, "]: ", field, " is not allowed in a kubeconfig from a Secret"),
          "It may hold server, certificate-authority-data, tls-server-name, token, "
          "client-certificate-data and client-key-data.");
    }
  }
  return {};
}

/// An API server has an address, perhaps with a path, and speaks TLS: nothing else of a URL may
/// choose what is asked of whom.
util::Result<> check_server(const KubeconfigEntry& cluster, const std::string& origin) {
  const std::string server(data::string_at(cluster.value, {"server"}));
  const bool bare = server.find("://") == std::string::npos;
  const auto url = http::parse_url(bare ? "https://" + server : server);
  const bool fine = url && url->scheme == "https" && url->userinfo.empty() && url->query.empty() &&
                    server.find_first_of("?# ") == std::string::npos &&
                    http::is_header_value(server);
  return fine || server.empty()
             ? util::Result<>{}
             : not_allowed(origin, "server is not allowed in a kubeconfig from a Secret",
                           "Give https://HOST:PORT, perhaps with a path; no user, query or "
                           "fragment.");
}

/// The current context with its cluster and user, under one name of ours.
util::Result<Kubeconfig> current_alone(const Kubeconfig& config, const std::string& origin) {
  const auto missing = [&](std::string_view what) {
    util::SourcePos pos;
    pos.origin = origin;
    return util::fail(util::ErrorKind::invalid, pos, util::cat("the kubeconfig has no ", what));
  };
  const bool one = config.current_context.empty() && config.contexts.size() == 1;
  const KubeconfigEntry* context =
      one ? &config.contexts.front() : config.context(config.current_context);
  if (context == nullptr) {
    return missing(config.current_context.empty() ? "current-context"
                                                  : "context of the name in current-context");
  }
  Kubeconfig alone;
  alone.current_context = k_current;
  alone.contexts.push_back({k_current, context->value, origin});
  const auto take = [&](const KubeconfigEntry* entry, const char* field,
                        std::vector<KubeconfigEntry>& into) {
    const auto name = context->value.find(field);
    if (name != context->value.end() && name->is_string() && entry != nullptr) {
      alone.contexts.front().value[field] = k_current;
      into.push_back({k_current, entry->value, origin});
    }
    return name == context->value.end() || !name->is_string() || entry != nullptr;
  };
  const auto named = [&](const char* field) { return data::string_at(context->value, {field}); };
  if (!take(config.cluster(named("cluster")), "cluster", alone.clusters)) {
    return missing("cluster of the name in its context");
  }
  if (!take(config.user(named("user")), "user", alone.users)) {
    return missing("user of the name in its context");
  }
  return alone;
}

}  // namespace

util::Result<ClusterAccess> strict_access(std::string_view text, const std::string& origin) {
  const auto config = parse_kubeconfig(text, origin);
  if (!config) {
    return util::fail(data::place_alone(
        config.error(), "not a kubeconfig",
        "kubist shows nothing of a Secret's text: look at that line of its value."));
  }
  KUBIST_CHECK(check_fields(config->clusters, "clusters", origin, k_cluster_fields));
  KUBIST_CHECK(check_fields(config->users, "users", origin, k_user_fields));
  KUBIST_TRY(const Kubeconfig alone, current_alone(*config, origin));
  if (!alone.clusters.empty()) {
    KUBIST_CHECK(check_server(alone.clusters.front(), origin));
  }
  Environment nothing;
  nothing.variable = [](const char*) { return std::string(); };
  nothing.read_file = [](const std::filesystem::path& path) -> util::Result<std::string> {
    return util::fail(util::ErrorKind::invalid,
                      util::cat("reading ", path.string(), " is not allowed"));
  };
  auto access = resolve(alone, {}, nothing);
  if (!access) {
    access.error().pos.origin = origin;
    return access;
  }
  if (!check_name("namespace", access->ns)) {
    return not_allowed(origin, "the context's namespace is no name of a namespace", {});
  }
  access->from_secret = true;
  return access;
}

}  // namespace kubist::kube
