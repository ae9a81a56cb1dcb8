#pragma once
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include <kubist/data/json.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/process.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "support/cost.hpp"
#include "support/live.hpp"
#include "support/paths.hpp"

/// What the tests of apply share: the program itself, kubectl as oracle, the audit log.
namespace kubist::testing {

inline util::CommandResult run(std::vector<std::string> args, const std::string& input = {}) {
  cost::count_process(args.front());
  util::Command command;
  command.args = std::move(args);
  command.input = input;
  command.timeout = std::chrono::minutes(6);
  const auto result = util::run_command(command);
  REQUIRE_MESSAGE(result, result.error().to_string());
  return *result;
}

inline util::CommandResult run_kubist(std::vector<std::string> args,
                                      const std::string& input = {}) {
  args.insert(args.begin(), kubist::paths::program());
  return run(std::move(args), input);
}

inline util::CommandResult run_kubectl(std::vector<std::string> args,
                                       const std::string& input = {}) {
  args.insert(args.begin(), "kubectl");
  return run(std::move(args), input);
}

inline std::string cluster_tool(const std::string& what, const std::string& name) {
  const auto result = run({kubist::paths::source_dir() + "/tests/cluster/cluster", what, name});
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  return std::string(util::trim(result.out));
}

/// A namespace of its own for a test case; deleted after it, without waiting.
class TestNamespace {
 public:
  explicit TestNamespace(bool create = true)
      : m_name(util::cat("apply-test-", getpid(), "-", s_count++)) {
    if (create) {
      REQUIRE(run_kubectl({"create", "namespace", m_name}).exit_code == 0);
    }
  }
  ~TestNamespace() {
    static_cast<void>(
        run_kubectl({"delete", "namespace", m_name, "--wait=false", "--ignore-not-found"}));
  }
  TestNamespace(const TestNamespace&) = delete;
  TestNamespace& operator=(const TestNamespace&) = delete;
  const std::string& name() const { return m_name; }

 private:
  inline static int s_count = 0;
  std::string m_name;
};

/// Mutating requests of kubist that the API server saw since this was made, dry runs left out.
class Audit {
 public:
  Audit() : m_path(cluster_tool("audit", "home")), m_start(std::filesystem::file_size(m_path)) {}

  /// "patch /api/v1/..." of those whose URI holds `text`. Fails the test where the log has no
  /// request of kubist's with it, read or write: then nothing was looked at.
  std::vector<std::string> writes(const std::string& text) const {
    // What came before the mark is in the log when the mark is.
    const std::string mark = util::cat("apply-mark-", util::random_uuid());
    static_cast<void>(it::get("home", "namespace", mark));
    std::string log;
    REQUIRE(it::eventually([&] {
      std::ifstream file(m_path);
      file.seekg(static_cast<std::streamoff>(m_start));
      log.assign(std::istreambuf_iterator<char>(file), {});
      return log.find(mark) != std::string::npos;
    }));
    std::istringstream file(log);
    std::vector<std::string> found;
    bool seen = false;
    for (std::string line; std::getline(file, line);) {
      const auto event = data::Json::parse(line, nullptr, false);
      if (!event.is_object() || event.value("stage", "") != "ResponseComplete" ||
          !event.value("userAgent", "").starts_with("kubist")) {
        continue;
      }
      const std::string verb = event.value("verb", "");
      const std::string uri = event.value("requestURI", "");
      const bool reads = verb == "get" || verb == "list" || verb == "watch";
      if (uri.find(text) == std::string::npos) {
        continue;
      }
      seen = true;
      if (!reads && uri.find("dryRun=All") == std::string::npos) {
        found.push_back(util::cat(verb, ' ', uri));
      }
    }
    CHECK_MESSAGE(seen, "the audit log shows no request of kubist's with ", text);
    return found;
  }

 private:
  std::string m_path;
  std::uintmax_t m_start;
};

/// What two servers' answers may differ in, and what only controllers write.
inline void normalize(data::Json& object) {
  for (const std::string_view key :
       {"uid", "resourceVersion", "creationTimestamp", "generation", "selfLink"}) {
    data::erase_path(object, {"metadata", key});
  }
  object.erase("status");
  if (object["kind"] == "Service" && object["spec"].value("clusterIP", "") != "None") {
    object["spec"].erase("clusterIP");
    object["spec"].erase("clusterIPs");
    for (data::Json& port : object["spec"]["ports"]) {
      port.erase("nodePort");
    }
  }
  if (object["kind"] == "Job") {
    object["spec"].erase("selector");
    data::erase_path(object, {"spec", "template", "metadata", "labels"});
    object["metadata"].erase("labels");
  }
  data::Json& annotations = object["metadata"]["annotations"];
  if (annotations.is_object()) {
    annotations.erase("deployment.kubernetes.io/revision");
    annotations.erase("autoscaling.alpha.kubernetes.io/conditions");
    annotations = annotations.empty() ? data::Json() : annotations;
  }
  data::Json own = data::Json::array();
  for (data::Json& entry : object["metadata"]["managedFields"]) {
    if (entry["manager"] == "kubist") {
      entry.erase("time");
      own.push_back(entry);
    }
  }
  object["metadata"]["managedFields"] = own;
}

/// The items of a List of kubectl's, normalized, with NAMESPACE for `ns`; by kind, namespace and
/// name.
inline std::map<std::string, data::Json> by_name(const std::string& list, const std::string& ns) {
  const data::Json parsed = data::Json::parse(util::replace_all(list, ns, "NAMESPACE"));
  std::map<std::string, data::Json> result;
  for (data::Json object : parsed.at("items")) {
    normalize(object);
    const data::Json& metadata = object["metadata"];
    result[util::cat(object["apiVersion"].get<std::string>(), ' ',
                     object["kind"].get<std::string>(), ' ', metadata.value("namespace", ""), '/',
                     metadata["name"].get<std::string>())] = object;
  }
  return result;
}

/// The live objects that an input for namespace `ns` names.
inline std::map<std::string, data::Json> live_objects(const std::string& input,
                                                      const std::string& ns) {
  const auto got =
      run_kubectl({"-n", ns, "get", "-f", "-", "-o", "json", "--show-managed-fields"}, input);
  REQUIRE_MESSAGE(got.exit_code == 0, got.err);
  return by_name(got.out, ns);
}

inline std::string config_map(const std::string& name, const std::string& value) {
  return util::cat("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ", name,
                   "}\ndata: {a: \"", value, "\"}\n");
}

/// The corpus for one namespace.
inline std::string corpus(const std::string& ns) {
  const auto text = util::read_file(kubist::paths::source_dir() + "/tests/data/apply/corpus.yaml");
  REQUIRE(text);
  return util::replace_all(*text, "NAMESPACE", ns);
}

inline std::size_t count(std::string_view text, std::string_view word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    ++found;
  }
  return found;
}

}  // namespace kubist::testing
