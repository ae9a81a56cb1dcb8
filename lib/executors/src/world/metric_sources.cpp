#include "world/metric_sources.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/engine/executor.hpp>
#include <kubist/http/headers.hpp>
#include <kubist/http/url.hpp>
#include <kubist/util/text.hpp>

#include "world/addresses.hpp"
#include "world/secret_value.hpp"

namespace kubist::executors {

using data::Json;
using util::cat;

namespace {

bool is_of(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           more.find(c) != std::string_view::npos;
  });
}

/// The header of a Secret's text; a single word is a bearer token (RFC 6750: b64token). A line's
/// end would begin another header, and a kubeconfig in JSON is neither.
util::Result<std::string> authorization_of(const std::string& text, const std::string& secret) {
  std::string value(util::trim(text));
  const auto space = value.find(' ');
  const bool usable = space == std::string::npos
                          ? is_of(value, "-._~+/=")
                          : http::is_header_value(value) && is_of(value.substr(0, space), "-");
  if (!usable) {
    return util::fail(
        util::ErrorKind::not_found, cat("what Secret ", secret, " has is no value of a header"),
        "Write a token, or 'Basic ' and the base64 of USER:PASSWORD.", "SecretNotUsable");
  }
  return space == std::string::npos ? "Bearer " + value : value;
}

}  // namespace

util::Result<std::shared_ptr<metrics::Prometheus>> MetricSources::prometheus(
    const engine::Node& node, const std::shared_ptr<kube::Client>& client, const Json& source,
    const metrics::PrometheusOptions& options, const std::stop_token& stop) {
  const bool by_url = source.contains("url");
  const std::string key =
      cat(node.key.ns, ' ', by_url ? "" : cat(client->server(), ' ', client->impersonated_user()),
          ' ', options.timeout.count(), ' ', static_cast<int>(options.names), ' ', source.dump());
  return m_known.get(key, [&] {
    return by_url ? at_url(node, source, options, stop)
                  : metrics::Prometheus::through(
                        client, std::string(data::string_at(source, {"namespace"})),
                        std::string(data::string_at(source, {"service"})), options);
  });
}

util::Result<std::shared_ptr<metrics::Prometheus>> MetricSources::at_url(
    const engine::Node& node, const Json& source, const metrics::PrometheusOptions& options,
    const std::stop_token& stop) {
  const std::string url(data::string_at(source, {"url"}));
  KUBIST_CHECK(check_address(m_graph, node, "metrics", url,
                             cat("the address ", http::redacted(url), " of Prometheus")));
  http::Headers headers;
  if (const Json* from = data::find_path(source, {"authorizationSecretRef"})) {
    const std::string name(data::string_at(*from, {"name"}));
    const std::string key(data::string_at(*from, {"key"}));
    KUBIST_TRY(const std::string text, secret_value(*m_world.home, node.key.ns, name, key, stop));
    KUBIST_TRY(std::string value, authorization_of(text, cat(node.key.ns, '/', name)));
    headers.push_back({"Authorization", std::move(value)});
  }
  return metrics::Prometheus::direct(m_engine.transport(), url, std::move(headers), options);
}

util::Result<Json> unmeasured(const util::Error& error) {
  if (error.kind == util::ErrorKind::invalid) {
    return util::fail(error);
  }
  const engine::Alignment why = engine::alignment_of(error);
  return Json{{"reason", why.reason}, {"message", why.message}};
}

}  // namespace kubist::executors
