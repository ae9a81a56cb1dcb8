#include "evidence/questions.hpp"

#include <kubist/resources/object.hpp>
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

void Questions::pass_over(std::string_view resource, const std::string& object,
                          const util::Error& error) {
  const std::lock_guard lock(m_mutex);
  auto& [count, first] = m_passed[std::string(resource)];
  first = count++ == 0 ? cat(object, " cannot be read: ", error.message) : first;
}

std::vector<Unread> Questions::passed_over() {
  const std::lock_guard lock(m_mutex);
  std::vector<Unread> all;
  for (const auto& [resource, passed] : m_passed) {
    const auto& [count, first] = passed;
    Unread one;
    one.resource = resource;
    one.code = cat("unreadable:", resource);
    one.message = cat(count, " of ", resource, " passed over: ", first);
    all.push_back(std::move(one));
  }
  return all;
}

Read<std::vector<Json>> Questions::list(const kube::ApiResource& resource,
                                        const kube::ListOptions& options, std::string_view ns) {
  kube::ListOptions readable = options;
  readable.pass_unreadable = true;
  auto found = m_client.list(resource, ns, readable, stop());
  if (found) {
    for (const kube::Unreadable& each : found->unreadable) {
      const resources::ObjectView view(*each.outline);
      pass_over(resource.group_resource(), cat(view.ns(), '/', view.name()), each.error);
    }
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
