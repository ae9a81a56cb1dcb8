#pragma once
#include <atomic>
#include <thread>

#include "backend.hpp"

/// Two versions behind the real gateway, and requests to them for as long as a test takes.
namespace traffic_test {

/// Requests to the stage's host, one after the other in batches, until it goes.
class Load {
 public:
  explicit Load(Stage& stage) : Load(stage, host_of(stage), {"-n", "400", "-c", "4"}) {}
  /// `batch`: words of h2load.
  Load(Stage& stage, const std::string& host, Words batch) : m_words(std::move(batch)) {
    m_words.insert(m_words.begin(), {"h2load", "--h1", "-t", "1"});
    m_words.push_back(cat("--connect-to=", gateway_address(stage), ":80"));
    m_words.push_back(cat("http://", host, "/"));
    m_thread = std::thread([this] {
      while (!m_over) {
        count(run_command(m_words));
      }
    });
  }
  ~Load() { stop(); }
  void stop() {
    m_over = true;
    if (m_thread.joinable()) {
      m_thread.join();
    }
  }
  int total = 0, server_errors = 0, lost = 0;  ///< after stop()

 private:
  void count(const CommandResult& result) {
    for (const std::string& line : kubist::util::split(result.out, '\n')) {
      int done = 0, ok = 0, moved = 0, client = 0, server = 0;
      if (std::sscanf(line.c_str(), "status codes: %d 2xx, %d 3xx, %d 4xx, %d 5xx", &ok, &moved,
                      &client, &server) == 4) {
        server_errors += server;
        lost += client + moved;
      } else if (std::sscanf(line.c_str(), "requests: %d total", &done) == 1) {
        total += done;
      }
    }
  }
  Words m_words;
  std::atomic<bool> m_over = false;
  std::thread m_thread;
};

/// All to v1 behind the gateway; v2 answers this share of its requests with 500, all after `delay`.
inline void set_up(Stage& stage, int percent_bad, const std::string& delay = "") {
  stage.reconcile();
  put("home", {backend(stage.ns(), "v1"), backend(stage.ns(), "v2", percent_bad, delay)});
  stage.apply("Destination", "web", k_destination);
  stage.apply("EntryGateway", "entry",
              cat("{servers: [{port: 80, hosts: [", host_of(stage), "]}]}"));
  stage.apply("TrafficRoute", "web",
              cat("{hosts: [", host_of(stage),
                  "], gateways: [entry], routes: [{weights: "
                  "[{destination: web, version: v1}]}]}"));
  must(stage.reconcile("300s"));
  await_ready(stage.ns(), {"web-v1", "web-v2"});
  const std::string url = cat("http://", gateway_address(stage), "/");
  REQUIRE(eventually(
      [&] {
        return run_command({"curl", "-sf", "-H", cat("Host: ", host_of(stage)), url}).out == "v1";
      },
      120));
}

}  // namespace traffic_test
