#include "evidence/questions.hpp"

#include <kubist/util/clock.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::istio {

using data::Json;
using util::cat;

Questions::Questions(kube::Client& client, std::chrono::milliseconds timeout,
                     const std::stop_token& stop)
    : m_client(client),
      m_forward(stop, [this] { m_deadline.request_stop(); }),
      m_timer([this, timeout](const std::stop_token& own) {
        if (util::sleep_for(timeout, own)) {
          m_deadline.request_stop();
        }
      }) {}

void Questions::all(const std::vector<std::function<void()>>& questions) {
  constexpr std::size_t k_at_once = 16;
  util::for_each_index(questions.size(), k_at_once, [&](std::size_t i) { questions[i](); });
}

Unread Questions::unread(std::string_view resource, const util::Error& error) const {
  Unread result;
  result.resource = resource;
  result.message = error.message;
  const bool late =
      error.kind == util::ErrorKind::timeout || error.kind == util::ErrorKind::cancelled;
  if (error.kind == util::ErrorKind::forbidden && error.http_status == 403) {
    result.code = cat("forbidden:", resource);
  } else if (late && error.http_status == 0) {
    result.code = "apiserver:timeout";
    result.message = cat("no answer in time about ", resource, " from ", m_client.server());
  } else if (error.http_status != 0) {
    result.code = cat("apiserver:", error.http_status);
  } else {
    result.code = cat("apiserver:", error.reason.empty() ? "error" : error.reason);
  }
  return result;
}

Read<std::vector<Json>> Questions::list(const kube::ApiResource& resource,
                                        const kube::ListOptions& options, std::string_view ns) {
  auto found = m_client.list(resource, ns, options, stop());
  if (found) {
    return std::move(found->items);
  }
  if (found.error().http_status == 404) {
    return std::vector<Json>();
  }
  return tl::unexpected(unread(resource.group_resource(), found.error()));
}

Read<Json> Questions::get(const kube::ApiCall& call, std::string_view resource) {
  auto found = m_client.json(call, stop());
  if (found) {
    return std::move(*found);
  }
  if (found.error().http_status == 404) {
    return Json();
  }
  return tl::unexpected(unread(resource, found.error()));
}

}  // namespace kubist::istio
