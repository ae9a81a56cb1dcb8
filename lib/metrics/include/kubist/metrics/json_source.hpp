#pragma once
#include <chrono>
#include <stop_token>
#include <string>

#include <kubist/data/jsonpath.hpp>
#include <kubist/http/transport.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/metrics/answer.hpp>

namespace kubist::metrics {

/// A number in a JSON document behind a URL.
struct JsonSource {
  std::string url;
  http::Headers headers;
  std::string path;  ///< JSONPath as kubectl's: "{.data.errors}"
  std::chrono::milliseconds timeout{10'000};
};

/// Asks once. The field may be a number, or a text that is one. Inconclusive: NoSuchField,
/// SeveralSeries (the path finds several), NotANumber, NotMetrics (no JSON), Html, Unreachable,
/// Timeout, Forbidden, NotFound, BadQuery (the path), Cancelled, Error. Whether the address is
/// allowed is for the caller to judge; redirects are not followed, so that it stays so.
Expected<double> read_json_source(http::Transport& transport, const JsonSource& source,
                                  const std::stop_token& stop);

/// A number in a JSON document of a Service.
struct JsonService {
  std::string ns;
  std::string service;  ///< "[https:]NAME:PORT"
  std::string path;     ///< what is asked for: "/stats?format=json"
  std::string field;    ///< JSONPath as kubectl's
  std::chrono::milliseconds timeout{10'000};
};

/// As read_json_source(), through the API server's service proxy (right: get services/proxy in that
/// namespace). BadQuery, too, where service and path would lead elsewhere.
Expected<double> read_json_service(kube::Client& client, const JsonService& source,
                                   const std::stop_token& stop);

}  // namespace kubist::metrics
