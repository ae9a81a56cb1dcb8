#include "root_images.hpp"

#include <doctest/doctest.h>

#include <kubist/apply/set.hpp>
#include <kubist/data/pointer.hpp>

#include "support/fake_cluster.hpp"

using namespace kubist;
using namespace kubist::setup;
using apply::Outcome;
using data::Json;

namespace {

struct Home {
  /// What becomes of the Root.
  apply::ObjectResult keep(const std::string& agent, const std::string& script,
                           kube::DryRun dry_run = kube::DryRun::none,
                           const apply::Report& kinds = {}) {
    InstallOptions options;
    options.agent_image = agent;
    options.script_image = script;
    options.dry_run = dry_run;
    const apply::Report report = keep_images(*client, options, kinds, {});
    REQUIRE_MESSAGE(report.results.size() == 1,
                    (report.errors.empty() ? "" : report.errors[0].message));
    return report.results[0];
  }
  /// `kubist apply` of a Root.
  apply::ObjectResult apply_root(const Json& spec) {
    std::vector<resources::Manifest> set(1);
    set[0].object = {{"apiVersion", "kubist.io/v1alpha1"},
                     {"kind", "Root"},
                     {"metadata", {{"name", "root"}}},
                     {"spec", spec}};
    return apply::apply_set(*client, set, {}).results.at(0);
  }
  Json spec() {
    const Json root = cluster->get("roots.kubist.io", "root");
    return root.is_null() ? root : root.value("spec", Json());
  }

  std::shared_ptr<testing::FakeCluster> cluster = std::make_shared<testing::FakeCluster>();
  std::shared_ptr<kube::Client> client = cluster->connect();
};

}  // namespace

TEST_CASE("root images: one that is not named stays; what is there is no write") {
  Home home;
  CHECK(home.keep("r/kubist:1", "").outcome == Outcome::created);
  CHECK(home.spec() == Json{{"images", {{"agent", "r/kubist:1"}}}});
  CHECK(home.keep("", "r/shell:1").outcome == Outcome::configured);
  CHECK(home.keep("r/kubist:2", "").outcome == Outcome::configured);
  CHECK(home.spec() == Json{{"images", {{"agent", "r/kubist:2"}, {"script", "r/shell:1"}}}});
  home.cluster->forget_log();
  CHECK(home.keep("r/kubist:2", "r/shell:1").outcome == Outcome::unchanged);
  CHECK(home.cluster->writes().empty());
}

TEST_CASE(
    "root images: a Root in files and init leave each other's fields; two words are a conflict") {
  Home home;
  home.keep("r/kubist:1", "");
  CHECK(home.apply_root({{"settings", {{"team", "a"}}}}).ok());
  CHECK(home.spec() == Json{{"images", {{"agent", "r/kubist:1"}}}, {"settings", {{"team", "a"}}}});
  home.keep("r/kubist:2", "");
  CHECK(home.spec()["settings"]["team"] == "a");

  CHECK(home.apply_root({{"images", {{"script", "r/shell:1"}}}}).ok());
  const auto refused = home.keep("", "r/shell:2");
  CHECK(refused.outcome == Outcome::conflict);
  REQUIRE(refused.conflicts.size() == 1);
  CHECK(refused.conflicts[0].field.find("images.script") != std::string::npos);
  CHECK(home.spec()["images"]["script"] == "r/shell:1");
}

TEST_CASE("root images: a dry run writes nothing, also before there are Roots") {
  Home home;
  CHECK(home.keep("r/kubist:1", "", kube::DryRun::server).outcome == Outcome::created);
  CHECK(home.spec().is_null());
  apply::Report kinds;
  kinds.results.emplace_back();
  kinds.results[0].ref.name = "roots.kubist.io";
  kinds.results[0].outcome = Outcome::created;
  home.cluster->forget_log();
  CHECK(home.keep("r/kubist:1", "", kube::DryRun::server, kinds).outcome == Outcome::created);
  CHECK(home.cluster->log().size() == 1);  // looks for the Root, asks for nothing that is not there
}
