#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "kubeconfig_support.hpp"
#include "support/key_pair.hpp"

using namespace kubeconfig_test;

TEST_CASE("kubeconfig: from a Secret only data counts") {
  const std::string head =
      "current-context: a\ncontexts: [{name: a, context: {cluster: a, user: a}}]\n";
  const auto text = [&](const std::string& cluster, const std::string& user) {
    return head + "clusters: [{name: a, cluster: {server: 'https://x:1'" + cluster +
           "}}]\nusers: [{name: a, user: {" + user + "}}]\n";
  };
  const auto fine = strict_access(
      text(", certificate-authority-data: Q0E=, tls-server-name: name", "token: t"), "Secret x/y");
  REQUIRE_MESSAGE(fine, fine.error().to_string());
  CHECK(fine->auth.token.reveal() == "t");
  CHECK(strict_access(text(", insecure-skip-tls-verify: false", "token: t"), "s"));
  const std::vector<std::pair<std::string, std::string>> refused{
      {text("", "exec: {command: sh, apiVersion: client.authentication.k8s.io/v1}"), "exec"},
      {text("", "auth-provider: {name: x}"), "auth-provider"},
      {text("", "tokenFile: /etc/passwd"), "tokenFile"},
      {text("", "client-key: /etc/shadow"), "client-key"},
      {text("", "as: admin"), "as"},
      {text("", "username: u"), "username"},
      {text(", proxy-url: 'http://p'", "token: t"), "proxy-url"},
      {text(", certificate-authority: /x", "token: t"), "certificate-authority"},
      {text(", insecure-skip-tls-verify: true", "token: t"), "insecure-skip-tls-verify"}};
  for (const auto& [config, field] : refused) {
    CAPTURE(field);
    const auto access = strict_access(config, "Secret x/y");
    REQUIRE_FALSE(access);
    CHECK(access.error().reason == "KubeconfigNotAllowed");
    CHECK(access.error().message.find("the field " + field + " is not allowed") !=
          std::string::npos);
  }
}

namespace {

/// A kubeconfig as a Secret may have it, with these fields of its cluster and user.
Json secret_config(Json cluster, Json user, Json context = Json::object()) {
  context["cluster"] = "c";
  context["user"] = "u";
  return {{"current-context", "x"},
          {"contexts", Json::array({{{"name", "x"}, {"context", context}}})},
          {"clusters", Json::array({{{"name", "c"}, {"cluster", std::move(cluster)}}})},
          {"users", Json::array({{{"name", "u"}, {"user", std::move(user)}}})}};
}

/// As the user's own file.
util::Result<ClusterAccess> own_access(const Json& config) {
  FakeEnvironment fake;
  fake.files["/home/me/.kube/config"] = config.dump();
  return find_access({}, fake.get());
}

std::string encoded(const std::string& text) { return util::base64_encode(text); }

}  // namespace

TEST_CASE("kubeconfig: a server from a Secret is https, and nothing but a server") {
  for (const char* server :
       {"http://x:1", "https://me@x:1", "https://me:pw@x", "https://x/version?x=", "https://x/?",
        "https://x#y", "https://x/ HTTP/1.1", "ftp://x", "https://x/a\r\nb",
        "https://\xC3\xBC.test", "x?y"}) {
    CAPTURE(server);
    const Json config = secret_config({{"server", server}}, {{"token", "t"}});
    const auto access = strict_access(config.dump(), "Secret x/y");
    REQUIRE_FALSE(access);
    CHECK(access.error().reason == "KubeconfigNotAllowed");
    CHECK(access.error().message.find("server is not allowed") != std::string::npos);
  }
  for (const auto& [server, becomes] : std::vector<std::pair<std::string, std::string>>{
           {"https://x:6443/", "https://x:6443"},
           {"x:6443", "https://x:6443"},
           {"https://[fd00::1]:6443", "https://[fd00::1]:6443"},
           {"https://rancher.test/k8s/clusters/c-1", "https://rancher.test/k8s/clusters/c-1"}}) {
    CAPTURE(server);
    const Json config = secret_config({{"server", server}}, {{"token", "t"}});
    const auto access = strict_access(config.dump(), "s");
    REQUIRE_MESSAGE(access, access.error().to_string());
    CHECK(access->server == becomes);
    CHECK(access->from_secret);
  }
  CHECK(own_access(secret_config({{"server", "http://127.0.0.1:8001"}}, {{"token", "t"}})));
}

