#include <algorithm>
#include <cmath>

#include <kubist/http/url.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/metrics/prometheus.hpp>
#include <kubist/util/text.hpp>

#include "failures.hpp"
#include "prometheus_counters.hpp"
#include "prometheus_reply.hpp"
#include "service_proxy.hpp"

namespace kubist::metrics {

using util::cat;

namespace {

constexpr std::size_t k_max_reply = std::size_t{16} << 20U;
/// As it is in the URL; those beyond some 8 KiB are refused by many a server.
constexpr std::size_t k_max_query = 6'000;

struct Query {
  std::string expression;
  std::chrono::system_clock::time_point time;
  std::chrono::milliseconds timeout{0};
};

std::string seconds_of(std::chrono::system_clock::time_point time) {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  const auto since = duration_cast<milliseconds>(time.time_since_epoch()).count();
  const std::string rest = std::to_string(since % 1000);
  return cat(since / 1000, '.', std::string(3 - rest.size(), '0'), rest);
}

std::string path_of(const Query& query) {
  return "/api/v1/query?" + http::make_query({{"query", query.expression},
                                              {"time", seconds_of(query.time)},
                                              {"timeout", cat(query.timeout.count(), "ms")}});
}

}  // namespace

/// How a query gets there.
class Prometheus::Endpoint {
 public:
  virtual ~Endpoint() = default;
  virtual http::Request request_of(const std::string& path) const = 0;
  virtual http::Transport& transport() = 0;
};

namespace {

class DirectEndpoint : public Prometheus::Endpoint {
 public:
  DirectEndpoint(std::shared_ptr<http::Transport> transport, std::string base,
                 http::Headers headers)
      : m_transport(std::move(transport)), m_base(std::move(base)), m_headers(std::move(headers)) {}
  http::Request request_of(const std::string& path) const override {
    http::Request request;
    request.url = m_base + path;
    request.headers = m_headers;
    request.headers.push_back({"Accept", "application/json"});
    return request;
  }
  http::Transport& transport() override { return *m_transport; }

 private:
  std::shared_ptr<http::Transport> m_transport;
  std::string m_base;
  http::Headers m_headers;
};

class ServiceEndpoint : public Prometheus::Endpoint {
 public:
  ServiceEndpoint(std::shared_ptr<kube::Client> client, std::string base)
      : m_client(std::move(client)), m_base(std::move(base)) {}
  http::Request request_of(const std::string& path) const override {
    return m_client->request_of(kube::raw_get(m_base + path));
  }
  http::Transport& transport() override { return m_client->transport(); }

