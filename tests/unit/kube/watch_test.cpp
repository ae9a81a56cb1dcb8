#include <set>
#include <stdexcept>
#include <utility>

#include <kubist/kube/watch.hpp>

#include "client_support.hpp"

using namespace client_test;

TEST_CASE_FIXTURE(ClientFixture,
                  "watch: lists, resumes after a close, lists again after 410 in the stream") {
  const char* path = "/api/v1/namespaces/x/configmaps";
  int calls = 0;
  fake->handle("GET", path, [&](const http::Request& request) {
    http::Response response;
    response.status = 200;
    const bool watching = request.url.find("watch=1") != std::string::npos;
    switch (++calls) {
      case 1:
        response.body =
            R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"10"},"items":[{"metadata":{"name":"a","resourceVersion":"9"}}]})";
        break;
      case 2:
        CHECK(request.url.find("resourceVersion=10") != std::string::npos);
        CHECK(request.url.find("allowWatchBookmarks=true") != std::string::npos);
        CHECK(request.long_running);
        response.body = event("ADDED", "b", "11") + event("BOOKMARK", "", "15");
        break;
      case 3:
        CHECK(request.url.find("resourceVersion=15") != std::string::npos);
        response.body = event("DELETED", "b", "16") + R"({"type":"ERROR","object":)" +
                        status(410, "Expired", "too old") + "}\n";
        break;
      case 4:
        CHECK_FALSE(watching);
        response.body =
            R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"20"},"items":[]})";
        break;
      default:
        response.status = 403;
        response.body = status(403, "Forbidden", "no more");
    }
    return util::Result<http::Response>(std::move(response));
  });
  WatchOptions options;
  options.resource = well_known::config_maps();
  options.ns = "x";
  std::vector<std::string> trouble;
  options.on_trouble = [&](const util::Error& error) { trouble.push_back(error.reason); };
  std::vector<std::string> log;
  const auto result = watch(*client, options,
                            [&](const WatchEvent& seen) {
                              log.push_back(util::cat(static_cast<int>(seen.type), ' ', seen.name,
                                                      ' ', seen.resource_version));
                              return util::Result<>();
                            },
                            {});
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == util::ErrorKind::forbidden);
  CHECK(log == std::vector<std::string>{"0 a 9", "1  10", "2 b 11", "5  15", "4 b 16", "1  20"});
  CHECK(trouble == std::vector<std::string>{"Expired"});
}

TEST_CASE_FIXTURE(ClientFixture,
                  "watch: after a stop nothing is handed over of what has come already") {
  const auto item = [](const char* name) {
    return util::cat(R"({"metadata":{"name":")", name, R"(","resourceVersion":"9"}})");
  };
  fake->handle("GET", "/api/v1/namespaces/x/configmaps", [&](const http::Request& request) {
    const bool watching = request.url.find("watch=1") != std::string::npos;
    return util::Result<http::Response>(response_of(
        200, watching ? event("ADDED", "a", "11") + event("ADDED", "b", "12")
                      : util::cat(R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"10"},)",
                                  R"("items":[)", item("a"), ',', item("b"), "]}")));
  });
  for (const char* version : {"", "10"}) {  // a listing; what a connection brings at once
    WatchOptions options;
    options.resource = well_known::config_maps();
    options.ns = "x";
    options.resource_version = version;
    std::stop_source stop;
    int seen = 0;
    const auto take = [&](const WatchEvent&) {
      ++seen;
      stop.request_stop();
      return util::Result<>();
    };
    CHECK(watch(*client, options, take, stop.get_token()));
    CHECK(seen == 1);
  }
}

TEST_CASE_FIXTURE(ClientFixture,
                  "watch: a lasting one outlives refusals, lists then, and tells that it is back") {
  const char* path = "/api/v1/namespaces/x/configmaps";
  std::stop_source stop;
  int calls = 0;
  fake->handle("GET", path, [&](const http::Request& request) {
    const bool watching = request.url.find("watch=1") != std::string::npos;
    const auto list = [](const char* version) {
      return response_of(
          200, util::cat(R"({"kind":"ConfigMapList","metadata":{"resourceVersion":")", version,
                         R"("},"items":[]})"));
    };
    switch (++calls) {
      case 1:
        CHECK_FALSE(watching);
        return util::Result<http::Response>(list("10"));
      case 2:
        CHECK(watching);
        return util::Result<http::Response>(response_of(200, event("ADDED", "a", "11")));
      case 3:
        CHECK(watching);
        return util::Result<http::Response>(response_of(403, status(403, "Forbidden", "no more")));
      case 4:  // what happened meanwhile is found by a listing, which is allowed before the watch
               // is
        CHECK_FALSE(watching);
        return util::Result<http::Response>(list("20"));
      case 5:
        CHECK(request.url.find("resourceVersion=20") != std::string::npos);
        return util::Result<http::Response>(response_of(401, status(401, "Unauthorized", "who")));
      case 6:
        CHECK_FALSE(watching);
        return util::Result<http::Response>(list("30"));
      default:
        CHECK(watching);
        return util::Result<http::Response>(response_of(200, event("ADDED", "b", "31")));
    }
  });
  WatchOptions options;
  options.resource = well_known::config_maps();
  options.ns = "x";
  options.lasting = true;
  std::vector<std::string> log;
  options.on_trouble = [&](const util::Error& error) { log.push_back(error.reason); };
  options.on_back = [&] { log.emplace_back("back"); };
  const auto result = watch(
      *client, options,
      [&](const WatchEvent& seen) {
        log.push_back(seen.type == WatchEventType::relisted ? "listed" : std::string(seen.name));
        if (seen.name == "b") {
          stop.request_stop();
        }
        return util::Result<>();
      },
      stop.get_token());
  CHECK(result);
  CHECK(log == std::vector<std::string>{"listed", "a", "Forbidden", "listed", "Unauthorized",
                                        "listed", "back", "b"});
}

