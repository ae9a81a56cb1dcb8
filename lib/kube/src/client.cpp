#include <future>

#include <kubist/data/json_outline.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/http/logging.hpp>
#include <kubist/http/retry.hpp>
#include <kubist/http/url.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "answers.hpp"
#include "auth_transport.hpp"
#include "client_impl.hpp"
#include "impersonating_transport.hpp"
#include "path_guard.hpp"
#include "routed_transport.hpp"
#include "settling_transport.hpp"
#include "tracking_transport.hpp"
#include "write_guard.hpp"

namespace kubist::kube {
namespace {

using util::ErrorKind;

std::shared_ptr<http::Transport> endpoint_transport(const ClusterAccess& access,
                                                    const std::shared_ptr<http::CurlEngine>& engine,
                                                    const util::Log* log,
                                                    const http::ExchangeSink& on_exchange,
                                                    std::chrono::milliseconds timeout,
                                                    const Credentials& credentials) {
  http::EndpointOptions endpoint;
  endpoint.ca_pem = access.ca_pem;
  endpoint.client_cert_pem = credentials.client_cert_pem;
  endpoint.client_key_pem = credentials.client_key_pem;
  endpoint.server_name = access.tls_server_name;
  endpoint.insecure = access.insecure;
  endpoint.proxy = access.proxy_url;
  endpoint.compression = access.compression;
  endpoint.request_timeout = timeout;
  std::shared_ptr<http::Transport> transport =
      std::make_shared<http::CurlTransport>(engine, std::move(endpoint));
  if (log != nullptr) {
    transport = std::make_shared<http::LoggingTransport>(std::move(transport), *log);
  }
  if (on_exchange) {
    transport = std::make_shared<http::ObservingTransport>(std::move(transport), on_exchange);
  }
  return transport;
}

std::shared_ptr<http::Transport> track(const ClusterAccess& access, const ClientOptions& options,
                                       std::shared_ptr<http::Transport> transport) {
  if (access.from_secret) {
    transport = std::make_shared<StatusesAlone>(std::move(transport));
  }
  transport = std::make_shared<PathGuard>(std::move(transport));
  if (options.before_write) {
    transport = std::make_shared<WriteGuard>(std::move(transport), options.before_write);
  }
  return std::make_shared<TrackingTransport>(std::move(transport));
}

/// From the top: tracking, leave to write, paths, what a Secret's server may say, writes without an
/// answer, retries, credentials, traces, libcurl.
std::shared_ptr<http::Transport> make_stack(const ClusterAccess& access, ClientOptions& options) {
  if (options.transport) {
    return track(access, options, options.transport);
  }
  if (!options.engine) {
    options.engine = std::make_shared<http::CurlEngine>();
  }
  CredentialOptions credential_options;
  credential_options.may_prompt = options.may_prompt;
  credential_options.cache_folder = util::cache_folder();
  std::shared_ptr<http::Transport> transport = std::make_shared<AuthTransport>(
      make_credentials(access.auth, std::move(credential_options)),
      access.auth.exec ? AuthTransport::Origin::plugin : AuthTransport::Origin::at_hand,
      [access, weak = std::weak_ptr<http::CurlEngine>(options.engine), log = options.log,
       on_exchange = options.on_exchange,
       timeout = options.request_timeout](const Credentials& credentials) {
        return endpoint_transport(access, weak.lock(), log, on_exchange, timeout, credentials);
      });
  if (options.retry) {
    transport = std::make_shared<SettlingTransport>(
        std::make_shared<http::RetryTransport>(std::move(transport)), access.server);
  }
  return track(access, options, std::move(transport));
}

/// A list has another kind; so has what a server sends that took the path for another place.
util::Result<> check_identity(const data::Json& value, const ExpectedObject& expected) {
  const std::string_view kind = data::string_at(value, {"kind"});
  // Asked for in another form (Accept), an object comes in an envelope.
  if (kind == "PartialObjectMetadata" || kind == "Table") {
    return {};
  }
  const std::string_view name = data::string_at(value, {"metadata", "name"});
  if ((kind.empty() || kind == expected.kind) && (name.empty() || name == expected.name)) {
    return {};
  }
  return util::fail(ErrorKind::unavailable,
                    util::cat("the answer is ", util::printable(kind), " \"", util::printable(name),
                              "\", not ", expected.kind, " \"", expected.name, "\""),
                    "Does something between kubist and the API server rewrite paths?");
}

}  // namespace

util::Result<data::Json> Reply::json() const {
  auto value =
      body.size() <= k_max_object ? parse_answer(body, k_max_object_values) : parse_answer(body);
  if (!value) {
    // What comes from a server that is none is not told: it is not the named object.
    if (expected && data::string_at(data::outline(body), {"metadata", "name"}) == expected->name) {
      return util::fail(ErrorKind::invalid,
                        util::cat(expected->kind, " \"", expected->name,
                                  "\" cannot be read: ", value.error().message),
                        "Correct or delete it.", "Unreadable");
    }
    return util::fail(ErrorKind::unavailable,
                      "the answer is not JSON within the limits (docs/reference/limits.md)",
                      "Is something else than a Kubernetes API server behind this address?");
  }
  if (expected) {
    KUBIST_CHECK(check_identity(*value, *expected));
  }
  return value;
}

util::Result<std::shared_ptr<Client>> Client::connect(ClusterAccess access, ClientOptions options) {
  if (auto url = http::parse_url(access.server); !url) {
    return util::fail(std::move(url).error());
  }
  KUBIST_CHECK(check_name("namespace", access.ns));
  auto impl = std::make_unique<Impl>();
  impl->transport = make_stack(access, options);
  DiscoveryCache cache;
  std::filesystem::path open_api_folder;
  if (options.discovery_cache && !options.transport) {
    cache.file = discovery_cache_file(access.server);
    if (!cache.file.empty()) {
      open_api_folder = util::cache_folder() / "openapi" / cache.file.filename();
    }
  }
  impl->discovery = std::make_shared<Discovery>(impl->transport, access.server, std::move(cache));
  impl->open_api =
      std::make_shared<OpenApi>(impl->transport, access.server, std::move(open_api_folder));
  impl->access = std::move(access);
  impl->options = std::move(options);
  return std::shared_ptr<Client>(new Client(std::move(impl)));
}

Client::Client(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}

Client::~Client() {
  // Handlers use the other members: the calls end first.
  m_impl->discovery.reset();
  m_impl->open_api.reset();
  m_impl->transport.reset();
}

std::shared_ptr<Client> Client::as(std::string user) {
  Impersonation as{.user = std::move(user)};
  return over(
      std::make_shared<ImpersonatingTransport>(m_impl->transport, impersonation_headers(as)), as);
}

std::shared_ptr<Client> Client::routed(Route route) {
  return over(std::make_shared<RoutedTransport>(server(), std::move(route)),
              m_impl->access.auth.impersonation);
}

std::shared_ptr<Client> Client::over(std::shared_ptr<http::Transport> transport, Impersonation as) {
  auto impl = std::make_unique<Impl>();
  impl->base = shared_from_this();
  impl->access = m_impl->access;
  impl->access.auth.impersonation = std::move(as);
  impl->options = m_impl->options;
  impl->transport = std::make_shared<TrackingTransport>(std::move(transport));
  impl->discovery = m_impl->discovery;
  impl->open_api = m_impl->open_api;
  return std::shared_ptr<Client>(new Client(std::move(impl)));
}

const std::string& Client::impersonated_user() const {
  return m_impl->access.auth.impersonation.user;
}

const std::string& Client::server() const { return m_impl->access.server; }
const std::string& Client::default_namespace() const { return m_impl->access.ns; }
Discovery& Client::discovery() { return *m_impl->discovery; }
OpenApi& Client::open_api() { return *m_impl->open_api; }
http::Transport& Client::transport() { return *m_impl->transport; }
WatchHub& Client::watch_hub() { return m_impl->watch_hub; }
WatchThreads& Client::watch_threads() {
  return m_impl->base ? m_impl->base->watch_threads() : m_impl->watch_threads;
}

http::Request Client::request_of(const ApiCall& call) const {
  http::Request request;
  request.method = call.method;
  request.url = m_impl->access.server + call.path;
  if (const std::string query = http::make_query(call.query); !query.empty()) {
    request.url += (call.path.find('?') == std::string::npos ? '?' : '&') + query;
  }
  request.headers.push_back({"Accept", call.accept});
  request.headers.push_back({"User-Agent", m_impl->options.user_agent});
  if (!call.content_type.empty()) {
    request.headers.push_back({"Content-Type", call.content_type});
  }
  request.body = call.body;
  request.idempotent = call.idempotent;
  request.permit = call.permit;
  request.max_body = call.max_body > 0 ? call.max_body : k_max_reply;
  request.timeout = call.timeout;
  request.urgent = call.urgent;
  return request;
}

void Client::report_warnings(const http::Headers& headers) {
  constexpr std::size_t k_most = 256;
  for (const std::string& text : parse_warnings(headers)) {
    {
      const std::lock_guard lock(m_impl->warnings_mutex);
      if (m_impl->warnings.size() == k_most || !m_impl->warnings.insert(text).second) {
        continue;
      }
    }
    if (m_impl->options.on_warning) {
      m_impl->options.on_warning(text);
    } else if (m_impl->options.log != nullptr) {
      m_impl->options.log->warn(text);
    }
  }
}

http::Call Client::start(const ApiCall& call, ReplyHandler done) {
  http::Request request = request_of(call);
  const std::string url = request.url;
  return m_impl->transport->start(std::move(request), [this, method = call.method, url,
                                                       expected = call.expected,
                                                       done = std::move(done)](
                                                          util::Result<http::Response> outcome) {
    if (!outcome) {
      return done(util::fail(std::move(outcome).error()));
    }
    report_warnings(outcome->headers);
    if (outcome->status >= 400) {
      return done(util::fail(api_error(method, url, *outcome)));
    }
    done(Reply{outcome->status, std::move(outcome->headers), std::move(outcome->body), expected});
  });
}

util::Result<Reply> Client::run(const ApiCall& call, std::stop_token stop) {
  if (stop.stop_requested()) {
    return util::fail(ErrorKind::cancelled, util::cat(call.method, ' ', call.path, ": cancelled"));
  }
  auto promise = std::make_shared<std::promise<util::Result<Reply>>>();
  auto future = promise->get_future();
  const http::Call handle = start(
      call, [promise](util::Result<Reply> outcome) { promise->set_value(std::move(outcome)); });
  const std::stop_callback on_stop(std::move(stop), [&handle] { handle.cancel(); });
  return future.get();
}

util::Result<data::Json> Client::json(const ApiCall& call, std::stop_token stop) {
  KUBIST_TRY(const Reply reply, run(call, std::move(stop)));
  auto value = reply.json();
  if (!value) {
    return util::fail(
        util::with_context(std::move(value).error(),
                           util::cat(call.method, ' ', http::redacted(server() + call.path))));
  }
  return value;
}

util::Result<std::optional<data::Json>> Client::find(const ApiResource& resource,
                                                     std::string_view ns, std::string_view name,
                                                     std::stop_token stop) {
  auto value = json(get(resource, ns, name), std::move(stop));
  if (value) {
    return std::optional<data::Json>(std::move(*value));
  }
  if (value.error().http_status == 404) {
    return std::optional<data::Json>();
  }
  return util::fail(std::move(value).error());
}

util::Result<ServerVersion> Client::version(std::stop_token stop) {
  constexpr std::size_t k_longest = 128;
  ApiCall call = raw_get("/version");
  call.max_body = k_max_small_reply;
  KUBIST_TRY(const data::Json value, json(call, std::move(stop)));
  const auto git_version = data::string_at(value, {"gitVersion"});
  if (git_version.empty() || git_version.size() > k_longest) {
    return util::fail(ErrorKind::unavailable,
                      util::cat("GET ", server(), "/version: not a Kubernetes version"),
                      "Is something else than a Kubernetes API server behind this address?");
  }
  ServerVersion version;
  version.git_version = util::printable(git_version);
  // Managed offerings answer "27+".
  const auto number = [&](const char* key) {
    std::string_view text = data::string_at(value, {key});
    text = text.substr(0, text.find_first_not_of("0123456789"));
    return static_cast<int>(util::parse_int(text).value_or(0));
  };
  version.major = number("major");
  version.minor = number("minor");
  return version;
}

}  // namespace kubist::kube
