// No token, key or Secret value in any output, at any -v.
#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"

namespace {

using namespace it;
using namespace kubist;

/// What must never be printed, in the forms that it is known by.
class Needles {
 public:
  void add(const std::string& value) {
    m_needles.push_back(value);
    m_needles.push_back(util::base64_encode(value));
  }
  /// A long text shows even in part: its middle.
  void add_long(const std::string& value) {
    REQUIRE(value.size() > 100);
    m_needles.push_back(value.substr(value.size() / 2, 40));
  }
  void check(const Words& args, const CommandResult& result) const {
    CAPTURE(util::join(args, " "));
    for (const std::string* text : {&result.out, &result.err}) {
      for (const std::string& needle : m_needles) {
        const auto at = text->find(needle);
        CHECK_MESSAGE(at == std::string::npos,
                      "printed: ", text->substr(at < 150 ? 0 : at - 150, 150), "[", needle, "]");
      }
    }
  }

 private:
  std::vector<std::string> m_needles;
};

/// The home cluster's kubeconfig with another user.
std::string config_with(const Json& user, const Json& cluster = Json::object()) {
  Json config = Json::parse(
      must(kubectl("home", {"config", "view", "--raw", "--minify", "--flatten", "-o", "json"})));
  config["users"][0]["user"] = user;
  config["clusters"][0]["cluster"].update(cluster);
  return config.dump();
}

Json client_certificate() {
  const Json config = Json::parse(
      must(kubectl("home", {"config", "view", "--raw", "--minify", "--flatten", "-o", "json"})));
  return config["users"][0]["user"];
}

class Files {
 public:
  std::string put(const std::string& name, const std::string& text) {
    const std::string path = m_folder.path() / name;
    REQUIRE(util::write_file(path, text));
    return path;
  }

 private:
  util::TempDir m_folder{"secrets-test"};
};

std::string secret_yaml(const std::string& ns, const std::string& data) {
  return util::cat("apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: ", ns, "}\n", data,
                   "\n");
}

/// A command, and how it ends the first time: an exit code and a word that it says.
struct Command {
  Words words;
  int code;
  std::string word;
};

constexpr int k_any = -1;  ///< the server decides
constexpr int k_usage = 64;
/// Quiet, requests by their lines, and with their whole bodies.
const Words k_levels{"0", "6", "9"};

void check_end(const CommandResult& result, int code, const std::string& word) {
  CHECK_MESSAGE((code == k_any || result.exit_code == code), result.exit_code, result.err);
  CHECK_MESSAGE((result.out + result.err).find(word) != std::string::npos, word, result.out,
                result.err);
}

const std::string k_first = "correct-horse-battery";
const std::string k_second = "staple-Xq81-value";
const std::string k_malformed = "31415926535";

}  // namespace

