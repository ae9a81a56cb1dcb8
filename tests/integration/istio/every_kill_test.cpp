// `kill -9` of `kubist istio install` after each of its writes: it takes minutes, so it is a test
// of its own.
#include <csignal>

#include "played_istiod.hpp"
#include "support/fault_proxy.hpp"
#include "support/slice.hpp"

using namespace istio_it;

TEST_CASE("istio install: what the API server refuses is told, and what to do") {
  const util::TempDir folder("istio-refused");
  FaultProxy proxy(k_cluster);
  must(run_kubist(on_the_cluster(k_uninstall)));
  proxy.rules(Json::array({{{"method", "PATCH"},
                            {"path", "/deployments/istiod"},
                            {"fault", "status"},
                            {"code", 403},
                            {"message", "x is forbidden: User \"y\" cannot patch"}},
                           validator()}));
  const CommandResult run = run_kubist(
      proxy.through({"istio", "install", manifest_without_gateway(folder), "--timeout", "100s"}));
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  for (const std::string word : {"Error from server (Forbidden): deployment/istiod: ",
                                 "x is forbidden: User \"y\"", "Ask for the right"}) {
    CHECK_MESSAGE(run.err.find(word) != std::string::npos, word, run.err);
  }
  must(run_kubist(on_the_cluster(k_uninstall)));
}

TEST_CASE("istio install: killed after every single write, the next run ends healthy" *
          doctest::skip()) {
  const util::TempDir folder("istio-kill");
  const std::string path = manifest_without_gateway(folder);
  FaultProxy proxy(k_cluster);
  const auto allow = [&](int most) { proxy.allow_writes(most, Json::array({validator()})); };
  const Words install_it = proxy.through({"istio", "install", path, "--timeout", "100s"});
  const Words uninstall_it = on_the_cluster(k_uninstall);
  const PlayedIstiod istiod;
  // The namespace stays at an uninstall, so the very first installation writes once more.
  for (int round = 0; round < 2; ++round) {
    must(run_kubist(uninstall_it));
    allow(0);
    must(run_kubist(install_it));
  }
  const int writes = proxy.writes();
  CHECK(writes > 30);
  for (int k = 1; k <= writes; ++k) {
    if (!kubist::testing::in_slice(k)) {
      continue;
    }
    INFO("after write ", k, " of ", writes);
    must(run_kubist(uninstall_it));
    allow(k);
    {
      const Background run(install_it);
      CHECK(proxy.reached(k, 100));
      run.signal(SIGKILL);
    }
    allow(0);
    const CommandResult next = run_kubist(install_it);
    REQUIRE_MESSAGE(next.exit_code == 0, next.out, next.err);
    const CommandResult seen = run_kubist(proxy.through({"istio", "check", "-o", "json"}));
    REQUIRE_MESSAGE(Json::parse(seen.out).value("verdict", "") == "healthy", seen.out);
    allow(0);
    must(run_kubist(install_it));
    CHECK(proxy.writes() == 0);
  }
  must(run_kubist(uninstall_it));
}
