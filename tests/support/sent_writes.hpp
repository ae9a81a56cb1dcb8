#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <kubist/http/transport.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/util/text.hpp>

namespace kubist::testing {

/// What a plan and the run that it is of must have in common: method, path, query and body of each
/// write, in order.
using Writes = std::vector<std::string>;

/// Those of calls that somebody kept.
inline Writes writes_of(const std::vector<kube::ApiCall>& calls) {
  Writes writes;
  for (const kube::ApiCall& call : calls) {
    std::string query;
    for (const auto& [key, value] : call.query) {
      query += value.empty() ? "" : util::cat(query.empty() ? "?" : "&", key, '=', value);
    }
    writes.push_back(
        util::cat(call.method, ' ', call.path, query, '\n', call.body ? *call.body : ""));
  }
  return writes;
}

/// Where they are not the same, the first difference; else empty.
inline std::string difference(const Writes& a, const Writes& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string left = i < a.size() ? a[i] : "nothing";
    const std::string right = i < b.size() ? b[i] : "nothing";
    if (left != right) {
      return util::cat("write ", i, ": ", left.substr(0, 2000), "\nnot ", right.substr(0, 2000));
    }
  }
  return "";
}

/// Those that went through it, but for access reviews, which change nothing. Any thread.
class SentWrites : public http::Transport {
 public:
  explicit SentWrites(http::Transport& inner) : m_inner(inner) {}
  http::Call start(http::Request request, http::Done done) override {
    if (request.method != "GET" && request.url.find("accessreviews") == std::string::npos) {
      const std::lock_guard lock(m_mutex);
      const auto path = request.url.find('/', request.url.find("://") + 3);
      m_writes.push_back(util::cat(request.method, ' ', request.url.substr(path), '\n',
                                   request.body ? *request.body : ""));
    }
    return m_inner.start(std::move(request), std::move(done));
  }
  /// Since the last time.
  Writes take() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_writes, {});
  }

 private:
  http::Transport& m_inner;
  std::mutex m_mutex;
  Writes m_writes;
};

}  // namespace kubist::testing