TEST_CASE("secrets: no command prints them, whatever it is asked to log") {
  World world("secrets");
  const std::string project = world.name();
  world.make_project(project);
  Files files;
  Needles needles;
  const auto [token_config, account] = world.token_kubeconfig("home");
  const std::string token = Json::parse(token_config)["users"][0]["user"]["token"];
  static_cast<void>(account);
  needles.add_long(token);
  const Json certificate = client_certificate();
  const std::string key_data = certificate["client-key-data"];
  needles.add_long(key_data);
  needles.add_long(*util::base64_decode(key_data));
  for (const std::string& value : {k_first, k_second, k_malformed}) {
    needles.add(value);
  }
  Json user = certificate;
  user["token"] = token;
  const std::string config = files.put("config", config_with(user));
  const std::string first =
      files.put("first.yaml", secret_yaml(project, util::cat("stringData: {p: ", k_first, "}")));
  const std::string second =
      files.put("second.yaml",
                secret_yaml(project, util::cat("data: {p: ", util::base64_encode(k_second), "}")));
  const std::string malformed = files.put(
      "malformed.yaml", secret_yaml(project, util::cat("stringData: {p: ", k_malformed, "}")));
  const std::string not_base64 = files.put(
      "not-base64.yaml", secret_yaml(project, util::cat("data: {p: \"", k_first, "!\"}")));
  const std::string nested =
      files.put("nested.yaml", secret_yaml(project, util::cat("data: {p: {q: ", k_first, "}}")));
  const std::string broken =
      files.put("broken.yaml", secret_yaml(project, util::cat("stringData: {p: ", k_first)));
  // A cluster whose kubeconfig holds the token, and one whose kubeconfig is refused.
  Json forbidden = Json::parse(config_with(user));
  forbidden["users"][0]["user"]["exec"] = {
      {"apiVersion", "client.authentication.k8s.io/v1"},
      {"command", "/bin/true"},
      {"interactiveMode", "Never"},
      {"env", Json::array({{{"name", "PASSWORD"}, {"value", k_second}}})}};
  put("home",
      {secret(project, "good", config_with({{"token", token}})),
       secret(project, "forbidden", forbidden.dump()),
       secret(project, "rubbish", "users: [{name: a, user: {token: [" + token + "]}}]"),
       object("Cluster", project, "good", {{"kubeconfigSecretRef", {{"name", "good"}}}}),
       object("Cluster", project, "forbidden", {{"kubeconfigSecretRef", {{"name", "forbidden"}}}}),
       object("Cluster", project, "rubbish", {{"kubeconfigSecretRef", {{"name", "rubbish"}}}}),
       virtual_cluster(project, "dev", "good", world.name("dev"))});

  const std::string conflicting = files.put(
      "conflicting.yaml", secret_yaml(project, util::cat("stringData: {p: ", k_second, "}")));
  const std::vector<Command> cases{
      {{"apply", "-f", first}, 0, "secret/s created"},
      {{"apply", "-f", first}, 0, "secret/s "},
      {{"diff", "-f", second}, 1, "*** (after)"},
      {{"apply", "-f", second, "--dry-run=server"}, 0, "(server dry run)"},
      {{"apply", "-f", not_base64}, 1, "not-base64.yaml"},
      {{"apply", "-f", conflicting, "--field-manager=other"}, 6, "to another field manager"},
      {{"apply", "-f", second, "--field-manager=other"}, k_any, "secret/s"},
      {{"apply", "-f", second, "--field-manager=other", "--force-conflicts"}, 0, "secret/s "},
      {{"apply", "-f", first, "--force-conflicts", "--report=json"}, 0, "\"summary\""},
      {{"apply", "-f", malformed}, 1, "malformed.yaml"},
      {{"diff", "-f", malformed}, 70, "malformed.yaml"},
      {{"apply", "-f", nested}, 1, "nested.yaml"},
      {{"apply", "-f", broken}, 1, "broken.yaml"},
      {{"validate", "-f", broken}, 1, "broken.yaml"},
      {{"get", "secrets", "-n", project}, 0, "Opaque"},
      {{"get", "secret", "s", "-n", project, "-o", "wide"}, 0, "Opaque"},
      {{"get", "secret", "s", "-n", project, "-o", "name"}, 0, "secret/s"},
      {{"describe", "secret", "s", "-n", project}, 0, " bytes"},
      {{"describe", "secret", "s", "-n", project, "-o", "json"}, 0, "\"***\""},
      {{"describe", "kcl", "good", "-n", project}, 0, "good"},
      {{"get", "secrets", "-n", project, "--as", "nobody-at-all"}, 1, "nobody-at-all"},
      {{"apply", "-f", first, "--as", "nobody-at-all"}, 1, "nobody-at-all"},
      {{"reconcile", "Project/" + project, "--timeout=60s"}, 1, "KubeconfigNotAllowed"},
      {{"reconcile", "Project/" + project, "--report=json", "--timeout=60s"},
       1,
       "KubeconfigNotAllowed"},
      {{"tree"}, 0, "Cluster/forbidden"},
      {{"policy", "trace", "vc/dev", "-n", project}, 0, "0 policies"},
      {{"deployitem", "list", "-n", project}, 0, "No resources found"},
      {{"events", "-n", project}, 0, ""},
      {{"config", "view"}, 0, "kind: Config"},
  };
  for (const std::string& level : k_levels) {
    for (const Command& one : cases) {
      Words args = one.words;
      args.insert(args.end(), {"--kubeconfig", config, "-v", level});
      CAPTURE(util::join(args, " "));
      const CommandResult result = run_kubist(args);
      needles.check(args, result);
      CHECK(result.exit_code != k_usage);
      if (level == k_levels.front()) {
        check_end(result, one.code, one.word);
      } else if (one.words[0] == "get") {
        CHECK_MESSAGE(result.err.find("milliseconds") != std::string::npos, result.err);
      }
    }
  }
  // What was asked for by name is printed, as kubectl does.
  CHECK(must(run_kubist({"get", "secret", "s", "-n", project, "-o", "yaml"}))
            .find(util::base64_encode(k_first)) != std::string::npos);
  CHECK(must(run_kubist({"config", "view", "--raw", "--kubeconfig", config})).find(token) !=
        std::string::npos);
}

