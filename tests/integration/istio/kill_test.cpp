// `kill -9` of `kubist istio install` right after one of its writes: the next run ends healthy.
#include <csignal>

#include "installation.hpp"
#include "killing_proxy.hpp"

using namespace istio_it;

namespace {

// Installs until the k-th write has been made, kills it there, and says whether it came so far.
bool kill_after(KillingProxy& proxy, Words args, int k) {
  const Words flags = proxy.flags();
  args.insert(args.end(), flags.begin(), flags.end());
  proxy.allow(k);
  const Background run(args);
  const bool reached = proxy.reached(k, 140);
  run.signal(SIGKILL);
  return reached;
}

}  // namespace

TEST_CASE("istio install: killed after writes that are spread over it, the next run ends healthy") {
  KillingProxy proxy("home");
  take_istio_out();
  // How many there are; what istiod patches must not change after that.
  Words whole = install();
  const Words flags = proxy.flags();
  whole.insert(whole.end(), flags.begin(), flags.end());
  proxy.allow(0);
  const CommandResult first = run_kubist(whole);
  REQUIRE_MESSAGE(first.exit_code == 0, first.out, first.err);
  const int writes = proxy.writes();
  CHECK(writes > 40);
  constexpr int k_kills = 5;
  for (int kill = 0; kill < k_kills; ++kill) {
    const int k = 1 + kill * (writes - 1) / (k_kills - 1) - (kill == k_kills - 1 ? 1 : 0);
    INFO("after write ", k, " of ", writes);
    must(run_kubist({"istio", "uninstall", "--purge", "--timeout", "140s"}));
    CHECK(kill_after(proxy, install(), k));
    const CommandResult next = run_kubist(install());
    CHECK_MESSAGE(next.exit_code == 0, next.out, next.err);
    CHECK(verdict() == "healthy");
  }
  const std::string before = webhooks();
  CHECK(before.find(" Fail LS0t") != std::string::npos);
  CHECK(before.find(" Ignore ") == std::string::npos);
  CHECK(before.find("Fail \n") == std::string::npos);
}
