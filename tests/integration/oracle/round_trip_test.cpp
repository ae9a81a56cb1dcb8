// apply and reconcile write to the same objects and never undo each other.
#include <doctest/doctest.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"
#include "support/paths.hpp"

namespace {

using namespace it;
using namespace kubist;

/// The corpus of the apply tests (Secrets with stringData, quantities, int-or-string, custom
/// resources with defaults) in that namespace, which it has among its objects.
std::string corpus(const std::string& ns) {
  const auto text = util::read_file(kubist::paths::source_dir() + "/tests/data/apply/corpus.yaml");
  REQUIRE(text);
  return util::replace_all(*text, "NAMESPACE", ns);
}

struct ClusterWide {
  std::string ns;
  ~ClusterWide() {
    kubectl("home",
            {"delete", "--ignore-not-found", "--wait=false", "crd/widgets." + ns + ".example.com",
             "clusterrole/" + ns + "-web", "validatingwebhookconfiguration/" + ns + "-check",
             "priorityclass/" + ns + "-high", "storageclass/" + ns + "-slow"});
  }
};

std::string lines(const std::vector<AuditedWrite>& writes) {
  std::string text;
  for (const AuditedWrite& write : writes) {
    text += write.to_string() + '\n';
  }
  return text;
}

}  // namespace

TEST_CASE(
    "round trip: applying, reconciling, applying again: all labels stay, nothing is written") {
  World world("round");
  const std::string project = world.name();
  const std::string ns = world.name("corpus");
  const ClusterWide rest{ns};
  const Json tree{{"apiVersion", "v1"},
                  {"kind", "List"},
                  {"items",
                   {object("Project", "", project, {{"home", {{"namespaces", {ns}}}}}),
                    object("Cluster", project, "home", {{"home", true}}),
                    virtual_cluster(project, "apps", "home", ns,
                                    {{"adopt", true},
                                     {"injection", {{"mode", "Sidecar"}}},
                                     {"labels", {{"stage", "test"}}}})}}};
  const std::string input = corpus(ns) + "\n---\n" + tree.dump();
  const Words apply = world.as_user({"apply", "-f", "-"});
  const Words reconcile = world.as_user({"reconcile", "Project/" + project});
  must(run_kubist(apply, input));
  must(run_kubist(reconcile));
  const auto labelled = get("home", "namespace", ns);
  REQUIRE(labelled);
  CHECK((*labelled)["metadata"]["labels"]["istio-injection"] == "enabled");

  Audit audit("home");
  const CommandResult again = run_kubist(apply, input);
  CHECK_MESSAGE(again.exit_code == 0, again.out, again.err);
  CHECK_MESSAGE(again.out.find(" configured") == std::string::npos, again.out);
  std::size_t reads = 0;
  const auto applied = audit.writes(world.user(), &reads);
  CHECK_MESSAGE(applied.empty(), lines(applied));
  CHECK(reads > 5);

  Audit second("home");
  const CommandResult unchanged = run_kubist(reconcile);
  CHECK_MESSAGE(unchanged.exit_code == 0, unchanged.out, unchanged.err);
  const auto reconciled = second.writes(world.user(), &reads);
  CHECK_MESSAGE(reconciled.empty(), lines(reconciled));

  const auto after = get("home", "namespace", ns);
  CHECK((*after)["metadata"]["labels"] == (*labelled)["metadata"]["labels"]);
  for (const auto& [type, name] : {std::pair{"kproj", project}, {"kvc", std::string("apps")}}) {
    CAPTURE(name);
    const auto kept = get("home", type, name, project);
    REQUIRE(kept);
    CHECK((*kept)["metadata"]["finalizers"] == Json::array({"kubist.io/finalizer"}));
  }
}
