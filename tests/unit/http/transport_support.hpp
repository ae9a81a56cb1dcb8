#pragma once
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include <kubist/http/curl_transport.hpp>

#include "support/loopback_server.hpp"

namespace transport_test {

using namespace kubist;
using namespace kubist::http;
using namespace kubist::testing;

/// A client for the test's server.
struct TransportSetup {
  explicit TransportSetup(EndpointOptions options = {}, const GovernorOptions& limits = {})
      : engine(std::make_shared<CurlEngine>(limits)),
        transport(std::make_shared<CurlTransport>(engine, std::move(options))) {}
  util::Result<Response> get(const std::string& url) {
    Request request;
    request.url = url;
    return send(*transport, std::move(request));
  }
  std::shared_ptr<CurlEngine> engine;
  std::shared_ptr<CurlTransport> transport;
};

}  // namespace transport_test
