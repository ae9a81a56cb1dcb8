#include <atomic>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include <doctest/doctest.h>

#include <kubist/data/json.hpp>
#include <kubist/metrics/gathering.hpp>
#include <kubist/metrics/prometheus.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_transport.hpp"

using namespace kubist::metrics;
namespace http = kubist::http;
namespace util = kubist::util;
using kubist::data::Json;
using kubist::testing::FakeTransport;
using util::cat;

namespace {

constexpr int k_many = 100;

Subject numbered_subject(int number) {
  return {"shop", cat("web-", number, ".shop.svc.cluster.local"), {"v1", "v2"}, {}, {}, {}};
}

/// Every subject's v1 has had its number of requests.
Sample sample_of(const Subject& numbered_subject) {
  Series series;
  series.id = "p";
  series.requests = std::stod(numbered_subject.host.substr(4));
  return {{}, "istio", {{"v1", {series}}, {"v2", {}}}};
}

/// Answers when it is let, or stopped.
class SlowSource : public Provider {
 public:
  Expected<Sample> sample(const Subject&, const std::stop_token&) override { std::abort(); }
  std::vector<Expected<Sample>> samples(const std::vector<Subject>& subjects,
                                        const std::stop_token& stop) override {
    std::unique_lock lock(m_mutex);
    ++m_requests;
    m_changed.notify_all();
    m_changed.wait(lock, stop, [&] { return m_let; });
    if (std::exchange(throws, false)) {
      throw std::bad_alloc();
    }
    std::vector<Expected<Sample>> all;
    for (const Subject& each : subjects) {
      all.push_back(m_let && failure.empty()
                        ? Expected<Sample>(sample_of(each))
                        : inconclusive(m_let ? failure : k_reason_cancelled, "no"));
    }
    return all;
  }
  void wait_until_asked() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_requests > 0; });
  }
  void let() {
    const std::lock_guard lock(m_mutex);
    m_let = true;
    m_changed.notify_all();
  }
  int requests() {
    const std::lock_guard lock(m_mutex);
    return m_requests;
  }
  std::string_view failure;
  bool throws = false;  ///< the next one

 private:
  std::mutex m_mutex;
  std::condition_variable_any m_changed;
  int m_requests = 0;
  bool m_let = false;
};

std::string result_of(const Expected<Sample>& sample) {
  return sample ? cat(sample->arms.at("v1").front().requests) : sample.error().reason;
}

/// One thread a subject, each with its own stop.
class Crowd {
 public:
  Crowd(Provider& provider, int count) : m_coming(count), m_results(count), m_stops(count) {
    for (int i = 0; i < count; ++i) {
      m_threads.emplace_back([this, &provider, i] {
        m_coming.count_down();
        m_results[i] = result_of(provider.sample(numbered_subject(i), m_stops[i].get_token()));
      });
    }
    m_coming.wait();
  }
  void stop(int which) { m_stops[which].request_stop(); }
  const std::vector<std::string>& results() {
    m_threads.clear();
    return m_results;
  }

 private:
  std::latch m_coming;
  std::vector<std::string> m_results;
  std::vector<std::stop_source> m_stops;
  std::vector<std::jthread> m_threads;
};

std::shared_ptr<Provider> in_front_of(
    SlowSource& source, std::shared_ptr<Arrivals> arrivals = std::make_shared<Arrivals>()) {
  return make_gathering_provider({std::shared_ptr<Provider>(), &source}, std::move(arrivals));
}

