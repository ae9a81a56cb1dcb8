#include <optional>
#include <utility>

#include <kubist/http/inflow.hpp>
#include <kubist/kube/watch.hpp>
#include <kubist/util/threads.hpp>

#include "watch_threads.hpp"
#include "watch_turns.hpp"

namespace kubist::kube {
namespace {

constexpr std::chrono::seconds k_begin_again{10};

}  // namespace

class StandingWatch::State final : public WatchThreads::Job {
 public:
  State(std::shared_ptr<Client> client, WatchOptions options, WatchHandler handler,
        std::function<void(const util::Error&)> ended)
      : m_client(std::move(client)),
        m_options(std::move(options)),
        m_handler(std::move(handler)),
        m_ended(std::move(ended)),
        m_turns(*m_client, m_options, m_handler, m_stop.get_token()) {}
  ~State() override {
    m_stop.request_stop();  // ends a listing, and what is handed over of it and of a connection
    m_client->watch_threads().remove(*this);
    m_inflow.reset();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  util::Result<> start() {
    KUBIST_CHECK(m_client->watch_threads().start());
    wake();
    return {};
  }

  void run() override {
    if (!util::guarded([this] { turn(); })) {  // what is told of trouble has failed
      wake(WatchThreads::Clock::now() + k_begin_again);
    }
  }

 private:
  void turn() {
    if (m_over || m_stop.stop_requested()) {
      return;
    }
    if (!m_inflow && WatchThreads::Clock::now() < m_not_before) {
      return wake(m_not_before);  // by news of a connection that had ended
    }
    auto pause = util::guarded([this] { return go_on(); });
    if (!pause) {
      m_inflow.reset();
      const auto& ended = m_turns.is_refused() ? m_options.on_refused : m_ended;
      m_over = ended != nullptr;
      if (m_over) {
        return ended(pause.error());
      }
      m_turns.begin_again();
      m_options.on_trouble(pause.error());
      pause = k_begin_again;
    }
    if (*pause) {
      m_not_before = WatchThreads::Clock::now() + **pause;
      wake(m_not_before);
    }
  }

  /// How long until there is more to do; nothing: until somebody wakes it. An error ends it.
  util::Result<std::optional<std::chrono::milliseconds>> go_on() {
    if (m_inflow) {
      auto outcome = take_news();
      if (!outcome) {
        return std::nullopt;
      }
      m_inflow.reset();
      return m_turns.pause_after(m_turns.end(*std::move(outcome)));
    }
    if (m_turns.lists()) {
      return m_turns.pause_after(m_turns.list());
    }
    m_goes_on = true;
    m_inflow.emplace(m_client->transport(), m_turns.begin(), [this] { wake(); });
    return std::nullopt;
  }

  /// How the connection ended; nothing: it stands.
  std::optional<util::Result<http::Response>> take_news() {
    http::Inflow::News news = m_inflow->take();
    if (!news.bytes.empty() && m_goes_on) {
      m_goes_on = m_turns.feed(news.bytes);
      if (!m_goes_on) {
        m_inflow->cancel();
      }
    }
    return std::move(news.outcome);
  }

  void wake(WatchThreads::Time when = WatchThreads::Time::min()) {
    m_client->watch_threads().wake(*this, when);
  }

  const std::shared_ptr<Client> m_client;
  const WatchOptions m_options;
  const WatchHandler m_handler;
  const std::function<void(const util::Error&)> m_ended;  ///< null: it does not end
  std::stop_source m_stop;
  // Of its run:
  WatchTurns m_turns;
  std::optional<http::Inflow> m_inflow;  ///< the connection that stands
  bool m_goes_on = true;                 ///< what comes on it is still wanted
  WatchThreads::Time m_not_before = WatchThreads::Time::min();  ///< what is next after a pause
  bool m_over = false;
};

StandingWatch::StandingWatch() = default;
StandingWatch::StandingWatch(std::unique_ptr<State> state) : m_state(std::move(state)) {}
StandingWatch::~StandingWatch() = default;
StandingWatch::StandingWatch(StandingWatch&&) noexcept = default;
StandingWatch& StandingWatch::operator=(StandingWatch&&) noexcept = default;

util::Result<StandingWatch> StandingWatch::begin(std::shared_ptr<Client> client,
                                                 WatchOptions options, WatchHandler handler,
                                                 std::function<void(const util::Error&)> ended) {
  auto state = std::make_unique<State>(std::move(client), std::move(options), std::move(handler),
                                       std::move(ended));
  KUBIST_CHECK(state->start());
  return StandingWatch(std::move(state));
}

util::Result<StandingWatch> StandingWatch::begin_lasting(std::shared_ptr<Client> client,
                                                         WatchOptions options,
                                                         WatchHandler handler) {
  options.lasting = true;
  if (!options.on_trouble) {
    options.on_trouble = [](const util::Error&) {};
  }
  return begin(std::move(client), std::move(options), std::move(handler), nullptr);
}

}  // namespace kubist::kube
