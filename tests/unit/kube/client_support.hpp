#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/kube/client.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_transport.hpp"

namespace client_test {

using namespace kubist;
using namespace kubist::kube;
using data::Json;
using testing::FakeTransport;

struct ClientFixture {
  ClientFixture() {
    ClusterAccess access;
    access.server = "http://fake";
    ClientOptions options;
    options.transport = fake;
    options.on_warning = [this](std::string_view text) { warnings.emplace_back(text); };
    client = *Client::connect(std::move(access), std::move(options));
  }
  std::shared_ptr<FakeTransport> fake = std::make_shared<FakeTransport>();
  std::shared_ptr<Client> client;
  std::vector<std::string> warnings;
};

inline std::string status(int code, const std::string& reason, const std::string& message,
                          const std::string& more = {}) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":)" + std::to_string(code) +
         R"(,"reason":")" + reason + R"(","message":")" + message + '"' + more + '}';
}

inline http::Response response_of(int code, std::string body) {
  http::Response response;
  response.status = code;
  response.body = std::move(body);
  return response;
}

inline std::string event(const char* type, const char* name, const char* version) {
  return util::cat(R"({"type":")", type,
                   R"(","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")", name,
                   R"(","resourceVersion":")", version, "\"}}}\n");
}

}  // namespace client_test
