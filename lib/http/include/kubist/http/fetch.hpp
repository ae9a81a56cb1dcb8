#pragma once
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

#include <kubist/http/curl_transport.hpp>
#include <kubist/util/result.hpp>

namespace kubist::http {

/// Redirects are refused where only certain addresses may be asked; then link-local ones are, too.
enum class Redirects { follow, refuse };

/// The body behind a http(s) URL, within a minute; no credentials are sent. Unavailable: no answer,
/// or a status other than 2xx. Too long a body is an error.
util::Result<std::string> fetch(const std::shared_ptr<CurlEngine>& engine, const std::string& url,
                                std::size_t max_body, std::stop_token stop = {},
                                Redirects redirects = Redirects::follow);

}  // namespace kubist::http
