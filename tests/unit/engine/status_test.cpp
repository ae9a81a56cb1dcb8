#include <doctest/doctest.h>

#include "fakes.hpp"

using namespace kubist::engine;
using namespace std::chrono_literals;
using Phase = StatusInput::Phase;

namespace {

StatusInput ready_at(std::chrono::system_clock::time_point now) {
  StatusInput input;
  input.phase = Phase::ready;
  input.reason = "Aligned";
  input.generation = 3;
  input.run_id = "r1";
  input.now = now;
  input.started_at = now;
  input.tree_ready = Truth::yes;
  return input;
}

const std::chrono::system_clock::time_point k_start{1'800'000'000s};

}  // namespace

TEST_CASE("status: unchanged input gives the same status back") {
  Json first = compute_status(Json::object(), ready_at(k_start));
  auto again = ready_at(k_start + 1h);
  again.run_id = "r2";
  CHECK(compute_status(first, again) == first);
}

TEST_CASE("status: transition times move only with the status") {
  Json first = compute_status(Json::object(), ready_at(k_start));
  auto changed = ready_at(k_start + 1h);
  changed.message = "now with a message";
  Json second = compute_status(first, changed);
  CHECK(find_condition(second, "Ready")->at("lastTransitionTime") ==
        find_condition(first, "Ready")->at("lastTransitionTime"));
  CHECK(second["lastRun"]["finishedAt"] != first["lastRun"]["finishedAt"]);
  changed.phase = Phase::stalled;
  Json third = compute_status(second, changed);
  CHECK(find_condition(third, "Ready")->at("lastTransitionTime") !=
        find_condition(first, "Ready")->at("lastTransitionTime"));
}

TEST_CASE("status: failures count up and back off, success forgets them") {
  auto failing = ready_at(k_start);
  failing.phase = Phase::retrying;
  failing.random_unit = 0;
  failing.tree_ready.reset();
  Json status = compute_status(Json::object(), failing);
  CHECK(status["failures"] == 1);
  status = compute_status(status, failing);
  CHECK(status["failures"] == 2);
  CHECK(status["nextRunAt"] == "2027-01-15T08:00:01Z");
  status = compute_status(status, ready_at(k_start));
  CHECK_FALSE(status.contains("failures"));
  CHECK_FALSE(status.contains("nextRunAt"));
}

TEST_CASE("status: the retry delay doubles to five minutes and never comes at once") {
  CHECK(retry_delay(1, 0) == 500ms);
  CHECK(retry_delay(1, 0.999) < 1000ms);
  CHECK(retry_delay(4, 0) == 4000ms);
  CHECK(retry_delay(1000, 0) == 150s);
  CHECK(retry_delay(1000, 0.9999) <= 300s);
}

TEST_CASE("status: fields of the kind are set, kept and removed") {
  auto input = ready_at(k_start);
  input.fields = {{"address", "1.2.3.4"}, {"uid", "u"}};
  Json status = compute_status(Json::object(), input);
  input.fields = {{"address", nullptr}};
  status = compute_status(status, input);
  CHECK_FALSE(status.contains("address"));
  CHECK(status["uid"] == "u");
}

TEST_CASE("status: a request is answered once") {
  auto input = ready_at(k_start);
  input.handled_request = HandledRequest{"reconcile@1", "Done", "ok"};
  Json first = compute_status(Json::object(), input);
  CHECK(first["handledRequest"]["request"] == "reconcile@1");
  input.now += 1h;
  CHECK(compute_status(first, input) == first);
}

TEST_CASE("status: the tree is as ready as its worst part") {
  CHECK(summarize_tree(Truth::yes, {}).truth == Truth::yes);
  CHECK(summarize_tree(Truth::no, {}).truth == Truth::no);
  CHECK(summarize_tree(Truth::yes, {{"Cluster/a", Truth::yes}, {"Cluster/b", Truth::unknown}})
            .truth == Truth::unknown);
  auto worst = summarize_tree(Truth::yes, {{"a", Truth::unknown},
                                           {"b", Truth::no},
                                           {"c", Truth::no},
                                           {"d", Truth::no},
                                           {"e", Truth::yes}});
  CHECK(worst.truth == Truth::no);
  CHECK(worst.message == "4 of 5 below not ready: a, b, c, ...");
}
