#include <cmath>

#include <kubist/data/document.hpp>
#include <kubist/http/url.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/metrics/json_source.hpp>
#include <kubist/metrics/prometheus_text.hpp>
#include <kubist/util/text.hpp>

#include "failures.hpp"
#include "service_proxy.hpp"

namespace kubist::metrics {

using data::Json;
using util::cat;

namespace {

constexpr std::size_t k_max_body = std::size_t{4} << 20U;

/// Tokens stand in queries now and then.
std::string shown_url(const std::string& url) {
  return http::redacted(url.substr(0, url.find('?')));
}

Expected<double> number_of(const Json& value) {
  double number = 0;
  if (value.is_number()) {
    number = value.get<double>();
  } else if (!value.is_string() ||
             !parse_metric_value(value.get_ref<const std::string&>(), number)) {
    return inconclusive(k_reason_not_a_number, "the field is no number");
  }
  if (!std::isfinite(number)) {
    return inconclusive(k_reason_not_a_number, "the field is not finite");
  }
  return number;
}

Expected<double> find_number(const std::string& body, const data::JsonPath& path) {
  data::ReadOptions options;
  options.keep_source = false;
  options.big_integers = data::BigIntegers::as_float;
  const auto document = data::parse_json(body, "answer", options);
  if (!document) {
    return looks_like_html(body)
               ? inconclusive(k_reason_html, "the answer is a page for people, not JSON")
               : inconclusive(k_reason_not_metrics,
                              cat("the answer is not JSON: ", document.error().message));
  }
  const auto found = path.find(*document, data::MissingKeys::allow);
  if (!found) {
    return inconclusive(k_reason_no_such_field, found.error().message);
  }
  const std::vector<const Json*> values = found->values();
  if (values.empty()) {
    return inconclusive(k_reason_no_such_field, cat(path.text(), " finds nothing in the answer"));
  }
  if (values.size() > 1) {
    return inconclusive(k_reason_several,
                        cat(path.text(), " finds ", values.size(), " values; it must find one"));
  }
  return number_of(*values.front());
}

}  // namespace

Expected<double> read_json_source(http::Transport& transport, const JsonSource& source,
                                  const std::stop_token& stop) {
  const auto path = data::JsonPath::compile_relaxed(source.path);
  if (!path) {
    return inconclusive(k_reason_bad_query, path.error().message);
  }
  http::Request request;
  request.url = source.url;
  request.headers = source.headers;
  request.headers.push_back({"Accept", "application/json"});
  request.timeout = source.timeout;
  request.max_body = k_max_body;
  const auto response = http::send(transport, std::move(request), stop);
  if (!response) {
    Answer answer = answer_of(response.error());
    answer.message = util::replace_all(answer.message, source.url.substr(0, source.url.find('#')),
                                       shown_url(source.url));
    return tl::unexpected<Answer>(std::move(answer));
  }
  if (response->status / 100 != 2) {
    return tl::unexpected<Answer>(
        answer_of(kube::api_error("GET", shown_url(source.url), *response)));
  }
  auto number = find_number(response->body, *path);
  if (!number) {
    number.error().message = cat("GET ", shown_url(source.url), ": ", number.error().message);
  }
  return number;
}

Expected<double> read_json_service(kube::Client& client, const JsonService& source,
                                   const std::stop_token& stop) {
  const auto path = service_proxy(source.ns, source.service, source.path);
  if (!path) {
    return inconclusive(k_reason_bad_query, cat("the path ", source.path, " of ", source.service,
                                                " in namespace ", source.ns, " leads elsewhere"));
  }
  const http::Request request = client.request_of(kube::raw_get(*path));
  return read_json_source(client.transport(),
                          {request.url, request.headers, source.field, source.timeout}, stop);
}

}  // namespace kubist::metrics