TEST_CASE("kubeconfig: tls-server-name is a name, and leads nowhere else") {
  for (const char* name : {"evil.test/?", "evil.test:1", "me@evil.test", "a b", "a\r\nb", "x#y"}) {
    CAPTURE(name);
    const Json config =
        secret_config({{"server", "https://x"}, {"tls-server-name", name}}, {{"token", "t"}});
    const auto access = own_access(config);
    REQUIRE_FALSE(access);
    CHECK(access.error().message.find("tls-server-name is no name") != std::string::npos);
    CHECK_FALSE(strict_access(config.dump(), "s"));
  }
  for (const char* name : {"api.test", "10.0.0.1", "fd00::1"}) {
    CHECK(own_access(
        secret_config({{"server", "https://x"}, {"tls-server-name", name}}, {{"token", "t"}})));
  }
}

TEST_CASE("kubeconfig: what becomes a header is printable, in every kubeconfig") {
  const Json cluster{{"server", "https://x"}};
  const auto message = [](const util::Result<ClusterAccess>& access) {
    return access ? std::string("fine") : access.error().to_string();
  };
  for (const char* token :
       {"t0ken\r\nMetadata-Flavor: Google", "t0ken\n", "t0\tken", "t0k\xC3\xA9n"}) {
    CAPTURE(token);
    const Json config = secret_config(cluster, {{"token", token}});
    for (const std::string& text :
         {message(own_access(config)), message(strict_access(config.dump(), "s"))}) {
      CHECK_MESSAGE(text.find("token has a character") != std::string::npos, text);
      CHECK_MESSAGE(text.find("t0") == std::string::npos, text);
    }
  }
  const std::vector<std::pair<std::string, Json>> users{
      {"as", {{"as", "bo\nss"}}},
      {"as-uid", {{"as", "boss"}, {"as-uid", "1\r2"}}},
      {"as-groups", {{"as", "boss"}, {"as-groups", {"g", "h\n"}}}},
      {"as-user-extra", {{"as", "boss"}, {"as-user-extra", {{"k", {"v\n"}}}}}}};
  for (const auto& [field, user] : users) {
    CAPTURE(field);
    CHECK(message(own_access(secret_config(cluster, user))).find(field + " has a character") !=
          std::string::npos);
  }
  FakeEnvironment fake;
  fake.files["/home/me/.kube/config"] = secret_config(cluster, {{"token", "t"}}).dump();
  Overrides overrides;
  overrides.token = util::Secret("t0ken\n");
  CHECK(message(find_access(overrides, fake.get())).find("the token has a character") !=
        std::string::npos);
}

TEST_CASE("kubeconfig: a client certificate and its key are a pair") {
  const testing::KeyPair pair = testing::make_key_pair();
  const testing::KeyPair other = testing::make_key_pair();
  const Json cluster{{"server", "https://x"}};
  const auto user = [](const std::string& certificate, const std::string& key) {
    return Json{{"client-certificate-data", encoded(certificate)},
                {"client-key-data", encoded(key)}};
  };
  CHECK(own_access(secret_config(cluster, user(pair.certificate, pair.key))));
  CHECK(strict_access(secret_config(cluster, user(pair.certificate, pair.key)).dump(), "s"));
  struct Case {
    std::string certificate, key, why;
  };
  for (const Case& each :
       {Case{pair.certificate, other.key, "the key is not that of the certificate"},
        {"s3cret words", pair.key, "the certificate is no PEM certificate"},
        {pair.certificate, "s3cret words", "the key is no PEM private key"}}) {
    CAPTURE(each.why);
    const Json config = secret_config(cluster, user(each.certificate, each.key));
    for (const auto& access : {own_access(config), strict_access(config.dump(), "s")}) {
      REQUIRE_FALSE(access);
      const std::string text = access.error().to_string();
      CHECK_MESSAGE(text.find("client-certificate-data and client-key-data: " + each.why) !=
                        std::string::npos,
                    text);
      CHECK(text.find("s3cret") == std::string::npos);
    }
  }
  FakeEnvironment fake;
  fake.files = {{"/home/me/.kube/config", k_config},
                {"/home/me/.kube/pki/ca.crt", "CA2"},
                {"/home/me/.kube/me.crt", pair.certificate},
                {"/abs/me.key", other.key},
                {"/good.crt", pair.certificate},
                {"/good.key", pair.key}};
  Overrides overrides;
  overrides.context = "two";
  CHECK(find_access(overrides, fake.get())
            .error()
            .message.find(
                "/home/me/.kube/me.crt and /abs/me.key: the key is not that of the certificate") !=
        std::string::npos);
  fake.files["/abs/me.key"] = pair.key;
  overrides.client_certificate = "/good.crt";
  overrides.client_key = "/good.key";
  CHECK(find_access(overrides, fake.get()));
  fake.files["/good.key"] = other.key;
  CHECK(find_access(overrides, fake.get()).error().message.find("/good.crt and /good.key") !=
        std::string::npos);
}

