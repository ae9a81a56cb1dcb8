// Images as users get them: made by packaging/image, pushed to a registry, named by init, pulled by
// the node.
#include <cstdlib>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/credentials.hpp"
#include "registry.hpp"

namespace {

using namespace it;
using namespace kubist::e2e;
using kubist::util::cat;
namespace data = kubist::data;
namespace util = kubist::util;

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
  const CommandResult init = run_kubist(as_administrator({"init"}));
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
  must(run_kubist(as_administrator({"init", "--agent-image", registry.image("none:" + ns)})));
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
  make_image(tools, {"--helm", helm_program()});
  registry.push(agent, "kubist:" + ns);
  registry.push(tools, "kubist-tools:" + ns);
  const CommandResult named =
      run_kubist(as_administrator({"init", "--agent-image", registry.image("kubist:" + ns),
                                   "--script-image", registry.image("kubist-tools:" + ns)}));
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
  must(run_kubist(as_administrator({"apply", "-f", "-"}),
                  object("Root", "", "root", Json::object()).dump()));
  CHECK(data::string_at(*get("home", "kroot", "root"), {"spec", "images", "agent"}) ==
        registry.image("kubist:" + ns));
}
