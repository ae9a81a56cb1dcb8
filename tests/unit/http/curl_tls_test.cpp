#include <kubist/util/fs.hpp>
#include <kubist/util/process.hpp>

#include "transport_support.hpp"

using namespace transport_test;

namespace {

void run_openssl(const std::vector<std::string>& args) {
  util::Command command;
  command.args = {"openssl"};
  command.args.insert(command.args.end(), args.begin(), args.end());
  const auto result = util::run_command(command);
  REQUIRE_MESSAGE(result, result.error().to_string());
  REQUIRE_MESSAGE(result->exit_code == 0, result->err);
}

/// A CA, a server certificate for api.test and 127.0.0.1, and a client certificate; for an hour.
class Certificates {
 public:
  Certificates() {
    const auto ec = [](const std::string& key) {
      return std::vector<std::string>{"-newkey", "ec",      "-pkeyopt", "ec_paramgen_curve:P-256",
                                      "-nodes",  "-keyout", key};
    };
    const auto request = [&](const std::string& name, const std::string& subject, bool ca) {
      std::vector<std::string> args{"req",   "-x509", "-days", "1",
                                    "-subj", subject, "-out",  file(name + ".pem")};
      const auto key = ec(file(name + ".key"));
      args.insert(args.end(), key.begin(), key.end());
      if (!ca) {
        args.insert(args.end(), {"-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-addext",
                                 "subjectAltName=DNS:api.test,IP:127.0.0.1", "-addext",
                                 "basicConstraints=CA:FALSE"});
      }
      run_openssl(args);
    };
    request("ca", "/CN=test CA", true);
    request("server", "/CN=server", false);
    request("client", "/CN=client", false);
    request("other", "/CN=another CA", true);
  }
  std::string file(const std::string& name) const { return (m_folder.path() / name).string(); }
  std::string pem(const std::string& name) const { return *util::read_file(file(name)); }

 private:
  util::TempDir m_folder;
};

const Certificates& certificates() {
  static const Certificates all;
  return all;
}

}  // namespace

TEST_CASE("curl transport: TLS by memory, with client certificate, server name, and their faults") {
  const Certificates& pki = certificates();
  const TlsFiles files{pki.file("server.pem"), pki.file("server.key"), pki.file("ca.pem")};
  LoopbackServer server(
      [](const ReceivedRequest& request, Connection& connection) {
        connection.reply(200, request.header("Host"));
      },
      &files);
  EndpointOptions options;
  options.ca_pem = pki.pem("ca.pem");
  options.client_cert_pem = pki.pem("client.pem");
  options.client_key_pem = util::Secret(pki.pem("client.key"));
  SUBCASE("all is well") {
    const auto response = TransportSetup(options).get(server.url());
    REQUIRE_MESSAGE(response, response.error().to_string());
    CHECK(response->body == "127.0.0.1:" + std::to_string(server.port()));
  }
  SUBCASE("the server's name is another") {
    options.server_name = "api.test";
    const auto response = TransportSetup(options).get(server.url());
    REQUIRE_MESSAGE(response, response.error().to_string());
    CHECK(response->body == "127.0.0.1:" + std::to_string(server.port()));
    options.server_name = "other.test";
    CHECK(TransportSetup(options).get(server.url()).error().reason == k_failure_tls);
  }
  SUBCASE("an unknown CA") {
    options.ca_pem = pki.pem("other.pem");
    const auto outcome = TransportSetup(options).get(server.url());
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().reason == k_failure_tls);
    CHECK(outcome.error().hint.find("CA data") != std::string::npos);
    options.insecure = true;
    options.ca_pem.clear();
    CHECK(TransportSetup(options).get(server.url()));
  }
  SUBCASE("a key that is none") {
    options.client_key_pem =
        util::Secret("-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n");
    const auto outcome = TransportSetup(options).get(server.url());
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().reason == k_failure_tls);
    CHECK(outcome.error().hint.find("certificate and key") != std::string::npos);
  }
  SUBCASE("nobody gets a connection by the certificate alone") {
    TransportSetup first(options);
    REQUIRE(first.get(server.url()));
    options.client_key_pem = util::Secret(pki.pem("server.key"));
    CurlTransport second(first.engine, options);
    Request request;
    request.url = server.url();
    const auto outcome = send(second, request);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().reason == k_failure_tls);
  }
  SUBCASE("endpoints with other certificates do not share connections") {
    TransportSetup first(options);
    CHECK(first.get(server.url()));
    options.client_cert_pem.clear();
    options.client_key_pem = util::Secret();
    CurlTransport second(first.engine, options);
    Request request;
    request.url = server.url();
    CHECK_FALSE(send(second, request));
  }
}