TEST_CASE("kubeconfig: of a Secret that is none, an error has no word") {
  const std::string head = "apiVersion: v1\ncurrent-context: hunter2-a\n";
  const std::vector<std::string> secrets{
      "*hunter2-alias\n",
      "a: *hunter2-alias\n",
      "kind: hunter2-kind\n",
      "hunter2 text alone",
      "- hunter2-list\n",
      "{\"a\": hunter2}",
      "{\"a\": 1234567890123456789012345678901234567890}",
      "a: !!int hunter2-tagged\n",
      "a: [hunter2-open\n",
      "a: .inf\nhunter2: .nan\n",
      "\"hunter2-quoted",
      "? {hunter2: key}\n: x\n",
      "a: 1\n---\nb: hunter2\n",
      "%hunter2-directive\n---\na: 1\n",
      "a: !hunter2-tag x\n",
      "a: !<tag:hunter2> x\n",
      "clusters: hunter2\n",
      "users: [hunter2]\n",
      "users: [{name: hunter2, user: hunter2}]\n",
      "users: [{name: hunter2, user: {hunter2: hunter2}}]\n",
      "users: [{name: hunter2, user: {exec: {command: hunter2}}}]\n",
      "clusters: [{name: hunter2, cluster: {proxy-url: hunter2}}]\n",
      "current-context: [hunter2]\n",
      head,
      "contexts: [{name: hunter2-a, context: {cluster: hunter2-b}}, {name: hunter2-c}]\n",
      head + "contexts: [{name: hunter2-a, context: {cluster: hunter2-b}}]\n",
      head + "contexts: [{name: hunter2-a, context: {cluster: {hunter2: 1}}}]\n",
      head + "contexts: [{name: hunter2-a, context: {user: hunter2-u}}]\n",
      secret_config({{"server", "hunter2://hunter2"}}, Json::object()).dump(),
      secret_config({{"server", "https://hunter2:hunter2@x"}}, Json::object()).dump(),
      secret_config({{"server", {{"hunter2", 1}}}}, Json::object()).dump(),
      secret_config({{"server", "https://x"}, {"tls-server-name", "hunter2/x"}}, Json::object())
          .dump(),
      secret_config({{"server", "https://x"}, {"certificate-authority-data", "%hunter2"}},
                    Json::object())
          .dump(),
      secret_config({{"server", "https://x"}}, {{"token", {"hunter2"}}}).dump(),
      secret_config({{"server", "https://x"}}, {{"token", "hunter2\nhunter2"}}).dump(),
      secret_config({{"server", "https://x"}}, {{"client-key-data", "aHVudGVyMg=="}}).dump(),
      secret_config({{"server", "https://x"}}, Json::object(), {{"namespace", "hunter2/x"}}).dump(),
      secret_config({{"server", "https://x"}}, Json::object(), {{"namespace", 12345678}}).dump()};
  for (const std::string& secret : secrets) {
    CAPTURE(secret);
    const auto access = strict_access(secret, "kubeconfig of Cluster shop/far");
    REQUIRE_FALSE(access);
    const std::string text = access.error().to_string();
    CHECK_MESSAGE(text.find("shop/far") != std::string::npos, text);
    for (const char* word : {"hunter2", "12345678", "aHVudGVy"}) {
      CHECK_MESSAGE(text.find(word) == std::string::npos, text);
    }
  }
}