 private:
  std::shared_ptr<kube::Client> m_client;
  std::string m_base;
};

/// Some say what they were sent: the message without what the header has behind its scheme.
std::string without_secret(std::string message, std::string_view authorization) {
  const std::string secret(authorization.substr(authorization.find(' ') + 1));
  return secret.empty() ? std::move(message) : util::replace_all(message, secret, "***");
}

struct Asked {
  Expected<std::vector<Point>> points;
  bool too_long = false;  ///< a query of less may be answered
};

Asked ask(Prometheus::Endpoint& endpoint, const Query& query, bool allow_warnings,
          const std::stop_token& stop) {
  http::Request request = endpoint.request_of(path_of(query));
  // Theirs ends first, and says so better than ours.
  request.timeout = query.timeout + std::chrono::seconds(2);
  request.max_body = k_max_reply;
  const std::string url = request.url.substr(0, request.url.find('?'));
  const std::string authorization(
      http::find_header(request.headers, "Authorization").value_or(std::string_view()));
  const auto response = http::send(endpoint.transport(), std::move(request), stop);
  Answer answer;
  if (!response) {
    answer = answer_of(response.error());
    // The whole URL is in it, with the query.
    answer.message = util::replace_all(answer.message, path_of(query), "/api/v1/query");
    return {tl::unexpected<Answer>(std::move(answer)),
            response.error().reason == http::k_failure_too_large};
  }
  auto points = read_reply(*response, allow_warnings);
  if (!points) {
    answer = std::move(points).error();
    answer.message = without_secret(std::move(answer.message), authorization);
    answer.message = cat("GET ", http::redacted(url), ": ", answer.message);
    return {tl::unexpected<Answer>(std::move(answer)), response->body.size() > k_max_reply / 4};
  }
  return {std::move(points), false};
}

bool does_not_answer(const Answer& answer) {
  return answer.reason == k_reason_timeout || answer.reason == k_reason_unreachable ||
         answer.reason == k_reason_cancelled;
}

std::string without_slashes(std::string text) {
  while (text.ends_with('/')) {
    text.pop_back();
  }
  return text;
}

}  // namespace

Prometheus::Prometheus(std::shared_ptr<Endpoint> endpoint, PrometheusOptions options)
    : m_endpoint(std::move(endpoint)), m_options(std::move(options)) {}

util::Result<std::shared_ptr<Prometheus>> Prometheus::direct(
    std::shared_ptr<http::Transport> transport, const std::string& url, http::Headers headers,
    PrometheusOptions options) {
  KUBIST_TRY(auto parts, http::parse_url(url));
  parts.query.clear();
  auto endpoint = std::make_shared<DirectEndpoint>(
      std::move(transport), without_slashes(http::to_string(parts)), std::move(headers));
  return std::shared_ptr<Prometheus>(new Prometheus(std::move(endpoint), std::move(options)));
}

util::Result<std::shared_ptr<Prometheus>> Prometheus::through(std::shared_ptr<kube::Client> client,
                                                              const std::string& ns,
                                                              const std::string& service,
                                                              PrometheusOptions options) {
  const auto slash = std::min(service.find('/'), service.size());
  const std::string prefix = without_slashes(service.substr(slash));
  auto base = service_proxy(ns, service.substr(0, slash), prefix);
  if (!base || prefix.find('?') != std::string::npos) {
    return util::fail(util::ErrorKind::invalid,
                      cat("'", service, "' in namespace '", ns, "' does not name a Service"),
                      "Write [https:]NAME:PORT[/path].");
  }
  auto endpoint = std::make_shared<ServiceEndpoint>(std::move(client), *std::move(base));
  return std::shared_ptr<Prometheus>(new Prometheus(std::move(endpoint), std::move(options)));
}

Expected<Sample> Prometheus::sample(const Subject& subject, const std::stop_token& stop) {
  return std::move(samples({subject}, stop).front());
}

std::vector<Expected<Sample>> Prometheus::samples(const std::vector<Subject>& subjects,
                                                  const std::stop_token& stop) {
  std::vector<Expected<Sample>> all;
  all.reserve(subjects.size());
  for (std::size_t begin = 0; begin < subjects.size();) {
    std::vector<Subject> group;
    std::string expression;
    for (std::size_t end = begin; end < subjects.size(); ++end) {
      group.push_back(subjects[end]);
      std::string longer = counters_query(group, m_options.names, m_options.reporter);
      if (!expression.empty() && util::percent_encode(longer).size() > k_max_query) {
        group.pop_back();
        break;
      }
      expression = std::move(longer);
    }
    begin += group.size();
    const Query query{expression, m_options.clock->now(), m_options.timeout};
    const auto [points, too_long] = ask(*m_endpoint, query, m_options.allow_warnings, stop);
    if (too_long && group.size() > 1) {
      const auto half = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
      for (const auto& part : {std::vector(group.begin(), half), std::vector(half, group.end())}) {
        auto some = samples(part, stop);
        std::move(some.begin(), some.end(), std::back_inserter(all));
      }
      continue;
    }
    const auto gathered = points ? PrometheusCounters(*points)
                                 : Expected<PrometheusCounters>(tl::unexpect, points.error());
    for (const Subject& subject : group) {
      all.push_back(gathered ? gathered->sample_of(subject, query.time, m_options.max_age)
                             : Expected<Sample>(tl::unexpect, gathered.error()));
    }
    if (!points && does_not_answer(points.error())) {  // nor would it the rest
      all.resize(subjects.size(), Expected<Sample>(tl::unexpect, points.error()));
      break;
    }
  }
  return all;
}

Expected<double> Prometheus::query(const std::string& expression, const std::stop_token& stop) {
  const Query query{expression, m_options.clock->now(), m_options.timeout};
  const auto points = ask(*m_endpoint, query, m_options.allow_warnings, stop).points;
  if (!points) {
    return tl::unexpected<Answer>(points.error());
  }
  if (points->empty()) {
    return inconclusive(k_reason_no_data, "the query gives no series");
  }
  if (points->size() > 1) {
    return inconclusive(k_reason_several, cat("the query gives ", points->size(),
                                              " series; it must give one: add sum() or labels"));
  }
  if (!std::isfinite(points->front().value)) {
    return inconclusive(k_reason_not_a_number, cat("the query gives ", points->front().value,
                                                   ": is something divided by nothing?"));
  }
  return points->front().value;
}

}  // namespace kubist::metrics
