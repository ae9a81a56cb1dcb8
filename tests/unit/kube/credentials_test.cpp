#include <doctest/doctest.h>
#include <sys/stat.h>

#include <kubist/kube/client.hpp>
#include <kubist/kube/credentials.hpp>
#include <kubist/util/fs.hpp>

#include "support/fake_clock.hpp"
#include "support/key_pair.hpp"
#include "support/loopback_server.hpp"

using namespace kubist;
using namespace kubist::kube;

namespace {

/// From 2025-11-24T16:00:00Z on.
struct FakeClock : kubist::testing::FakeClock {
  FakeClock() : kubist::testing::FakeClock(std::chrono::system_clock::from_time_t(1764000000)) {}
};

/// A plugin that counts its runs in a file and answers token-N.
struct Plugin {
  explicit Plugin(const std::string& expires) {
    const std::string script =
        "#!/bin/sh\nn=$(($(cat " + count_file() + " 2>/dev/null || echo 0)+1)); echo $n > " +
        count_file() +
        "\ncase \"$KUBERNETES_EXEC_INFO\" in *'\"interactive\":false'*) ;; *) exit 9;; esac\n"
        "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
        "\"status\":{\"token\":\"'$PREFIX-$n'\"" +
        (expires.empty() ? "" : ",\"expirationTimestamp\":\"" + expires + "\"") + "}}'\n";
    REQUIRE(util::write_file(folder.path() / "plugin", script, 0700));
    config.api_version = "client.authentication.k8s.io/v1";
    config.command = (folder.path() / "plugin").string();
    config.environment = {{"PREFIX", "token"}};
    config.interactive = ExecConfig::Interactive::never;
  }
  std::string count_file() const { return (folder.path() / "count").string(); }
  int runs() const {
    const auto text = util::read_file(count_file());
    return text ? std::stoi(*text) : 0;
  }
  AuthInfo auth() const {
    AuthInfo info;
    info.exec = config;
    return info;
  }
  util::TempDir folder;
  ExecConfig config;
};

}  // namespace

TEST_CASE("credentials: token, basic, impersonation") {
  AuthInfo auth;
  auth.username = "u";
  auth.password = util::Secret("p");
  auth.impersonation.user = "boss";
  auth.impersonation.groups = {"a", "b"};
  auth.impersonation.extra["x/y"] = {"z"};
  const auto basic = make_credentials(auth)->get({});
  REQUIRE(basic);
  CHECK(basic->authorization.reveal() == "Basic dTpw");
  CHECK(basic->headers == http::Headers{{"Impersonate-User", "boss"},
                                        {"Impersonate-Group", "a"},
                                        {"Impersonate-Group", "b"},
                                        {"Impersonate-Extra-x%2Fy", "z"}});
  auth.token = util::Secret("t");
  const auto source = make_credentials(auth);
  const auto token = source->get({});
  CHECK(token->authorization.reveal() == "Bearer t");
  CHECK_FALSE(source->renew(*token));
}

TEST_CASE("credentials: a token file is read again, and kept when it cannot be read") {
  const util::TempDir folder;
  AuthInfo auth;
  auth.token_file = folder.path() / "token";
  FakeClock clock;
  const auto source = make_credentials(auth, {}, clock);
  CHECK_FALSE(source->get({}));
  REQUIRE(util::write_file(auth.token_file, "s3cret\nMetadata-Flavor: Google\n"));
  const std::string refused = source->get({}).error().to_string();
  CHECK(refused.find("has a character that no HTTP header may have") != std::string::npos);
  CHECK(refused.find("s3cret") == std::string::npos);
  REQUIRE(util::write_file(auth.token_file, "one\n"));
  CHECK(source->get({})->authorization.reveal() == "Bearer one");
  REQUIRE(util::write_file(auth.token_file, "two"));
  CHECK(source->get({})->authorization.reveal() == "Bearer one");
  clock.advance(std::chrono::seconds(61));
  CHECK(source->get({})->authorization.reveal() == "Bearer two");
  std::filesystem::remove(auth.token_file);
  clock.advance(std::chrono::seconds(61));
  CHECK(source->get({})->authorization.reveal() == "Bearer two");
  REQUIRE(util::write_file(auth.token_file, "three"));
  CHECK(source->renew(*source->get({})));
  CHECK(source->get({})->authorization.reveal() == "Bearer three");
}