TEST_CASE_FIXTURE(ClientFixture,
                  "watch: what was deleted after a listing that broke off had found it is missed") {
  int calls = 0;
  fake->handle("GET", "/api/v1/namespaces/x/configmaps", [&](const http::Request& request) {
    const auto list = [](const char* metadata, const char* items) {
      return response_of(200, util::cat(R"({"kind":"ConfigMapList","metadata":{)", metadata,
                                        R"(},"items":[)", items, "]}"));
    };
    const bool watching = request.url.find("watch=1") != std::string::npos;
    switch (++calls) {
      case 1:
        return util::Result<http::Response>(
            list(R"("resourceVersion":"10","continue":"more")", R"({"metadata":{"name":"a"}})"));
      case 2:
        CHECK(request.url.find("continue=more") != std::string::npos);
        return util::Result<http::Response>(response_of(503, status(503, "Unavailable", "later")));
      default:
        return util::Result<http::Response>(
            watching ? response_of(403, status(403, "Forbidden", "no more"))
                     : list(R"("resourceVersion":"20")", R"({"metadata":{"name":"b"}})"));
    }
  });
  WatchOptions options;
  options.resource = well_known::config_maps();
  options.ns = "x";
  std::set<std::string> known, listed;
  const auto result = watch(*client, options,
                            [&](const WatchEvent& seen) {
                              if (seen.type == WatchEventType::listed) {
                                known.emplace(seen.name);
                                listed.emplace(seen.name);
                              } else if (seen.type == WatchEventType::relisted) {
                                known = std::exchange(listed, {});
                              }
                              return util::Result<>();
                            },
                            {});
  CHECK(result.error().kind == util::ErrorKind::forbidden);
  CHECK(known == std::set<std::string>{"b"});
}

TEST_CASE_FIXTURE(ClientFixture, "watch: what its handler throws ends it as an error") {
  fake->always("GET", "/api/v1/namespaces/x/configmaps", 200,
               R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"10"},"items":[]})");
  WatchOptions options;
  options.resource = well_known::config_maps();
  options.ns = "x";
  options.lasting = true;
  const auto result =
      watch(*client, options,
            [](const WatchEvent&) -> util::Result<> { throw std::runtime_error("a bug"); }, {});
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "unexpected: a bug");
}

TEST_CASE_FIXTURE(ClientFixture,
                  "watch: each form asks for lists as lists and for events as objects") {
  struct Case {
    Form form;
    const char* listing;
    const char* watching;
  };
  std::vector<std::string> asked;
  fake->handle("GET", "/api/v1/namespaces/x/configmaps", [&](const http::Request& request) {
    asked.emplace_back(http::find_header(request.headers, "Accept").value_or(""));
    http::Response response;
    response.status = asked.size() == 1 ? 200 : 403;
    const bool table = asked.back().find("as=Table") != std::string::npos;
    response.body =
        asked.size() > 1 ? status(403, "Forbidden", "no more")
        : table
            ? R"({"kind":"Table","metadata":{"resourceVersion":"10"},"columnDefinitions":[],"rows":[]})"
            : R"({"kind":"List","metadata":{"resourceVersion":"10"},"items":[]})";
    return util::Result<http::Response>(std::move(response));
  });
  for (const Case& wanted :
       {Case{Form::object, "application/json", "application/json"},
        Case{Form::metadata, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
             "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"},
        Case{Form::table, "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
             "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}}) {
    asked.clear();
    WatchOptions options;
    options.resource = well_known::config_maps();
    options.ns = "x";
    options.form = wanted.form;
    CHECK_FALSE(watch(*client, options, [](const WatchEvent&) { return util::Result<>(); }, {}));
    CHECK(asked == std::vector<std::string>{wanted.listing, wanted.watching});
  }
}
