#pragma once
#include <string>

#include <kubist/data/json_text.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "support/loopback_server.hpp"

namespace stage {

namespace data = kubist::data;
namespace testing = kubist::testing;
namespace util = kubist::util;
using data::Json;

inline std::string target_of(const testing::ReceivedRequest& request) {
  return util::split(request.head, ' ').at(1);
}

/// A chart repository, and an OCI registry with that one chart in it as charts/web:1.2.3.
class ChartServer {
 public:
  /// `login`: "user:password" that it wants, or empty.
  explicit ChartServer(const std::string& archive, const std::string& login = {})
      : m_archive(archive),
        m_authorization(login.empty() ? "" : "Basic " + util::base64_encode(login)),
        m_server([this](const testing::ReceivedRequest& request, testing::Connection& connection) {
          serve(connection, request);
        }) {}
  std::string host() { return "127.0.0.1:" + std::to_string(m_server.port()); }

 private:
  static std::string digest(const std::string& bytes) {
    return "sha256:" + util::sha256_hex(bytes);
  }
  static Json part(std::string_view type, const std::string& bytes) {
    return {{"mediaType", type}, {"digest", digest(bytes)}, {"size", bytes.size()}};
  }

  void serve(testing::Connection& connection, const testing::ReceivedRequest& request) {
    const std::string target = target_of(request);
    if (!m_authorization.empty() && request.header("Authorization") != m_authorization) {
      connection.reply(401, "who are you?", "WWW-Authenticate: Basic realm=\"charts\"\r\n");
      return;
    }
    const std::string config = R"({"name":"web","version":"1.2.3","apiVersion":"v2"})";
    constexpr const char* k_manifest = "application/vnd.oci.image.manifest.v1+json";
    const std::string manifest = data::to_json(
        {{"schemaVersion", 2},
         {"mediaType", k_manifest},
         {"config", part("application/vnd.cncf.helm.config.v1+json", config)},
         {"layers",
          Json::array({part("application/vnd.cncf.helm.chart.content.v1.tar+gzip", m_archive)})}});
    std::string body;
    std::string type = "application/octet-stream";
    if (target == "/index.yaml") {
      body =
          "apiVersion: v1\nentries:\n  web:\n  - {apiVersion: v2, name: web, version: 1.2.3, "
          "urls: [web-1.2.3.tgz]}\n";
    } else if (target == "/web-1.2.3.tgz" || target.ends_with("/blobs/" + digest(m_archive))) {
      body = m_archive;
    } else if (target.ends_with("/blobs/" + digest(config))) {
      body = config;
    } else if (target.find("/v2/charts/web/manifests/") == 0) {
      body = manifest;
      type = k_manifest;
    } else if (target.find("/v2/charts/web/tags/list") == 0) {
      body = R"({"name":"charts/web","tags":["1.2.3"]})";
      type = "application/json";
    } else if (target == "/v2/") {
      body = "{}";
    } else {
      connection.reply(404, "no such thing");
      return;
    }
    const std::string headers =
        "Content-Type: " + type + "\r\nDocker-Content-Digest: " + digest(body) + "\r\n";
    if (request.head.starts_with("HEAD")) {
      connection.write(
          util::cat("HTTP/1.1 200 OK\r\nContent-Length: ", body.size(), "\r\n", headers, "\r\n"));
    } else {
      connection.reply(200, body, headers);
    }
  }

  std::string m_archive, m_authorization;
  testing::LoopbackServer m_server;
};

}  // namespace stage
