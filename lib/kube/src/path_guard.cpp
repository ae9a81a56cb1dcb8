#include "path_guard.hpp"

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

}  // namespace

util::Result<> check_path(const http::Request& request) {
  const std::string_view path = path_of(request.url);
  if (path.empty()) {
    return {};
  }
  for (const std::string& part : util::split(path, '/')) {
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
