#pragma once
#include <atomic>
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include <kubist/data/json_stream.hpp>
#include <kubist/kube/watch.hpp>

namespace kubist::kube {

/// What a watch does by turns, listings and connections, apart from who waits for it. One thread at
/// a time. The reflector of client-go (tools/cache/reflector.go), without a store.
class WatchTurns {
 public:
  /// After a stop nothing more is handed over, of what has come already either: that may be much,
  /// and somebody waits. REQUIRES: all outlive it.
  WatchTurns(Client& client, const WatchOptions& options, const WatchHandler& handler,
             std::stop_token stop);

  /// Is a listing next, or a connection?
  bool lists() const { return m_version.empty(); }
  util::Result<> list();
  /// One connection: its request, what comes of its body, and its end, an error of which feed()
  /// told before included; success when the server closed it in its usual way.
  http::Request begin();
  bool feed(std::string_view bytes);  ///< false: end it
  util::Result<> end(util::Result<http::Response> outcome);

  /// The error that ends it is the answer that WatchOptions::on_refused is for.
  bool is_refused() const { return m_refused; }

  /// After an error that its handler gave: a listing is next.
  void begin_again();

  /// What comes after a turn: how long until the next one. The error of the turn: the watch ends.
  /// What fails after a stop was requested may have failed by it, and is no trouble.
  util::Result<std::chrono::milliseconds> pause_after(util::Result<> turn);

 private:
  util::Result<> hand_over(const WatchEvent& event);
  util::Result<> on_event(const data::WatchEvent& event);
  ApiCall watch_call() const;

  Client& m_client;
  const WatchOptions& m_options;
  const WatchHandler& m_handler;
  const std::stop_token m_stop;
  std::string m_version;
  std::string m_field_selector;
  bool m_broke_off = false;  ///< a listing, after it had handed something over
  bool m_handler_failed = false;
  bool m_listed = false;  ///< a listing was complete
  bool m_refused = false;
  int m_failures = 0;
  int m_short = 0;                   ///< connections in a row that ended at once
  std::atomic<bool> m_away = false;  ///< asked without success, and not watched by since
  // Of the connection:
  std::string m_url;
  std::chrono::steady_clock::time_point m_began;
  std::optional<data::WatchDecoder> m_decoder;
  std::optional<util::Error> m_fault;
  std::size_t m_events = 0;
};

}  // namespace kubist::kube
