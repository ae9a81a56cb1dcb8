#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/handshake.hpp>
#include <kubist/deployers/item_run.hpp>
#include <kubist/deployers/upstream.hpp>

using namespace kubist;
using namespace kubist::deployers;
using namespace std::chrono_literals;

namespace {

const TimePoint k_start{1'800'000'000s};

Progress ended(Progress::State state, std::string reason) {
  Progress progress;
  progress.state = state;
  progress.operation = "RunWorkload";
  progress.reason = std::move(reason);
  progress.message = "message";
  return progress;
}

std::string text(const Json& status, std::initializer_list<std::string_view> path) {
  return std::string(data::string_at(status, path));
}

Json run_once(Json status, const std::string& job, const Progress& end, bool exports_changed) {
  status = taken_up(triggered(std::move(status), job, k_start), 3, false, k_start + 1s);
  status =
      working(std::move(status), false, ended(Progress::State::running, "Running"), k_start + 2s);
  std::optional<ExportResult> exports;
  if (end.state == Progress::State::done) {
    exports = ExportResult{"item-export", "config", "ns", exports_changed, {{"shown", 1}}};
  }
  return finished(std::move(status), false, end, "hash-" + job, exports, k_start + 3s);
}

}  // namespace

TEST_CASE("handshake: a job is pending from its request to the write that ends it") {
  Json status = Json::object();
  CHECK_FALSE(job_pending(status));
  status = triggered(status, "one", k_start);
  CHECK(job_pending(status));
  CHECK_FALSE(is_taken_up(status));
  status = taken_up(status, 3, false, k_start + 1s);
  CHECK(is_taken_up(status));
  CHECK(text(status, {"phase"}) == "Init");
  CHECK(data::int_at(status, {"observedGeneration"}) == 3);
  CHECK(taken_up_at(status) == k_start + 1s);
  status = working(status, false, ended(Progress::State::running, "Running"), k_start + 2s);
  CHECK(text(status, {"phase"}) == "Progressing");
  CHECK(job_pending(status));
  status = finished(status, false, ended(Progress::State::done, "Succeeded"), "hash", {}, k_start);
  CHECK_FALSE(job_pending(status));
  CHECK(text(status, {"phase"}) == "Succeeded");
  CHECK(text(status, {"jobIDFinished"}) == "one");
}

TEST_CASE("handshake: a job is over when its end is written, or another one was asked for") {
  Json status = taken_up(triggered(Json::object(), "one", k_start), 3, false, k_start);
  CHECK_FALSE(is_over(status, "one"));
  CHECK(is_over(triggered(status, "two", k_start), "one"));
  status = finished(status, false, ended(Progress::State::failed, "Gone"), "", {}, k_start);
  CHECK(is_over(status, "one"));
  CHECK(is_over(status, "two"));
}

TEST_CASE("handshake: success shows public exports and counts changes of the bytes") {
  const Progress good = ended(Progress::State::done, "Succeeded");
  Json status = run_once(Json::object(), "one", good, true);
  CHECK(data::int_at(status, {"exportGeneration"}) == 1);
  CHECK(text(status, {"exportRef", "name"}) == "item-export");
  CHECK(text(status, {"exports", "secretRef", "key"}) == "config");
  CHECK(status["exports"]["value"] == Json{{"shown", 1}});
  status = run_once(status, "two", good, false);
  CHECK(data::int_at(status, {"exportGeneration"}) == 1);
  status = run_once(status, "three", good, true);
  CHECK(data::int_at(status, {"exportGeneration"}) == 2);
  CHECK(last_hash(status) == "hash-three");
}

TEST_CASE("handshake: a count of exports that no kubist wrote ends no run") {
  const Progress good = ended(Progress::State::done, "Succeeded");
  for (const std::int64_t before :
       {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    const Json status = run_once({{"exportGeneration", before}}, "one", good, true);
    CHECK(text(status, {"phase"}) == "Succeeded");
    CHECK(data::int_at(status, {"exportGeneration"}) > 0);
  }
}

TEST_CASE("handshake: failure keeps the old exports, forgets the hash and says why") {
  Json status = run_once(Json::object(), "one", ended(Progress::State::done, "Succeeded"), true);
  status = run_once(status, "two", ended(Progress::State::failed, "WorkloadFailed"), false);
  CHECK(text(status, {"phase"}) == "Failed");
  CHECK(text(status, {"lastError", "reason"}) == "WorkloadFailed");
  CHECK(data::int_at(status, {"exportGeneration"}) == 1);
  CHECK(text(status, {"exportRef", "name"}) == "item-export");
  CHECK(last_hash(status).empty());
  // The next job begins without the errors of this one.
  status = taken_up(triggered(status, "three", k_start), 4, false, k_start);
  CHECK_FALSE(status.contains("lastError"));
}

TEST_CASE("handshake: deletion has phases of its own") {
  Json status = taken_up(triggered(Json::object(), "one", k_start), 1, true, k_start);
  CHECK(text(status, {"phase"}) == "InitDelete");
  status = working(status, true, ended(Progress::State::running, "Running"), k_start);
  CHECK(text(status, {"phase"}) == "Deleting");
  status =
      finished(status, true, ended(Progress::State::failed, "WorkloadFailed"), "", {}, k_start);
  CHECK(text(status, {"phase"}) == "DeleteFailed");
  CHECK_FALSE(job_pending(status));
}

TEST_CASE("handshake: a success is remembered, whatever the runs after it do") {
  Json status =
      run_once(Json::object(), "one", ended(Progress::State::failed, "WorkloadFailed"), false);
  CHECK_FALSE(has_succeeded(status));
  status = run_once(status, "two", ended(Progress::State::done, "Succeeded"), true);
  CHECK(has_succeeded(status));
  status = run_once(status, "three", ended(Progress::State::failed, "WorkloadFailed"), false);
  CHECK(has_succeeded(status));
  CHECK(has_succeeded(taken_up(triggered(status, "four", k_start), 4, false, k_start)));
}

TEST_CASE("handshake: both words of landscaper's for success are understood") {
  for (const char* word : {"Succeeded", "Reconciled"}) {
    const Json item{{"status", {{"phase", word}, {"jobID", "one"}, {"jobIDFinished", "one"}}}};
    CHECK(outcome_of_item(item).state == Progress::State::done);
    CHECK(has_succeeded(item["status"]));
    CHECK(is_final(word));
  }
  const Json other{{"status", {{"phase", "Recon"}, {"jobID", "one"}, {"jobIDFinished", "one"}}}};
  CHECK(outcome_of_item(other).state == Progress::State::running);
}

TEST_CASE("handshake: the last five errors are kept") {
  Json status = Json::object();
  for (int i = 0; i < 7; ++i) {
    status = triggered(status, "job-" + std::to_string(i), k_start);
    status = finished(status, false, ended(Progress::State::failed, "R" + std::to_string(i)), "",
                      {}, k_start);
  }
  CHECK(status["lastErrors"].size() == 5);
  CHECK(text(status, {"firstError", "reason"}) == "R0");
  CHECK(text(status, {"lastError", "reason"}) == "R6");
}

TEST_CASE("handshake: who comes second leaves the status as the first one wrote it") {
  Json status = taken_up(triggered(Json::object(), "one", k_start), 1, false, k_start);
  CHECK(taken_up(status, 1, false, k_start + 5s) == status);
  status = finished(status, false, ended(Progress::State::done, "Succeeded"), "h", {}, k_start);
  CHECK(working(status, false, ended(Progress::State::running, "Late"), k_start + 5s) == status);
  CHECK(finished(status, false, ended(Progress::State::failed, "Late"), "", {}, k_start + 5s) ==
        status);
}

TEST_CASE("handshake: whatever stands in the status, a job runs to its end") {
  for (const Json& value : {Json(), Json("x"), Json(7), Json(true), Json{{"a", "x"}},
                            Json::array({"x", 7, Json(), {{"type", 1}}})}) {
    CAPTURE(value.dump());
    Json item{{"status", value}};
    for (const char* field :
         {"phase", "jobID", "jobIDFinished", "transitionTimes", "deployer", "providerStatus",
          "exports", "exportRef", "exportGeneration", "observedGeneration", "conditions",
          "lastError", "firstError", "lastErrors", "handledRequest"}) {
      Json one{{"status", {{field, value}}}};
      for (const Json& before : {item, one}) {
        const Json status = run_once(from_upstream_status(sound_status(before)), "one",
                                     ended(Progress::State::done, "Succeeded"), true);
        CHECK(text(status, {"phase"}) == "Succeeded");
        CHECK(text(status, {"jobIDFinished"}) == "one");
        CHECK(text(to_upstream_status(status), {"providerStatus", "kind"}) == "ItemStatus");
      }
    }
  }
}
