#include <doctest/doctest.h>
#include <unistd.h>

#include <kubist/kube/api_error.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/kube/watch.hpp>

using namespace kubist;
using namespace kubist::kube;
using data::Json;

TEST_CASE("kube: the log of a real pod, followed to its end and read again") {
  auto access = find_access({}, process_environment());
  REQUIRE_MESSAGE(access, access.error().to_string());
  const auto client = *Client::connect(std::move(*access));
  const std::string ns = "kube-log-" + std::to_string(getpid());
  REQUIRE(client->json(
      create(well_known::namespaces(),
             {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}})));
  const Json pod = {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata", {{"name", "p"}, {"namespace", ns}}},
      {"spec",
       {{"restartPolicy", "Never"},
        {"terminationGracePeriodSeconds", 0},
        {"containers",
         {{{"name", "c"},
           {"image", "localhost/busybox:1"},
           {"imagePullPolicy", "IfNotPresent"},
           {"command", {"sh", "-c", "for i in 1 2 3; do echo line $i; sleep 0.2; done"}}}}}}}};
  // The namespace's service account may take a moment.
  WatchOptions account;
  account.resource = well_known::service_accounts();
  account.ns = ns;
  account.name = "default";
  std::stop_source found;
  REQUIRE(watch(
      *client, account,
      [&](const WatchEvent& event) {
        if (!event.name.empty()) {
          found.request_stop();
        }
        return util::Result<>();
      },
      found.get_token()));
  const auto created = client->json(create(well_known::pods(), pod));
  REQUIRE_MESSAGE(created, created.error().to_string());

  WatchOptions options;
  options.resource = well_known::pods();
  options.ns = ns;
  options.name = "p";
  std::stop_source started;
  REQUIRE(watch(
      *client, options,
      [&](const WatchEvent& event) -> util::Result<> {
        if (event.object.find("\"startedAt\"") != std::string_view::npos) {
          started.request_stop();
        }
        return {};
      },
      started.get_token()));
  std::vector<std::string> lines;
  const auto take = [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  };
  const auto followed = client->follow_log(ns, "p", {.container = "c", .follow = true}, take);
  REQUIRE_MESSAGE(followed, followed.error().to_string());
  CHECK(lines == std::vector<std::string>{"line 1", "line 2", "line 3"});
  lines.clear();
  const auto tail = client->follow_log(ns, "p", {.container = "c", .tail_lines = 1}, take);
  REQUIRE_MESSAGE(tail, tail.error().to_string());
  CHECK(lines == std::vector<std::string>{"line 3"});
  const auto wrong = client->follow_log(ns, "p", {.container = "none"}, take);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().http_status == 400);
  CHECK(client->run(remove(well_known::namespaces(), "", ns)));
}