TEST_CASE("credentials: a plugin runs once until its answer expires, also across processes") {
  const Plugin plugin("2025-11-24T17:00:00Z");
  const util::TempDir cache;
  FakeClock clock;
  CredentialOptions options;
  options.cache_folder = cache.path();
  const auto first = make_credentials(plugin.auth(), options, clock);
  const auto credentials = first->get({});
  REQUIRE_MESSAGE(credentials, credentials.error().to_string());
  CHECK(credentials->authorization.reveal() == "Bearer token-1");
  CHECK(first->get({})->authorization.reveal() == "Bearer token-1");
  CHECK(make_credentials(plugin.auth(), options, clock)->get({})->authorization.reveal() ==
        "Bearer token-1");
  CHECK(plugin.runs() == 1);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache.path())) {
    struct stat info {};
    REQUIRE(stat(entry.path().c_str(), &info) == 0);
    CHECK((info.st_mode & 077U) == 0);
  }
  AuthInfo other = plugin.auth();
  other.exec->environment = {{"PREFIX", "other"}};
  CHECK(make_credentials(other, options, clock)->get({})->authorization.reveal() ==
        "Bearer other-2");
  CHECK(first->renew(*credentials));
  CHECK(first->renew(*credentials));
  CHECK(first->get({})->authorization.reveal() == "Bearer token-3");
  clock.advance(std::chrono::minutes(59) + std::chrono::seconds(1));
  CHECK(first->get({})->authorization.reveal() == "Bearer token-4");
}

TEST_CASE("credentials: in another environment the answer of a plugin is another") {
  const Plugin plugin("2025-11-24T17:00:00Z");
  const util::TempDir cache;
  FakeClock clock;
  CredentialOptions options;
  options.cache_folder = cache.path();
  const auto token_with = [&](const char* variable, const char* value) {
    const std::string before = util::environment(variable);
    setenv(variable, value, 1);
    const auto credentials = make_credentials(plugin.auth(), options, clock)->get({});
    if (before.empty()) {
      unsetenv(variable);
    } else {
      setenv(variable, before.c_str(), 1);
    }
    REQUIRE_MESSAGE(credentials, credentials.error().to_string());
    return credentials->authorization.reveal();
  };
  CHECK(token_with("AWS_PROFILE", "admin") == "Bearer token-1");
  CHECK(token_with("AWS_PROFILE", "viewer") == "Bearer token-2");
  CHECK(token_with("AWS_PROFILE", "admin") == "Bearer token-1");
  CHECK(token_with("SSH_AUTH_SOCK", "/tmp/agent") == "Bearer token-3");
  CHECK(token_with("SHLVL", "7") == "Bearer token-4");
  CHECK(token_with("SHLVL", "8") == "Bearer token-4");
  CHECK(token_with("OLDPWD", "/elsewhere") == "Bearer token-4");
}

TEST_CASE("credentials: no key comes to the disk, and only what is ours is read from there") {
  const Plugin plugin("2025-11-24T17:00:00Z");
  const util::TempDir cache;
  FakeClock clock;
  CredentialOptions options;
  options.cache_folder = cache.path();
  const auto files = [&] {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cache.path())) {
      if (entry.is_regular_file()) {
        found.push_back(entry.path());
      }
    }
    return found;
  };
  AuthInfo key = plugin.auth();
  const testing::KeyPair pair = testing::make_key_pair();
  const data::Json answer{{"kind", "ExecCredential"},
                          {"apiVersion", "client.authentication.k8s.io/v1"},
                          {"status",
                           {{"clientCertificateData", pair.certificate},
                            {"clientKeyData", pair.key},
                            {"expirationTimestamp", "2025-11-24T17:00:00Z"}}}};
  REQUIRE(util::write_file(plugin.folder.path() / "key",
                           "#!/bin/sh\ncat <<'END'\n" + answer.dump() + "\nEND\n", 0700));
  key.exec->command = (plugin.folder.path() / "key").string();
  CHECK(make_credentials(key, options, clock)->get({})->client_key_pem.reveal() == pair.key);
  CHECK(files().empty());
  const auto token = [&] {
    return make_credentials(plugin.auth(), options, clock)->get({})->authorization.reveal();
  };
  CHECK(token() == "Bearer token-1");
  REQUIRE(files().size() == 1);
  CHECK(token() == "Bearer token-1");
  REQUIRE(chmod(files()[0].c_str(), 0644) == 0);
  CHECK(token() == "Bearer token-2");
  const auto file = files()[0];
  std::filesystem::rename(file, cache.path() / "planted");
  std::filesystem::create_symlink(cache.path() / "planted", file);
  CHECK(token() == "Bearer token-3");
}

