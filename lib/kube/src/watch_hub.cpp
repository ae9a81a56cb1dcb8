#include "watch_hub.hpp"

#include <list>
#include <optional>

#include <kubist/kube/watch.hpp>
#include <kubist/kube/watch_hub.hpp>
#include <kubist/util/text.hpp>

#include "client_impl.hpp"

namespace kubist::kube {
namespace {

constexpr std::size_t k_most_objects = 100'000;

}  // namespace

/// One watch, and those whom it wakes.
class Feed {
 public:
  struct Listener {
    std::string name;  // empty: every object
    WakeHandlers handlers;
  };
  using Place = std::list<Listener>::iterator;

  Feed(std::shared_ptr<Client> client, WatchOptions options)
      : m_client(std::move(client)), m_options(std::move(options)) {}

  /// Apart from the constructor: the watch must not see a feed half made.
  void start() {
    auto watch = StandingWatch::begin(
        m_client, m_options,
        [this](const WatchEvent& event) -> util::Result<> {
          const std::scoped_lock lock(m_mutex);
          return take(event);
        },
        [this](const util::Error& error) { end(error); });
    if (watch) {
      m_watch = *std::move(watch);
    } else {
      end(watch.error());
    }
  }

  Place add(Listener listener) {
    const std::scoped_lock lock(m_mutex);
    m_listeners.push_back(std::move(listener));
    const Place place = std::prev(m_listeners.end());
    if (m_listed) {
      tell(*place);
    }
    if (m_error) {
      place->handlers.failed(*m_error);
    }
    return place;
  }

  void remove(Place place) {
    const std::scoped_lock lock(m_mutex);
    m_listeners.erase(place);
  }

  bool failed() const {
    const std::scoped_lock lock(m_mutex);
    return m_error.has_value();
  }

 private:
  void end(const util::Error& error) {
    const std::scoped_lock lock(m_mutex);
    m_error = error;
    for (const Listener& listener : m_listeners) {
      listener.handlers.failed(*m_error);
    }
  }

  util::Result<> take(const WatchEvent& event) {
    if (std::max(m_versions.size(), m_listing.size()) > k_most_objects) {
      return util::fail(util::ErrorKind::invalid,
                        util::cat("a watch of ", m_options.resource.group_resource(),
                                  " has more than ", k_most_objects, " objects"),
                        "See docs/reference/limits.md.");
    }
    if (event.type == WatchEventType::bookmark || event.name.size() > k_longest_name) {
      return {};
    }
    if (event.type == WatchEventType::listed) {
      m_listing[std::string(event.name)] = event.resource_version;
      return {};
    }
    if (event.type == WatchEventType::relisted) {
      m_versions = std::exchange(m_listing, {});
      m_listed = true;
      for (const Listener& listener : m_listeners) {
        tell(listener);
      }
      return {};
    }
    const std::string name(event.name);
    m_versions[name] = event.resource_version;
    for (const Listener& listener : m_listeners) {
      if (listener.name.empty() || listener.name == name) {
        listener.handlers.changed(event.resource_version);
      }
    }
    if (event.type == WatchEventType::deleted) {
      m_versions.erase(name);
    }
    return {};
  }

  void tell(const Listener& listener) const {
    const auto known = m_versions.find(listener.name);
    listener.handlers.changed(known == m_versions.end() ? std::string_view() : known->second);
  }

  const std::shared_ptr<Client> m_client;
  const WatchOptions m_options;
  mutable std::mutex m_mutex;
  std::list<Listener> m_listeners;
  bool m_listed = false;
  std::optional<util::Error> m_error;
  std::map<std::string, std::string> m_versions;  // by name, as the last event told
  std::map<std::string, std::string> m_listing;   // of a listing under way
  StandingWatch m_watch;                          // last: it ends before what it uses
};

struct Subscription::State {
  std::shared_ptr<Feed> feed;
  Feed::Place place;
};

Subscription::Subscription() = default;
Subscription::Subscription(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Subscription::Subscription(Subscription&&) noexcept = default;
Subscription& Subscription::operator=(Subscription&& other) noexcept {
  std::swap(m_state, other.m_state);
  return *this;
}
Subscription::~Subscription() {
  if (m_state) {
    m_state->feed->remove(m_state->place);
  }
}

Subscription subscribe(const std::shared_ptr<Client>& client, const Interest& interest,
                       WakeHandlers handlers) {
  WatchOptions options;
  options.resource = interest.resource;
  options.ns = interest.ns;
  options.name = interest.shared ? std::string() : interest.name;
  options.label_selector = interest.label_selector;
  options.form = Form::metadata;
  const std::string key =
      util::cat(options.resource.path(options.ns, options.name), " ", options.label_selector);
  WatchHub& hub = client->watch_hub();
  std::shared_ptr<Feed> feed;
  {
    const std::scoped_lock lock(hub.mutex);
    std::erase_if(hub.feeds, [](const auto& entry) { return entry.second.expired(); });
    feed = hub.feeds[key].lock();
    if (!feed || feed->failed()) {
      feed = std::make_shared<Feed>(client, std::move(options));
      feed->start();
      hub.feeds[key] = feed;
    }
  }
  const Feed::Place place = feed->add({interest.name, std::move(handlers)});
  return Subscription(
      std::make_unique<Subscription::State>(Subscription::State{std::move(feed), place}));
}

}  // namespace kubist::kube
