#include <kubist/data/pointer.hpp>
#include <kubist/resources/readiness.hpp>
#include <kubist/util/duration.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::resources;
using data::Json;

namespace {

ReadyMode mode_of(std::string_view name) {
  if (name == "job_finished") {
    return ReadyMode::job_finished;
  }
  if (name == "lb_address") {
    return ReadyMode::lb_address;
  }
  return name == "strict" ? ReadyMode::strict : ReadyMode::kstatus;
}

void run_table(const std::string& file, std::size_t at_least) {
  auto now = util::parse_time("2026-11-21T12:00:00Z");
  REQUIRE(now);
  auto cases = test::test_data(file);
  CHECK(cases.size() >= at_least);
  for (const auto& document : cases) {
    const Json& test = document.value;
    CAPTURE(test.at("name"));
    Readiness found = readiness(test.at("object"), *now, mode_of(data::string_at(test, {"mode"})));
    CHECK(to_string(found.status) == test.at("status").get<std::string>());
    if (test.contains("reason")) {
      CHECK(found.reason == test["reason"].get<std::string>());
    }
    if (test.contains("message")) {
      CHECK(found.message == test["message"].get<std::string>());
    }
  }
}

}  // namespace

TEST_CASE("readiness: generic rules") { run_table("readiness/generic.yaml", 20); }
TEST_CASE("readiness: workloads") { run_table("readiness/workloads.yaml", 20); }
TEST_CASE("readiness: pods, jobs, services") { run_table("readiness/pods_jobs_services.yaml", 25); }

TEST_CASE("readiness: what is no object is unknown") {
  CHECK(readiness(Json("x"), {}).status == Status::unknown);
  CHECK(not_found().status == Status::not_found);
}