TEST_CASE("secrets: credentials of every kind stay out of logs and errors") {
  Files files;
  Needles needles;
  const std::string token = "exec-token-7d1f0c93ab52";
  const std::string password = "proxy-Pass-55e0";
  const std::string basic = "basic-Word-91c4";
  for (const std::string& value : {token, password, basic}) {
    needles.add(value);
  }
  needles.add("proxyuser:" + password);
  needles.add("someone:" + basic);
  const std::string plugin = files.put("plugin", util::cat(R"(#!/bin/sh
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":")",
                                                           token, R"("}}'
)"));
  std::filesystem::permissions(plugin, std::filesystem::perms::owner_all);
  const Json exec{{"apiVersion", "client.authentication.k8s.io/v1"},
                  {"command", plugin},
                  {"interactiveMode", "Never"}};
  Json fails = exec;
  fails["command"] = "/bin/sh";
  fails["args"] = {"-c", "echo " + std::string("no luck") + "; exit 3"};
  const std::map<std::string, std::string> configs{
      {"exec", config_with({{"exec", exec}})},
      {"exec-fails", config_with({{"exec", fails}})},
      {"token", config_with({{"token", token}})},
      {"basic", config_with({{"username", "someone"}, {"password", basic}})},
      {"proxy",
       config_with({{"token", token}},
                   {{"proxy-url", util::cat("http://proxyuser:", password, "@10.77.0.2:1")}})},
      {"bad-proxy",
       config_with({{"token", token}},
                   {{"proxy-url", util::cat("ftp://proxyuser:", password, "@10.77.0.2:1")}})},
      {"not-a-text", util::replace_all(config_with({{"token", token}}), util::cat('"', token, '"'),
                                       util::cat("[\"", token, "\"]"))},
      {"broken", util::cat("users: [{name: a, user: {token: ", token, "\nclusters: }")},
      {"bad-key", config_with({{"client-certificate-data", util::base64_encode("no certificate")},
                               {"client-key-data", util::base64_encode(token)}})},
      {"not-base64",
       config_with({{"client-certificate-data", "AAAA"}, {"client-key-data", "%%" + token}})},
  };
  for (const auto& [name, text] : configs) {
    const std::string config = files.put(name, text);
    const bool readable = name != "broken";
    for (const std::string& level : k_levels) {
      for (const auto& [words, code, word] :
           {Command{{"get", "namespaces"}, 1, "rror"},  // "error: ", or "Error from server"
            Command{{"config", "view"}, readable ? 0 : 1, readable ? "kind: Config" : "error: "}}) {
        Words args = words;
        args.insert(args.end(), {"--kubeconfig", config, "-v", level});
        CAPTURE(util::join(args, " "));
        const CommandResult result = run_kubist(args);
        needles.check(args, result);
        check_end(result, code, word);
      }
    }
  }
  for (const char* level : {"0", "9"}) {
    const Words args{"get", "namespaces", "--token", token, "-v", level};
    const CommandResult result = run_kubist(args);
    needles.check(args, result);
    check_end(result, 0, "Active");  // by the certificate, which comes first
  }
}
