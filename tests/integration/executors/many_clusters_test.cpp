// One kubist and 200 Clusters, ten of which say nothing.
#include <array>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/fd.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"
#include "support/fault_proxy.hpp"

using namespace it;
using kubist::util::cat;

namespace {

/// A server that takes connections, and says nothing on them.
class Silent {
 public:
  Silent() : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(m_socket.get(), any, size) == 0);
    REQUIRE(::listen(m_socket.get(), 64) == 0);
    REQUIRE(::getsockname(m_socket.get(), any, &size) == 0);
    m_url = cat("https://127.0.0.1:", ntohs(address.sin_port));
  }
  const std::string& url() const { return m_url; }

 private:
  kubist::util::Fd m_socket;
  std::string m_url;
};

/// Clusters by the names of their servers' kind and numbers, with their kubeconfigs.
void add(std::vector<Json>& objects, const std::string& project, const std::string& kind,
         const std::vector<std::string>& urls, const std::string& kubeconfig) {
  for (std::size_t i = 0; i < urls.size(); ++i) {
    const std::string name = cat(kind, '-', i);
    Json config = Json::parse(kubeconfig);
    config["clusters"][0]["cluster"]["server"] = urls[i];
    objects.push_back(secret(project, name, config.dump()));
    objects.push_back(
        object("Cluster", project, name,
               {{"kubeconfigSecretRef", {{"name", name}}}, {"istio", {{"mode", "Ignore"}}}}));
  }
}

}  // namespace

TEST_CASE("many clusters: 190 of 200 are Ready while ten say nothing, and stay so") {
  World world("many");
  const std::string project = world.name();
  world.make_project(project, {{"allow", {{"clusters", {"https://127.0.0.1:*"}}}}});
  const FaultProxy first("target1", 95);
  const FaultProxy second("target2", 95);
  const std::array<Silent, 10> silent;
  std::vector<std::string> dead;
  for (const Silent& each : silent) {
    dead.push_back(each.url());
  }
  const auto [config1, user1] = world.token_kubeconfig("target1");
  const auto [config2, user2] = world.token_kubeconfig("target2");
  std::vector<Json> objects;
  add(objects, project, "a-dead", dead, config1);
  add(objects, project, "first", first.urls(), config1);
  add(objects, project, "second", second.urls(), config2);
  put("home", objects);

  Audit audit("target1");
  Background watch({"reconcile", "Project/" + project, "--watch"});
  std::size_t ready = 0;
  const auto count = [&] {
    ready = 0;
    for (const Json& each : list("home", "clusters.kubist.io", project)) {
      const bool is_ready = condition(each, "Ready") == "True";
      CHECK_FALSE((is_ready && each["metadata"]["name"].get<std::string>().starts_with("a-dead")));
      ready += is_ready ? 1 : 0;
    }
    return ready;
  };
  CHECK_MESSAGE(eventually([&] { return count() == 190; }, 120), ready, '\n', watch.output());
  const std::size_t asked = audit.requests(user1).size();
  CHECK(asked >= 95 * 2);
  CHECK(asked <= 95 * 13);  // once a run, and a watch of its namespaces

  // One more is taken up, though the ten are still waited for.
  put("home", {object("Cluster", project, "home", {{"home", true}}),
               virtual_cluster(project, "dev", "home", world.name("dev"))});
  CHECK_MESSAGE(eventually([&] { return condition(vc(project, "dev"), "Ready") == "True"; }),
                watch.output());
  CHECK(count() == 191);
  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
}

TEST_CASE("many clusters: more new ones that say nothing than a run has places hold up none") {
  World world("mute");
  const std::string project = world.name();
  world.make_project(project, {{"allow", {{"clusters", {"https://127.0.0.1:*"}}}}});
  const std::array<Silent, 20> silent;
  std::vector<std::string> dead;
  for (const Silent& each : silent) {
    dead.push_back(each.url());
  }
  std::vector<Json> objects;
  add(objects, project, "a-dead", dead, world.token_kubeconfig("target1").first);
  objects.push_back(object("Cluster", project, "home", {{"home", true}}));
  put("home", objects);

  Background run({"reconcile", "Project/" + project, "--request-timeout=40s"});
  CHECK_MESSAGE(
      eventually([&] { return condition(get("home", "kcl", "home", project), "Ready") == "True"; }),
      run.output());
  std::size_t given_up = 0;
  for (const Json& each : list("home", "clusters.kubist.io", project)) {
    given_up += condition(each, "Connected") == "False" ? 1 : 0;
  }
  CHECK(given_up == 0);
  CHECK_MESSAGE(run.wait(60).value_or(-1) == 1, run.output());
}