/// All series of all subjects, as a Prometheus has them.
std::string all_counters() {
  Json all = Json::array();
  for (int i = 0; i < k_many; ++i) {
    const std::string host = numbered_subject(i).host;
    const auto add = [&](Json labels, const std::string& value) {
      labels["destination_service"] = host;
      all.push_back({{"metric", labels}, {"value", {1'800'000'000.25, value}}});
    };
    add({{"__name__", "istio_requests_total"}, {"pod", "p"}, {"destination_version", "v1"}},
        cat(i));
    add({{"kubist", "time"}}, "99999999999");
  }
  return Json{{"status", "success"}, {"data", {{"resultType", "vector"}, {"result", all}}}}.dump();
}

}  // namespace

TEST_CASE("gathering: a hundred releases ask Prometheus a few times, and each gets its own") {
  const auto fake = std::make_shared<FakeTransport>();
  std::latch all_are_here(k_many);
  std::atomic<int> asked = 0;
  fake->handle("GET", "/api/v1/query", [&, body = all_counters()](const http::Request&) {
    if (asked++ == 0) {
      all_are_here.wait();
    }
    return http::Response{.status = 200, .headers = {}, .body = body};
  });
  const auto provider = make_gathering_provider(
      *Prometheus::direct(fake, "http://prometheus.example.com", {}), std::make_shared<Arrivals>());
  std::vector<std::string> results(k_many);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < k_many; ++i) {
      threads.emplace_back([&, i] {
        all_are_here.count_down();
        results[i] = result_of(provider->sample(numbered_subject(i), {}));
      });
    }
  }
  for (int i = 0; i < k_many; ++i) {
    CHECK(results[i] == cat(i));
  }
  // One of the first; all others in as many as their names need, or a little later.
  CHECK(asked <= 15);
  for (const http::Request& request : fake->sent()) {
    CHECK(request.url.size() < 8'000);
  }
}

TEST_CASE("gathering: who comes alone is asked at once") {
  SlowSource source;
  source.let();
  const auto provider = in_front_of(source);
  CHECK(result_of(provider->sample(numbered_subject(1), {})) == "1");
  CHECK(result_of(provider->sample(numbered_subject(2), {})) == "2");
  CHECK(source.requests() == 2);
  CHECK(provider->samples({numbered_subject(3), numbered_subject(4)}, {}).size() == 2);
  CHECK(source.requests() == 3);
}

TEST_CASE("gathering: those who are on the way are waited for, but not for long") {
  SlowSource source;
  source.let();
  const auto arrivals = std::make_shared<Arrivals>();
  const auto provider = in_front_of(source, arrivals);
  SUBCASE("all come") {
    std::latch all_come(k_many);
    std::vector<std::jthread> threads;
    for (int i = 0; i < k_many; ++i) {
      threads.emplace_back([&, i] {
        const auto coming = arrivals->coming();
        all_come.arrive_and_wait();
        CHECK(result_of(provider->sample(numbered_subject(i), {})) == cat(i));
      });
    }
    threads.clear();
    CHECK(source.requests() <= k_many / 2);  // how few depends on what else the machine does
  }
  SUBCASE("one of them never asks") {
    const auto coming = arrivals->coming();
    const auto another = arrivals->coming();
    CHECK(result_of(provider->sample(numbered_subject(1), {})) == "1");
  }
}

TEST_CASE("gathering: who is stopped fails nobody else") {
  SlowSource source;
  const auto provider = in_front_of(source);
  Crowd crowd(*provider, k_many);
  source.wait_until_asked();
  for (int i = 0; i < k_many; i += 2) {
    crowd.stop(i);
  }
  source.let();
  const auto& results = crowd.results();
  for (int i = 1; i < k_many; i += 2) {
    CHECK(results[i] == cat(i));
  }
  for (int i = 0; i < k_many; i += 2) {
    CHECK((results[i] == k_reason_cancelled || results[i] == cat(i)));
  }
}

TEST_CASE("gathering: when all are stopped, so is the request; and the next one is asked") {
  SlowSource source;
  const auto provider = in_front_of(source);
  {
    Crowd crowd(*provider, k_many);
    source.wait_until_asked();
    for (int i = 0; i < k_many; ++i) {
      crowd.stop(i);
    }
    for (const std::string& result : crowd.results()) {
      CHECK(result == k_reason_cancelled);
    }
  }
  source.let();
  CHECK(result_of(provider->sample(numbered_subject(7), {})) == "7");
  std::stop_source stopped;
  stopped.request_stop();
  const std::string late = result_of(provider->sample(numbered_subject(8), stopped.get_token()));
  CHECK_MESSAGE((late == "8" || late == k_reason_cancelled), late);
  CHECK(result_of(provider->sample(numbered_subject(9), {})) == "9");
}

TEST_CASE("gathering: what goes wrong goes to all that asked") {
  SlowSource source;
  source.failure = k_reason_cannot_execute;
  const auto provider = in_front_of(source);
  Crowd crowd(*provider, k_many);
  source.let();
  for (const std::string& result : crowd.results()) {
    CHECK(result == k_reason_cannot_execute);
  }
}

TEST_CASE(
    "gathering: where the source throws, all that asked hear of it, and the next one is asked") {
  SlowSource source;
  source.throws = true;
  source.let();
  const auto provider = in_front_of(source);
  const auto thrown = provider->sample(numbered_subject(1), {});
  REQUIRE_FALSE(thrown);
  CHECK(thrown.error().reason == k_reason_error);
  CHECK(thrown.error().message == "unexpected: std::bad_alloc");
  CHECK(result_of(provider->sample(numbered_subject(2), {})) == "2");
}
