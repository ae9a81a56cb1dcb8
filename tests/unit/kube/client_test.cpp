#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kubist/util/fs.hpp>

#include "client_support.hpp"

using namespace client_test;

TEST_CASE_FIXTURE(ClientFixture, "client: calls become the right requests") {
  const ApiResource& maps = well_known::config_maps();
  const Json object = {{"apiVersion", "v1"},
                       {"kind", "ConfigMap"},
                       {"metadata", {{"name", "a"}, {"namespace", "x"}}}};
  ApplyOptions options;
  options.force = true;
  options.dry_run = DryRun::server;
  client->run(kube::apply(maps, object, options));
  client->run(kube::create(maps, object));
  client->run(kube::replace(well_known::deployments(), object, {.subresource = "status"}));
  client->run(kube::patch(maps, "x", "a", PatchType::strategic, Json::object()));
  client->run(kube::remove(maps, "x", "a", {.uid = "u1"}));
  client->run(pod_log("x", "p", {.container = "c", .tail_lines = 5}));
  CHECK(fake->log() ==
        std::vector<std::string>{
            "PATCH "
            "/api/v1/namespaces/x/configmaps/"
            "a?fieldManager=kubist&fieldValidation=Strict&dryRun=All&force=true",
            "POST /api/v1/namespaces/x/configmaps?fieldManager=kubist&fieldValidation=Strict",
            "PUT "
            "/apis/apps/v1/namespaces/x/deployments/a/"
            "status?fieldManager=kubist&fieldValidation=Strict",
            "PATCH /api/v1/namespaces/x/configmaps/a?fieldManager=kubist&fieldValidation=Strict",
            "DELETE /api/v1/namespaces/x/configmaps/a",
            "GET /api/v1/namespaces/x/pods/p/log?container=c&tailLines=5"});
  const auto sent = fake->sent();
  CHECK(sent[0].idempotent);
  CHECK(http::find_header(sent[0].headers, "Content-Type") == "application/apply-patch+yaml");
  CHECK_FALSE(sent[1].idempotent);
  CHECK(http::find_header(sent[3].headers, "Content-Type") ==
        "application/strategic-merge-patch+json");
  CHECK(sent[4].idempotent);
  CHECK(
      *sent[4].body ==
      R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u1"},"propagationPolicy":"Background"})");
}

TEST_CASE_FIXTURE(ClientFixture,
                  "client: warnings once, answers that are no JSON, absent objects") {
  fake->always("GET", "/version", 200, "<html>",
               {{"Warning", "299 - \"old\""}, {"Content-Type", "text/html"}});
  CHECK_FALSE(client->version());
  CHECK_FALSE(client->version());
  CHECK(warnings == std::vector<std::string>{"old"});
  const auto absent = client->find(well_known::pods(), "x", "p");
  REQUIRE(absent);
  CHECK_FALSE(absent->has_value());
}

TEST_CASE_FIXTURE(ClientFixture, "client: a version with fields of other types") {
  fake->reply("GET", "/version", 200, R"({"gitVersion":7})");
  CHECK_FALSE(client->version());
  fake->reply("GET", "/version", 200, R"({"gitVersion":"v1","platform":[],"major":1})");
  const auto version = client->version();
  REQUIRE(version);
  CHECK(version->git_version == "v1");
}

TEST_CASE_FIXTURE(ClientFixture,
                  "client: a listing goes from page to page, also where metadata comes last") {
  const char* path = "/apis/apps/v1/namespaces/x/deployments";
  fake->reply(
      "GET", path, 200,
      R"({"items":[{"metadata":{"name":"a"}}],"kind":"DeploymentList","metadata":{"continue":"t1","resourceVersion":"7"}})");
  fake->reply(
      "GET", path, 200,
      R"({"kind":"DeploymentList","metadata":{"resourceVersion":"7","continue":"t2"},"items":[{"metadata":{"name":"b"}}]})");
  fake->reply("GET", path, 200,
              R"({"kind":"DeploymentList","metadata":{"resourceVersion":"7"},"items":[]})");
  const auto list = client->list(well_known::deployments(), "x");
  REQUIRE_MESSAGE(list, list.error().to_string());
  REQUIRE(list->items.size() == 2);
  CHECK(list->items[1]["metadata"]["name"].get<std::string>() == "b");
  CHECK(list->items[0]["apiVersion"].get<std::string>() == "apps/v1");
  CHECK(list->resource_version == "7");
  const auto log = fake->log();
  REQUIRE(log.size() == 3);
  CHECK(log[0].ends_with("?limit=500"));
  CHECK(log[1].ends_with("&continue=t1"));
  CHECK(log[2].ends_with("&continue=t2"));
}

