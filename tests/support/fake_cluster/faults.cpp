// What is to go wrong.
#include <kubist/util/text.hpp>

#include "impl.hpp"

namespace kubist::testing {

using data::Json;
using util::cat;

namespace {

util::Error lost(const http::Request& request) {
  util::Error error = util::make_error(util::ErrorKind::unavailable,
                                       cat(request.method, ' ', request.url, ": connection lost"));
  error.reason = http::k_failure_lost;
  return error;
}

}  // namespace

std::optional<FakeCluster::Impl::Fault> FakeCluster::Impl::fault_for(const FakeRequest& request) {
  if (request.user_agent == k_operator) {
    return std::nullopt;
  }
  const std::string what = cat(request.method, ' ', request.target);
  for (auto fault = faults.begin(); fault != faults.end(); ++fault) {
    if (util::glob_match(fault->pattern, what)) {
      Fault due = *fault;
      if (--fault->times == 0) {
        faults.erase(fault);
      }
      return due;
    }
  }
  return std::nullopt;
}

void FakeCluster::fail(const std::string& pattern, int status, int times, http::Headers headers) {
  http::Response answer =
      json_answer(status, {{"kind", "Status"},
                           {"status", "Failure"},
                           {"code", status},
                           {"message", cat("the fake was told to answer ", status)}});
  answer.headers.insert(answer.headers.end(), headers.begin(), headers.end());
  const std::lock_guard lock(m_impl->mutex);
  m_impl->faults.push_back(
      {pattern, times, [answer] { return std::optional(util::Result<http::Response>(answer)); }});
}

void FakeCluster::lose(const std::string& pattern, int times) {
  const std::lock_guard lock(m_impl->mutex);
  m_impl->faults.push_back(
      {pattern, times,
       [] { return std::optional<util::Result<http::Response>>(util::fail(lost({}))); }});
}

void FakeCluster::before(const std::string& pattern, std::function<void()> what, int times) {
  const std::lock_guard lock(m_impl->mutex);
  m_impl->faults.push_back(
      {pattern, times, [what = std::move(what)]() -> std::optional<util::Result<http::Response>> {
         what();
         return std::nullopt;
       }});
}

void FakeCluster::end_watches() { m_impl->end(http::Response{.status = 200}); }
void FakeCluster::cut_watches() { m_impl->end(util::fail(lost({}))); }

}  // namespace kubist::testing
