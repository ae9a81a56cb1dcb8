#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/engine/node.hpp>
#include <kubist/executors/session.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_clock.hpp"
#include "support/fake_cluster.hpp"
#include "support/objects.hpp"

/// A home cluster and a target in memory, and a session that reconciles them.
namespace site {

using namespace kubist;
using data::Json;
using testing::LoggedRequest;
using util::cat;

using testing::condition;
using testing::message;
using testing::object;
using testing::plain;
using testing::reason;
using testing::yaml;

class Site {
 public:
  Site() {
    network->add(home);
    network->add(far);
    open();
  }

  executors::Session::Options session_options() {
    executors::Session::Options options;
    options.identity = "me@test";
    options.clients.transport = network;
    options.clock = &clock;
    options.notifications = {[](const std::string&) {}, [](const std::string&) {}};
    options.sleep = [this](auto duration, const auto& stop) {
      return clock.sleep_for(duration, stop);
    };
    return options;
  }
  /// A session of a run that knows nothing of earlier ones.
  void open() {
    session = executors::Session::open(home->connect(network), session_options(), {}).value();
  }

  void put(const std::string& kind, const std::string& ns, const std::string& name,
           const Json& spec = Json::object()) {
    home->put(object(kind, ns, name, spec));
  }
  /// A project that was reconciled, with a Cluster `home`.
  void make_project(const std::string& name, const Json& spec = Json::object()) {
    put("Project", "", name, spec);
    REQUIRE(reconcile().summary.failed == 0);
    put("Cluster", name, "home", {{"home", true}, {"istio", {{"mode", "Ignore"}}}});
  }
  void virtual_cluster(const std::string& ns, const std::string& name,
                       const Json& more = Json::object(), const std::string& cluster = "home") {
    home->put(testing::virtual_cluster(ns, name, cluster, ns + '-' + name, more));
  }
  static std::string kubeconfig(const std::string& server, const Json& user = {{"token", "t"}}) {
    return testing::small_kubeconfig(server, user).dump();
  }
  void secret(const std::string& ns, const std::string& name, const std::string& text) {
    home->put(testing::secret(ns, name, text));
  }
  /// A Cluster that leads there by a Secret of its name.
  void cluster(const std::string& ns, const std::string& name, const std::string& text) {
    secret(ns, name, text);
    put("Cluster", ns, name,
        {{"kubeconfigSecretRef", {{"name", name}}}, {"istio", {{"mode", "Ignore"}}}});
  }

  /// One walk over the tree; what is progressing is not waited for.
  executors::Run run(executors::ReconcileOptions options = {}) {
    options.settle = std::chrono::milliseconds(0);
    engine::Observer observer;
    auto done = session->run(options, observer, {});
    REQUIRE_MESSAGE(done, (done ? "" : done.error().to_string()));
    return *std::move(done);
  }
  engine::Report reconcile(const executors::ReconcileOptions& options = {}) {
    return run(options).report;
  }
  /// Walks until nothing is written any more: namespaces go at once here.
  engine::Report settle(const executors::ReconcileOptions& options = {}) {
    for (int walks = 0; walks < 8; ++walks) {
      const std::size_t before = writes();
      engine::Report report = reconcile(options);
      if (writes() == before) {
        return report;
      }
    }
    FAIL("it does not settle");
    return {};
  }
  /// What changed anything on both clusters so far. Events are told in the background: they come
  /// when they come.
  std::size_t writes() const {
    std::size_t count = 0;
    for (const auto& cluster : {home, far}) {
      const auto all = cluster->writes();
      count += static_cast<std::size_t>(std::count_if(
          all.begin(), all.end(), [](const auto& each) { return each.resource != "events"; }));
    }
    return count;
  }
  /// "patch virtualclusters shop/dev status" of each since forget(), without the lock's and Events.
  std::vector<std::string> written() const {
    std::vector<std::string> all;
    for (const auto& cluster : {home, far}) {
      for (const LoggedRequest& each : cluster->writes()) {
        if (each.resource != "leases" && each.resource != "events") {
          all.push_back(each.to_string());
        }
      }
    }
    return all;
  }
  void forget() {
    home->forget_log();
    far->forget_log();
  }

  Json get(const std::string& plural, const std::string& ns, const std::string& name) const {
    return home->get(plural + ".kubist.io", name, ns);
  }
  Json vc(const std::string& ns, const std::string& name) const {
    return get("virtualclusters", ns, name);
  }
  Json project(const std::string& name) const { return get("projects", "", name); }
  Json namespace_at(const std::shared_ptr<testing::FakeCluster>& where,
                    const std::string& name) const {
    return where->get("namespaces", name);
  }

  testing::FakeClock clock;
  std::shared_ptr<testing::FakeCluster> home = std::make_shared<testing::FakeCluster>("home");
  std::shared_ptr<testing::FakeCluster> far = std::make_shared<testing::FakeCluster>("far");
  std::shared_ptr<testing::FakeNetwork> network = std::make_shared<testing::FakeNetwork>();
  std::unique_ptr<executors::Session> session;
};

inline engine::Key key(const std::string& kind, const std::string& ns, const std::string& name) {
  return {"kubist.io", kind, ns, name};
}
inline executors::ReconcileOptions only(std::vector<engine::Key> selection) {
  executors::ReconcileOptions options;
  options.selection = std::move(selection);
  return options;
}
/// What the report says of a node; fails the test where it was not selected.
inline const engine::NodeReport& node_of(const engine::Report& report, const std::string& kind,
                                         const std::string& name) {
  for (const engine::NodeReport& node : report.nodes) {
    if (node.key.kind == kind && node.key.name == name) {
      return node;
    }
  }
  FAIL(cat(kind, '/', name, " is not in the report"));
  return report.nodes.front();
}

}  // namespace site