TEST_CASE_FIXTURE(
    ClientFixture,
    "client: an expired continue token restarts a list, or goes on where that is tolerated") {
  const char* path = "/api/v1/namespaces/x/configmaps";
  const std::string first =
      R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"7","continue":"t1"},"items":[{"metadata":{"name":"a"}}]})";
  const std::string last =
      R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"8"},"items":[{"metadata":{"name":"b"}}]})";
  fake->reply("GET", path, 200, first);
  fake->reply("GET", path, 410,
              status(410, "Expired", "old", R"(,"metadata":{"continue":"fresh"})"));
  SUBCASE("restart") {
    fake->reply("GET", path, 200, first);
    fake->reply("GET", path, 200, last);
    const auto list = client->list(well_known::config_maps(), "x");
    REQUIRE_MESSAGE(list, list.error().to_string());
    CHECK(list->items.size() == 2);
  }
  SUBCASE("go on") {
    fake->reply("GET", path, 200, last);
    ListOptions options;
    options.tolerate_expired = true;
    int pages = 0;
    const auto end =
        client->list_pages(well_known::config_maps(), "x", options, [&](const data::PageBuffer&) {
          ++pages;
          return util::Result<>();
        });
    REQUIRE_MESSAGE(end, end.error().to_string());
    CHECK(pages == 2);
    CHECK(end->inconsistent);
    CHECK(fake->log().back().ends_with("continue=fresh"));
  }
}

TEST_CASE_FIXTURE(ClientFixture, "log: a broken connection is resumed without repeated lines") {
  const char* path = "/api/v1/namespaces/x/pods/p/log";
  int calls = 0;
  fake->handle("GET", path, [&](const http::Request& request) -> util::Result<http::Response> {
    http::Response response;
    response.status = 200;
    if (++calls == 1) {
      const std::string text =
          "2026-01-01T00:00:00.000000001Z one\n2026-01-01T00:00:00.000000002Z "
          "two\n2026-01-01T00:00:00.000000002Z 2b\n2026-01-01T00:0";
      request.on_chunk(text);
      util::Error lost = util::make_error(util::ErrorKind::unavailable, "lost");
      lost.reason = http::k_failure_lost;
      return util::fail(std::move(lost));
    }
    CHECK(request.url.find("sinceTime=2026-01-01T00%3A00%3A00.000000002Z") != std::string::npos);
    response.body =
        "2026-01-01T00:00:00.000000001Z one\n2026-01-01T00:00:00.000000002Z "
        "two\n2026-01-01T00:00:00.000000002Z 2b\n"
        "2026-01-01T00:00:00.000000002Z 2c\n2026-01-01T00:00:03.000000000Z three";
    return response;
  });
  std::vector<std::string> lines;
  const auto result =
      client->follow_log("x", "p", {.container = "", .follow = true}, [&](std::string_view line) {
        lines.emplace_back(line);
        return true;
      });
  REQUIRE_MESSAGE(result, result.error().to_string());
  CHECK(lines == std::vector<std::string>{"one", "two", "2b", "2c", "three"});
}

TEST_CASE("client: a credential plugin that hangs ends when the call is cancelled") {
  const util::TempDir folder;
  const auto started = folder.path() / "started";
  REQUIRE(::mkfifo(started.c_str(), 0600) == 0);
  const int fifo = ::open(started.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(fifo >= 0);
  ClusterAccess access;
  access.server = "http://127.0.0.1:1";
  access.auth.exec.emplace();
  access.auth.exec->api_version = "client.authentication.k8s.io/v1";
  access.auth.exec->command = "/bin/sh";
  access.auth.exec->args = {"-c", util::cat("echo > ", started.string(), "; exec sleep 600")};
  const auto client = Client::connect(std::move(access), {});
  REQUIRE(client);
  std::stop_source stop;
  std::jthread stopper([&] {
    pollfd word{fifo, POLLIN, 0};
    CHECK(::poll(&word, 1, 20'000) == 1);
    stop.request_stop();
  });
  const auto version = (*client)->version(stop.get_token());
  stopper.join();
  ::close(fifo);
  REQUIRE_FALSE(version);
  CHECK(version.error().kind == util::ErrorKind::cancelled);
}
