// Credentials that are renewed or changed while a kubist watches.
#include <set>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "rules.hpp"
#include "watcher.hpp"

namespace {

using namespace faults;
using namespace it;
using kubist::util::cat;

/// Tokens of a ServiceAccount, each bound to a Secret beside it.
class BoundTokens {
 public:
  /// `account`: as the audit log knows it.
  explicit BoundTokens(const std::string& account) {
    const auto words = kubist::util::split(account, ':');
    REQUIRE(words.size() == 4);
    m_ns = words[2];
    m_name = words[3];
  }
  std::string make(const std::string& secret) const {
    put("home", {kubist::testing::secret(m_ns, secret, "")});
    const Json bound{{"kind", "Secret"},
                     {"apiVersion", "v1"},
                     {"name", secret},
                     {"uid", (*get("home", "secret", secret, m_ns))["metadata"]["uid"]}};
    const auto token = client("home")->json(kubist::kube::create_subresource(
        kubist::kube::well_known::service_accounts(), m_ns, m_name, "token",
        {{"apiVersion", "authentication.k8s.io/v1"},
         {"kind", "TokenRequest"},
         {"spec", {{"boundObjectRef", bound}}}}));
    REQUIRE_MESSAGE(token, (token ? "" : token.error().to_string()));
    return (*token)["status"]["token"];
  }
  /// The API server refuses with 401 what was bound to it, as soon as its cache has forgotten.
  void end(const std::string& secret) const { it::remove("home", "secret", secret, m_ns); }

 private:
  std::string m_ns, m_name;
};

/// Somebody else with such a kubeconfig.
std::shared_ptr<kubist::kube::Client> connect_by(const std::string& kubeconfig) {
  kubist::kube::Overrides overrides;
  overrides.kubeconfig = kubeconfig;
  const auto access = kubist::kube::find_access(overrides, kubist::kube::process_environment());
  REQUIRE_MESSAGE(access, (access ? "" : access.error().to_string()));
  return kubist::kube::Client::connect(*access, {}).value();
}

/// By which tokens an account has sent its requests.
std::set<std::string> tokens_of(Audit& audit, const std::string& account) {
  std::set<std::string> ids;
  for (const Json& event : audit.requests(account)) {
    const Json* id = kubist::data::find_path(
        event, {"user", "extra", "authentication.kubernetes.io/credential-id"});
    ids.insert(id != nullptr ? id->dump() : "");
  }
  return ids;
}

}  // namespace

TEST_CASE("faults: credentials that are refused during a watch are renewed without a gap") {
  World world("renewed");
  FaultProxy proxy;
  const kubist::util::TempDir folder("renewed");
  const std::string token = folder.path() / "token", runs = folder.path() / "runs";
  Json config = Json::parse(world.token_kubeconfig("home").first);
  const std::string secret = config["users"][0]["user"]["token"];
  Json& user = config["users"][0]["user"];
  SUBCASE("a file") {
    REQUIRE(kubist::util::write_file(token, secret));
    user = {{"tokenFile", token}};
  }
  SUBCASE("a plugin") {
    const std::string version = "client.authentication.k8s.io/v1";
    REQUIRE(kubist::util::write_file(
        token,
        Json{{"apiVersion", version}, {"kind", "ExecCredential"}, {"status", {{"token", secret}}}}
            .dump()));
    user = {{"exec",
             {{"apiVersion", version},
              {"command", "sh"},
              {"args", {"-c", cat("echo run >>", runs, "; cat ", token)}},
              {"interactiveMode", "Never"}}}};
  }
  config["clusters"][0]["cluster"]["server"] = proxy.url();
  const std::string path = folder.path() / "config";
  REQUIRE(kubist::util::write_file(path, config.dump()));
  make_projects({world.name()});
  const Watcher watched(world.name(), {"--kubeconfig", path});
  REQUIRE_MESSAGE(watched.is_mended(), watched.output());
  const auto before = kubist::util::read_file(runs).value_or("");
  proxy.rules(Json::array({status(1, 401, Json{{"path", "watch=1"}})}));
  proxy.cut();
  CHECK_MESSAGE(eventually([&] { return proxy.counts().front().acted == 1; }), watched.output());
  watched.drift();
  CHECK_MESSAGE(watched.is_mended(), watched.output());
  CHECK_MESSAGE(watched.output().find("away") == std::string::npos, watched.output());
  CHECK((user.contains("tokenFile") || kubist::util::read_file(runs).value_or("") != before));
  watched.end();
}

TEST_CASE("faults: a token that another takes the place of is refused, and no change is lost") {
  World world("rotated");
  FaultProxy proxy;
  const kubist::util::TempDir folder("rotated");
  const auto [text, account] = world.token_kubeconfig("home");
  const BoundTokens tokens(account);
  const std::string first = tokens.make("first"), second = tokens.make("second");
  const std::string file = folder.path() / "token", path = folder.path() / "config";
  Json config = Json::parse(text);
  config["users"][0]["user"] = {{"token", first}};
  REQUIRE(kubist::util::write_file(path, config.dump()));
  const auto other = connect_by(path);
  config["users"][0]["user"] = {{"tokenFile", file}};
  config["clusters"][0]["cluster"]["server"] = proxy.url();
  REQUIRE(kubist::util::write_file(path, config.dump()));
  REQUIRE(kubist::util::write_file(file, first));
  make_projects({world.name()});
  Audit audit("home");
  const Watcher watched(world.name(), {"--kubeconfig", path});
  REQUIRE_MESSAGE(watched.is_mended(), watched.output());
  const std::set<std::string> before = tokens_of(audit, account);
  CHECK(before.size() == 1);

  REQUIRE(kubist::util::write_file(file, second));
  tokens.end("first");
  REQUIRE(eventually([&] {
    const auto answer = other->run(kubist::kube::raw_get("/api/v1/namespaces"));
    return !answer && answer.error().to_string().find("log in again") != std::string::npos;
  }));
  watched.drift();  // seen by a watch that stands, mended with the other token
  CHECK_MESSAGE(watched.is_mended(), watched.output());
  proxy.cut();
  watched.drift();
  CHECK_MESSAGE(watched.is_mended(), watched.output());
  CHECK_MESSAGE(watched.output().find("away") == std::string::npos, watched.output());
  CHECK(tokens_of(audit, account).size() == 2);
  watched.end();
}
