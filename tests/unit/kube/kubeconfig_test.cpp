#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "kubeconfig_support.hpp"
#include "support/key_pair.hpp"

using namespace kubeconfig_test;

TEST_CASE("kubeconfig: the current context, and another one with relative paths") {
  const testing::KeyPair pair = testing::make_key_pair();
  FakeEnvironment fake;
  fake.files = {{"/home/me/.kube/config", k_config},
                {"/home/me/.kube/pki/ca.crt", "CA2"},
                {"/home/me/.kube/me.crt", pair.certificate},
                {"/abs/me.key", pair.key}};
  auto access = find_access({}, fake.get());
  REQUIRE_MESSAGE(access, access.error().to_string());
  CHECK(access->server == "https://one:6443");
  CHECK(access->ca_pem == "CA");
  CHECK(access->tls_server_name == "api");
  CHECK(access->proxy_url == "http://p:1");
  CHECK(access->auth.token.reveal() == "t1");
  CHECK(access->ns == "team");
  CHECK(access->ns_given);
  CHECK(access->compression);

  Overrides overrides;
  overrides.context = "two";
  overrides.as_groups = {"g3"};
  access = find_access(overrides, fake.get());
  REQUIRE_MESSAGE(access, access.error().to_string());
  CHECK(access->server == "https://two");
  CHECK(access->ca_pem == "CA2");
  CHECK_FALSE(access->compression);
  CHECK(access->auth.client_cert_pem == pair.certificate);
  CHECK(access->auth.client_key_pem.reveal() == pair.key);
  CHECK(access->auth.token_file == "/home/me/.kube/token");
  CHECK(access->auth.impersonation.user == "boss");
  CHECK(access->auth.impersonation.groups == std::vector<std::string>{"g3"});
  CHECK(access->auth.impersonation.extra.at("reason") == std::vector<std::string>{"a"});
  CHECK(access->ns == "default");
  CHECK_FALSE(access->ns_given);
}

TEST_CASE("kubeconfig: without a home folder none is taken from the working folder") {
  FakeEnvironment fake;
  fake.home.clear();
  fake.files = {{".kube/config", k_config}};
  CHECK(kubeconfig_files({}, fake.get()).empty());
  CHECK_FALSE(find_access({}, fake.get()));
}

TEST_CASE("kubeconfig: flags change cluster, user, namespace, server and trust") {
  FakeEnvironment fake;
  fake.files = {{"/f", k_config}, {"/other.crt", "OTHER"}};
  Overrides overrides;
  overrides.kubeconfig = "/f";
  overrides.server = "http://127.0.0.1:8080";
  overrides.ns = "mine";
  overrides.token = util::Secret("t2");
  overrides.insecure_skip_tls_verify = true;
  auto access = find_access(overrides, fake.get());
  REQUIRE_MESSAGE(access, access.error().to_string());
  CHECK(access->server == "http://127.0.0.1:8080");
  CHECK(access->ns == "mine");
  CHECK(access->auth.token.reveal() == "t2");
  CHECK(access->insecure);
  CHECK(access->ca_pem.empty());
  overrides.insecure_skip_tls_verify.reset();
  overrides.certificate_authority = "/other.crt";
  CHECK(find_access(overrides, fake.get())->ca_pem == "OTHER");
}

TEST_CASE(
    "kubeconfig: KUBECONFIG merges, the first of a name wins as a whole, missing files are "
    "skipped") {
  FakeEnvironment fake;
  fake.variables["KUBECONFIG"] = "/missing:/a:/b:/a";
  fake.files = {{"/a", "users: [{name: u1, user: {username: x, password: pw}}]\n"},
                {"/b", k_config}};
  CHECK(kubeconfig_files({}, fake.get()).size() == 3);
  const auto access = find_access({}, fake.get());
  REQUIRE_MESSAGE(access, access.error().to_string());
  CHECK(access->auth.token.empty());
  CHECK(access->auth.username == "x");
  Overrides overrides;
  overrides.kubeconfig = "/missing";
  CHECK(find_access(overrides, fake.get()).error().kind == util::ErrorKind::not_found);
}

