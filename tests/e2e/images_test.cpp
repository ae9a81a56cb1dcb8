// Images as users get them: made by packaging/image, pushed to a registry, named by init, pulled by
// the node.
#include <chrono>
#include <cstdlib>
#include <fstream>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/support.hpp"
#include "support/paths.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;
namespace paths = kubist::paths;
namespace util = kubist::util;

/// Runs a program; fails the test unless it succeeds. What it printed.
std::string printed(const Words& args) {
  util::Command command;
  command.args = args;
  command.timeout = std::chrono::seconds(120);
  const auto result = util::run_command(command);
  REQUIRE_MESSAGE(result, (result ? "" : result.error().to_string()));
  return std::string(util::trim(must(*result)));
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Debian's docker-registry. containerd speaks HTTP with one that is on localhost.
class Registry {
 public:
  Registry() : m_server("docker-registry", {"serve", config()}) {
    REQUIRE_MESSAGE(eventually([&] { return has(log(), "listening on"); }), log());
  }
  std::string image(const std::string& name) const { return cat("localhost:", k_port, '/', name); }
  /// As packaging/README.md says.
  void push(const std::string& archive, const std::string& name) const {
    printed({"skopeo", "copy", "--dest-tls-verify=false", "oci-archive:" + archive,
             "docker://" + image(name)});
  }
  std::string log() const { return m_server.output(); }

 private:
  static constexpr int k_port = 19500;  ///< below those that the kernel gives to connections

  std::string config() const {
    const auto file = m_folder.path() / "config.yml";
    std::ofstream(file) << "version: 0.1\nstorage: {filesystem: {rootdirectory: "
                        << (m_folder.path() / "data").string()
                        << "}}\nhttp: {addr: 127.0.0.1:" << k_port << "}\n";
    return file;
  }

  util::TempDir m_folder{"registry"};
  Background m_server;
};

/// Without the images that the test cluster's environment names, and with the Root that init makes.
class NobodyNamesImages {
 public:
  NobodyNamesImages() {
    ::unsetenv("KUBIST_AGENT_IMAGE");
    clean();
  }
  ~NobodyNamesImages() {
    clean();
    ::setenv("KUBIST_AGENT_IMAGE", m_image.c_str(), 1);
  }
  NobodyNamesImages(const NobodyNamesImages&) = delete;
  NobodyNamesImages& operator=(const NobodyNamesImages&) = delete;

 private:
  static void clean() { remove("home", "kroot", "root"); }
  std::string m_image = util::environment("KUBIST_AGENT_IMAGE");
};

/// Makes an image whose bytes no run before has had, so that its layer is pulled. Its digest.
std::string make_image(const std::string& out, const Words& more = {}) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  Words args{
      "env",
      cat("SOURCE_DATE_EPOCH=", std::chrono::duration_cast<std::chrono::seconds>(now).count()),
      paths::source_dir() + "/packaging/image", paths::program(), out};
  args.insert(args.end(), more.begin(), more.end());
  return printed(args);
}

std::string item_message(const std::string& ns) {
  const auto item = get("home", k_items, "tell-tell", ns);
  return item ? item->value("status", Json()).dump() : "";
}

}  // namespace

TEST_CASE("images: made, pushed, named by init, pulled; who lacks one or cannot pull hears how") {
  World world("images");
  const NobodyNamesImages guard;
  const std::string ns = world.name();
  make_place(world);
  const std::string script = R"sh(cat > $EXPORT_PATH << END
user: $(id -u)
kubist: "$(kubist version --client | head -n 1)"
helm: $(helm version --short)
END)sh";
  put("home",
      {object(
          "Execution", ns, "tell",
          {{"virtualClusterRef", {{"name", "dev"}}},
           {"items", Json::array({{{"name", "tell"}, {"type", "Script"}, {"script", script}}})}})});
  const Words reconcile{"reconcile", "Project/" + ns, "--timeout=90s"};

  // Nobody names an image: init and the first item say how to make, push and name one.
  const CommandResult init = run_kubist({"init"});
  must(init);
  CHECK_MESSAGE(has(init.err, "packaging/image build/release/cli/kubist kubist.tar"), init.err);
  CHECK_MESSAGE(has(init.err, "kubist init --agent-image REGISTRY/kubist:v"), init.err);
  const CommandResult without = run_kubist(reconcile);
  CHECK(without.exit_code == 1);
  CHECK_MESSAGE(has(without.out + without.err, "kubist init --agent-image REGISTRY/kubist:v"),
                without.out, without.err);
  CHECK_MESSAGE(has(item_message(ns), "spec.images.agent of the Root"), item_message(ns));

  // One that is not there.
  const Registry registry;
  must(run_kubist({"init", "--agent-image", registry.image("none:" + ns)}));
  {
    Background waiting(reconcile);
    CHECK_MESSAGE(eventually([&] { return has(item_message(ns), "--agent-image IMAGE"); }),
                  item_message(ns));
    must(run_kubist({"deployitem", "interrupt", "tell-tell", "-n", ns, "--timeout=60s"}));
    CHECK(waiting.wait(60) == 1);
  }

  // As they are made for users.
  const util::TempDir folder("images");
  const std::string agent = folder.path() / "kubist.tar";
  const std::string tools = folder.path() / "tools.tar";
  const std::string digest = make_image(agent);
  make_image(tools, {"--helm", printed({paths::source_dir() + "/tests/cluster/cluster", "helm"})});
  registry.push(agent, "kubist:" + ns);
  registry.push(tools, "kubist-tools:" + ns);
  const CommandResult named = run_kubist({"init", "--agent-image", registry.image("kubist:" + ns),
                                          "--script-image", registry.image("kubist-tools:" + ns)});
  CHECK_MESSAGE(has(must(named), "root.kubist.io/root configured"), named.out);
  CHECK_MESSAGE(named.err.empty(), named.err);
  const CommandResult done = run_kubist(reconcile);
  CHECK_MESSAGE(done.exit_code == 0, done.out, done.err);
  const std::string told =
      must(run_kubist({"deployitem", "exports", "tell-tell", "-n", ns, "--show"}));
  CHECK_MESSAGE(has(told, "user: 65532"), told);
  CHECK_MESSAGE(has(told, "kubist: "), told);
  CHECK_MESSAGE(has(told, "helm: v3"), told);
  CHECK_MESSAGE(has(registry.log(), "GET /v2/kubist/manifests/" + digest), digest);
  CHECK(has(registry.log(), "GET /v2/kubist/blobs/sha256:"));

  // They are the cluster's: applying a Root that names none leaves them.
  must(run_kubist({"apply", "-f", "-"}, object("Root", "", "root", Json::object()).dump()));
  CHECK(data::string_at(*get("home", "kroot", "root"), {"spec", "images", "agent"}) ==
        registry.image("kubist:" + ns));
}
