#include "path_guard.hpp"

#include <string>
#include <vector>

#include <kubist/http/url.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/util/text.hpp>

namespace kubist::kube {
namespace {

/// What stands between the host and the query, without its first slash.
std::string_view path_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  url.remove_prefix(scheme == url.npos ? 0 : scheme + 3);
  const std::size_t begin = url.find_first_of("/?#");
  if (begin == url.npos || url[begin] != '/') {
    return {};
  }
  url.remove_prefix(begin + 1);
  return url.substr(0, url.find_first_of("?#"));
}

/// Does it lead to what a Service or a pod serves? There a path may end with a slash.
bool is_proxied(const std::vector<std::string>& parts) {
  for (std::size_t i = 2; i + 2 < parts.size(); ++i) {
    if (parts[i - 2] == "namespaces" && (parts[i] == "services" || parts[i] == "pods") &&
        parts[i + 2] == "proxy") {
      return true;
    }
  }
  return false;
}

}  // namespace

util::Result<> check_path(const http::Request& request) {
  const std::string_view path = path_of(request.url);
  if (path.empty()) {
    return {};
  }
  std::vector<std::string> parts = util::split(path, '/');
  if (parts.back().empty() && is_proxied(parts)) {
    parts.pop_back();
  }
  for (const std::string& part : parts) {
    if (auto checked = check_name("part of the path", util::percent_decode(part)); !checked) {
      return util::fail(util::with_context(
          std::move(checked).error(), util::cat(request.method, ' ', http::redacted(request.url))));
    }
  }
  return {};
}

http::Call PathGuard::start(http::Request request, http::Done done) {
  if (auto checked = check_path(request); !checked) {
    done(util::fail(std::move(checked).error()));
    return {};
  }
  return m_inner->start(std::move(request), std::move(done));
}

}  // namespace kubist::kube
