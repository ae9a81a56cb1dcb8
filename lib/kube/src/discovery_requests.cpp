#include "discovery_requests.hpp"

#include <future>

#include <kubist/http/url.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "answers.hpp"

namespace kubist::kube {

using data::Json;
using util::ErrorKind;

namespace {

// Servers read the parameters in this order only.
constexpr std::string_view k_accept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

constexpr std::size_t k_max_values = 2'000'000;  // of a document, as JSON

}  // namespace

DiscoveryAnswer DiscoveryBudget::late() const {
  return fail(ErrorKind::timeout, util::cat("take longer than ", util::go_duration(m_limits.time)),
              "");
}

DiscoveryAnswer DiscoveryBudget::admit(DiscoveryAnswer answer) {
  return !answer || (m_bytes += answer->body.size()) <= m_limits.bytes
             ? std::move(answer)
             : fail(ErrorKind::unavailable, util::cat("are longer than ", m_limits.bytes, " bytes"),
                    std::string(http::k_failure_too_large));
}

DiscoveryAnswer DiscoveryBudget::fail(ErrorKind kind, const std::string& what,
                                      std::string reason) const {
  return util::fail(kind, util::cat("the lists of kinds of ", http::redacted(m_server), ' ', what),
                    "Is something else than a Kubernetes API server behind this address?",
                    std::move(reason));
}

std::vector<DiscoveryAnswer> send_all(http::Transport& transport,
                                      std::vector<http::Request> requests, DiscoveryBudget& budget,
                                      const std::stop_token& stop) {
  std::vector<std::future<DiscoveryAnswer>> futures;
  std::vector<http::Call> calls;
  for (http::Request& request : requests) {
    auto promise = std::make_shared<std::promise<DiscoveryAnswer>>();
    futures.push_back(promise->get_future());
    calls.push_back(transport.start(std::move(request), [promise, &budget](DiscoveryAnswer answer) {
      promise->set_value(budget.admit(std::move(answer)));
    }));
  }
  const auto cancel = [&calls] {
    for (const http::Call& call : calls) {
      call.cancel();
    }
  };
  const std::stop_callback on_stop(stop, cancel);
  std::vector<DiscoveryAnswer> answers;
  bool is_late = false;
  for (auto& future : futures) {
    if (!is_late && future.wait_until(budget.until) == std::future_status::timeout) {
      is_late = true;
      cancel();
    }
    answers.push_back(future.get());
    const auto& answer = answers.back();
    if (is_late && !answer && answer.error().kind == ErrorKind::cancelled &&
        !stop.stop_requested()) {
      answers.back() = budget.late();
    }
  }
  return answers;
}

http::Request discovery_request(const std::string& server, const std::string& path,
                                std::size_t max_body, const std::string& etag) {
  http::Request request;
  request.url = server + path;
  request.max_body = max_body;
  request.headers = {{"Accept", std::string(k_accept)}, {"User-Agent", "kubist"}};
  if (!etag.empty()) {
    request.headers.push_back({"If-None-Match", etag});
  }
  return request;
}

bool is_aggregated(const http::Response& response) {
  const auto type = http::find_header(response.headers, "Content-Type");
  return type && type->find("apidiscovery.k8s.io") != std::string_view::npos;
}

std::string etag_of(const http::Response& response) {
  return std::string(http::find_header(response.headers, "ETag").value_or(""));
}

util::Result<Json> body_of(const std::string& url, const DiscoveryAnswer& answer) {
  if (!answer) {
    return util::fail(answer.error());
  }
  if (answer->status >= 400) {
    return util::fail(api_error("GET", url, *answer));
  }
  auto value = parse_answer(answer->body, k_max_values);
  if (!value || !value->is_object()) {
    return util::fail(
        ErrorKind::unavailable,
        util::cat("GET ", http::redacted(url),
                  ": the answer is not JSON within the limits (docs/reference/limits.md)"),
        "Is something else than a Kubernetes API server behind this address?");
  }
  return value;
}

}  // namespace kubist::kube