TEST_CASE("credentials: answers that are no longer asked for go from the disk") {
  const Plugin plugin("2025-11-24T17:00:00Z");
  const util::TempDir cache;
  FakeClock clock;
  CredentialOptions options;
  options.cache_folder = cache.path();
  const auto old = cache.path() / "exec" / "old.json";
  REQUIRE(util::write_file(old, "{}"));
  std::filesystem::last_write_time(
      old, std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
  CHECK(make_credentials(plugin.auth(), options, clock)->get({}));
  CHECK_FALSE(std::filesystem::exists(old));
}

TEST_CASE("credentials: what a plugin does wrong, without its output") {
  Plugin plugin("");
  const auto message = [&](const std::string& script) {
    REQUIRE(util::write_file(plugin.folder.path() / "plugin", "#!/bin/sh\n" + script, 0700));
    const auto credentials = make_credentials(plugin.auth())->get({});
    REQUIRE_FALSE(credentials);
    CHECK(credentials.error().kind == util::ErrorKind::forbidden);
    return credentials.error().to_string();
  };
  CHECK(message("exit 3").find("failed with exit code 3") != std::string::npos);
  const std::string nonsense = message("echo s3cret");
  CHECK(nonsense.find("no ExecCredential") != std::string::npos);
  CHECK(nonsense.find("s3cret") == std::string::npos);
  CHECK(
      message(
          "echo "
          "'{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1beta1\"}'")
          .find("answers with apiVersion") != std::string::npos);
  const auto answering = [&](const data::Json& status) {
    const data::Json answer{{"kind", "ExecCredential"},
                            {"apiVersion", "client.authentication.k8s.io/v1"},
                            {"status", status}};
    return message("cat <<'END'\n" + answer.dump() + "\nEND\n");
  };
  const std::string two_lines = answering({{"token", "s3cret\nX: y"}});
  CHECK(two_lines.find("its token has a character") != std::string::npos);
  CHECK(two_lines.find("s3cret") == std::string::npos);
  CHECK(answering({{"clientCertificateData", testing::make_key_pair().certificate},
                   {"clientKeyData", testing::make_key_pair().key}})
            .find("the key is not that of the certificate") != std::string::npos);
  const auto endless = make_credentials([&] {
    REQUIRE(util::write_file(plugin.folder.path() / "plugin", "#!/bin/sh\nexec yes\n", 0700));
    return plugin.auth();
  }());
  CHECK(endless->get({}).error().message.find("printed too much") != std::string::npos);
  plugin.config.command = "/no/such/plugin";
  plugin.config.install_hint = "install it";
  const auto missing = make_credentials(plugin.auth())->get({});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().hint == "install it");
}

TEST_CASE("client: a 401 runs the plugin once more and sends the request again") {
  const Plugin plugin("");
  testing::LoopbackServer server(
      [](const testing::ReceivedRequest& request, testing::Connection& connection) {
        connection.reply(request.header("Authorization") == "Bearer token-2" ? 200 : 401,
                         "{\"gitVersion\":\"v1.34.0\"}");
      });
  ClusterAccess access;
  access.server = "http://127.0.0.1:" + std::to_string(server.port());
  access.auth = plugin.auth();
  ClientOptions options;
  options.discovery_cache = false;
  const auto client = Client::connect(access, options);
  REQUIRE(client);
  const auto version = (*client)->version();
  REQUIRE_MESSAGE(version, version.error().to_string());
  CHECK(version->git_version == "v1.34.0");
  CHECK(plugin.runs() == 2);
  CHECK(server.requests() == 2);
}
