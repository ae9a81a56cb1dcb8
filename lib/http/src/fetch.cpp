#include <kubist/http/fetch.hpp>
#include <kubist/http/guarded_transport.hpp>
#include <kubist/util/text.hpp>

namespace kubist::http {

util::Result<std::string> fetch(const std::shared_ptr<CurlEngine>& engine, const std::string& url,
                                std::size_t max_body, std::stop_token stop, Redirects redirects) {
  const GuardedEngine guarded;
  const std::shared_ptr<Transport> transport =
      redirects == Redirects::refuse ? guarded.transport()
                                     : std::make_shared<CurlTransport>(engine, EndpointOptions{});
  Request request;
  request.url = url;
  request.follow_redirects = redirects == Redirects::follow;
  request.max_body = max_body;
  request.timeout = std::chrono::seconds(60);
  KUBIST_TRY(auto response, send(*transport, std::move(request), std::move(stop)));
  if (response.status / 100 != 2) {
    return util::fail(util::ErrorKind::unavailable,
                      util::cat("GET ", url, ": status ", response.status), "Check the URL.");
  }
  return std::move(response.body);
}

}  // namespace kubist::http
