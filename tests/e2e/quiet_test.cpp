// While a workload runs nobody asks the API server for news of it.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/support.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;
using Time = std::chrono::system_clock::time_point;

Time time_at(const Json& object, std::initializer_list<std::string_view> path) {
  const auto time = kubist::util::parse_time(data::string_at(object, path));
  REQUIRE_MESSAGE(time, object.dump());
  return *time;
}

/// The state of the pod's workload, or null.
Json workload(const std::optional<Json>& pod) {
  const Json* all = pod ? data::find_path(*pod, {"status", "containerStatuses"}) : nullptr;
  return all == nullptr || all->empty() ? Json() : (*all)[0].value("state", Json());
}

}  // namespace

TEST_CASE("quiet: while a workload runs there are watches and lease renewals, and nothing else") {
  World world("quiet");
  const std::string ns = world.name();
  world.make_project(ns);
  const std::string nap = cat(1'000'000 + ::getpid());  // seconds: the words of no other sleep
  put("home",
      {Json{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
            {"kind", "DeployItem"},
            {"metadata", {{"name", "long"}, {"namespace", ns}}},
            {"spec",
             {{"type", "kubist.io/script"},
              {"timeout", "10m"},
              {"config",
               {{"image", "localhost/busybox:1"},
                {"script", cat("sleep ", nap, " || true; echo 'a: 1' > $EXPORT_PATH")}}}}}}});
  Audit audit("home");
  Background driver(world.as_user({"reconcile", "Project/" + ns, "--timeout=300s"}));
  std::string pod;
  std::optional<Json> seen;
  REQUIRE(eventually(
      [&] {
        const Json item = *get("home", k_items, "long", ns);
        pod = data::string_at(item, {"status", "providerStatus", "pod"});
        seen = pod.empty() ? std::nullopt : get("home", "pod", pod, ns);
        return workload(seen).contains("running") &&
               message(item, "Ready").find("waiting for the workload") != std::string::npos;
      },
      120));
  const std::string agent = cat("system:serviceaccount:", ns, ':',
                                data::string_at(*seen, {"spec", "serviceAccountName"}));
  // Who has just been told that it runs may still write that down.
  const Time begin = std::chrono::system_clock::now() + std::chrono::seconds(5);
  const auto is_lease = [](const Json& request) {
    return data::string_at(request, {"objectRef", "resource"}) == "leases";
  };
  // Six renewals, one every 2 s: then the workload may end.
  Time end;
  REQUIRE(eventually(
      [&] {
        std::size_t renewals = 0;
        for (const Json& request : audit.requests(world.user())) {
          const Time at = time_at(request, {"requestReceivedTimestamp"});
          if (is_lease(request) && at >= begin) {
            ++renewals;
            end = at;
          }
        }
        return renewals >= 6;
      },
      120));
  const auto sleeper = process_with({cat("sleep", '\0', nap, '\0')});
  REQUIRE(sleeper.has_value());
  REQUIRE(::kill(*sleeper, SIGTERM) == 0);
  CHECK_MESSAGE(driver.wait(240) == 0, driver.output());
  CHECK(data::string_at(*get("home", k_items, "long", ns), {"status", "phase"}) == "Succeeded");
  std::size_t all = 0;
  for (const std::string& user : {world.user(), agent}) {
    const auto requests = audit.requests(user);
    all += requests.size();
    for (const Json& request : requests) {
      const Time at = time_at(request, {"requestReceivedTimestamp"});
      const bool inside = at >= begin && at <= end;
      const bool quiet = is_lease(request) || data::string_at(request, {"verb"}) == "watch";
      CHECK_MESSAGE((quiet || !inside), request.dump());
    }
  }
  CHECK(all > 20);  // before and after
}