TEST_CASE("kubeconfig: what is wrong is named") {
  FakeEnvironment fake;
  const auto message = [&](const std::string& text, const Overrides& overrides = {}) {
    fake.files["/home/me/.kube/config"] = text;
    const auto access = find_access(overrides, fake.get());
    return access ? std::string("fine") : access.error().to_string();
  };
  const auto names = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  Overrides typo;
  typo.context = "tow";
  CHECK(names(message(k_config, typo), "context \"tow\" does not exist, did you mean \"two\"?"));
  CHECK(names(message("contexts: [{name: a, context: {}}]"), "no current context"));
  CHECK(names(message(""), "no cluster is configured"));
  CHECK(names(message("kind: Pod"), "kind is Pod"));
  CHECK(names(message("- a"), "must be a map"));
  CHECK(names(message("clusters: 5"), "clusters must be a list"));
  const std::string base =
      "current-context: a\ncontexts: [{name: a, context: {cluster: a, user: a}}]\n";
  const std::string cluster = base + "clusters: [{name: a, cluster: {server: 'https://x'}}]\n";
  CHECK(names(
      message(
          base +
          "clusters: [{name: a, cluster: {server: 'https://x', certificate-authority-data: '%'}}]"),
      "certificate-authority-data is not base64"));
  CHECK(names(message(base + "clusters: [{name: a, cluster: {server: 5}}]"),
              "server must be a string"));
  CHECK(names(message(cluster + "users: [{name: a, user: {auth-provider: {name: gcp}}}]"),
              "auth-provider"));
  CHECK(names(message(cluster + "users: [{name: a, user: {client-certificate-data: QQ==}}]"),
              "must come together"));
  CHECK(names(message(cluster + "users: [{name: a, user: {exec: {command: x, apiVersion: "
                                "client.authentication.k8s.io/v1}}}]"),
              "interactiveMode is missing"));
}

TEST_CASE("kubeconfig: in a pod its service account is used") {
  FakeEnvironment fake;
  const std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
  fake.variables = {{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  fake.files = {
      {folder + "token", "tok\n"}, {folder + "ca.crt", "CA"}, {folder + "namespace", "here"}};
  const auto access = find_access({}, fake.get());
  REQUIRE_MESSAGE(access, access.error().to_string());
  CHECK(access->server == "https://[fd00::1]:443");
  CHECK(access->auth.token.reveal() == "tok");
  CHECK(access->auth.token_file == folder + "token");
  CHECK(access->ns == "here");
}

TEST_CASE("kubeconfig: printed with secrets redacted") {
  const auto config = parse_kubeconfig(k_config, "/f");
  REQUIRE(config);
  const std::string shown = to_json(*config, true).dump();
  CHECK(shown.find("\"token\":\"REDACTED\"") != std::string::npos);
  CHECK(shown.find("\"DATA+OMITTED\"") != std::string::npos);
  CHECK(shown.find("t1") == std::string::npos);
  CHECK(to_json(*config, false).dump().find("t1") != std::string::npos);
}

TEST_CASE("kubeconfig: use-context rewrites one line of the right file") {
  const util::TempDir folder;
  const std::string first = (folder.path() / "first").string();
  const std::string second = (folder.path() / "second").string();
  const std::string text = std::string(k_config) + "extensions: [] # kept\n";
  REQUIRE(util::write_file(first, "# nothing but a comment\n"));
  REQUIRE(util::write_file(second, text));
  Environment env = process_environment();
  env.variable = [&](const char*) { return first + ":" + second; };
  const auto used = use_context({}, env, "two");
  REQUIRE_MESSAGE(used, used.error().to_string());
  std::string expected = text;
  expected.replace(expected.find("current-context: one"), 20, "current-context: \"two\"");
  CHECK(*util::read_file(second) == expected);
  CHECK(load_kubeconfig({}, env)->current_context == "two");
  const auto missing = use_context({}, env, "twoo");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.find("did you mean \"two\"") != std::string::npos);
}
