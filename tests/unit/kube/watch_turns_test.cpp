// One watch by its turns, without a network or a clock of its own.
#include "watch_turns.hpp"

#include "client_support.hpp"

using namespace client_test;

namespace {

struct TurnsFixture : ClientFixture {
  TurnsFixture() {
    options.resource = well_known::config_maps();
    options.ns = "x";
    options.resource_version = "10";
  }
  std::string listed(const std::string& version) const {
    return util::cat(R"({"kind":"ConfigMapList","metadata":{"resourceVersion":")", version,
                     R"("},"items":[]})");
  }
  WatchOptions options;
  std::vector<std::string> versions;
  WatchHandler handler = [this](const WatchEvent& event) {
    versions.emplace_back(event.resource_version);
    return util::Result<>();
  };
};

}  // namespace

TEST_CASE_FIXTURE(TurnsFixture, "watch turns: a resourceVersion without end counts as none") {
  WatchTurns turns(*client, options, handler, {});
  turns.begin();
  CHECK(turns.feed(event("ADDED", "a", "11")));
  CHECK(turns.feed(event("ADDED", "b", std::string(129, '1').c_str())));
  CHECK(versions == std::vector<std::string>{"11", ""});
  CHECK(turns.begin().url.ends_with("&resourceVersion=11"));
}

TEST_CASE_FIXTURE(TurnsFixture, "watch turns: a list without a resourceVersion is tried again") {
  for (const std::string& version : {std::string(), std::string(129, '1')}) {
    versions.clear();
    options.resource_version = "";
    fake->reply("GET", "/api/v1/namespaces/x/configmaps", 200, listed(version));
    WatchTurns turns(*client, options, handler, {});
    const auto pause = turns.pause_after(turns.list());
    REQUIRE(pause);
    CHECK(pause->count() >= 400);
    CHECK(versions == std::vector<std::string>{""});
    CHECK(turns.lists());
  }
}

TEST_CASE_FIXTURE(TurnsFixture,
                  "watch turns: what ends at once waits before the next, whatever came") {
  WatchTurns turns(*client, options, handler, {});
  const auto turn = [&](const std::string& bytes) {
    turns.begin();
    turns.feed(bytes);
    const auto pause = turns.pause_after(turns.end(response_of(200, "")));
    REQUIRE(pause);
    return pause->count();
  };
  SUBCASE("a bookmark") {
    const std::string bookmark = event("BOOKMARK", "", "11");
    CHECK(turn(bookmark) == 0);
    CHECK(turn(bookmark) >= 400);
    CHECK(turn(bookmark) >= 800);
    CHECK(turn(bookmark) >= 1'600);
  }
  SUBCASE("an event, and that the version is too old") {
    const std::string expired = util::cat(event("ADDED", "a", "11"), R"({"type":"ERROR","object":)",
                                          status(410, "Expired", "too old"), "}\n");
    CHECK(turn(expired) >= 400);
    CHECK(turn(expired) >= 800);
    CHECK(turn(expired) >= 1'600);
  }
}
