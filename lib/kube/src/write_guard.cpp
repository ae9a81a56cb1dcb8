#include "write_guard.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace kubist::kube {
namespace {

/// Objects that are questions: the server answers, and keeps nothing.
constexpr std::array<std::string_view, 6> k_reviews{
    "/selfsubjectaccessreviews",  "/selfsubjectrulesreviews", "/selfsubjectreviews",
    "/localsubjectaccessreviews", "/subjectaccessreviews",    "/tokenreviews"};

bool is_dry_run(const http::Request& request, std::string_view query) {
  if (("&" + std::string(query) + "&").find("&dryRun=All&") != std::string::npos) {
    return true;
  }
  // A deletion has its options in the body, which is ours.
  return request.method == "DELETE" && request.body != nullptr &&
         request.body->find(R"("dryRun":["All"])") != std::string::npos;
}

}  // namespace

bool may_change(const http::Request& request) {
  if (request.method == "GET" || request.method == "HEAD" || request.method == "OPTIONS") {
    return false;
  }
  const std::string_view url = request.url;
  const std::size_t mark = url.find('?');
  const std::string_view path = url.substr(0, mark);
  const std::string_view query = mark == url.npos ? std::string_view() : url.substr(mark + 1);
  const bool review = request.method == "POST" &&
                      std::any_of(k_reviews.begin(), k_reviews.end(),
                                  [&](std::string_view each) { return path.ends_with(each); });
  return !review && !is_dry_run(request, query);
}

http::Call WriteGuard::start(http::Request request, http::Done done) {
  if (may_change(request)) {
    if (auto asked = m_ask(request); !asked) {
      done(util::fail(std::move(asked).error()));
      return {};
    }
  }
  return m_inner->start(std::move(request), std::move(done));
}

}  // namespace kubist::kube
