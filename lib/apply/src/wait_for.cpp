#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include <kubist/apply/wait_for.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/watch.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::apply {
namespace {

using kube::WatchEventType;
using util::ErrorKind;
using Kind = WaitCondition::Kind;

/// One watch and the objects it waits for. Runs in its own thread.
class Waiter {
 public:
  Waiter(kube::Client& client, const kube::ApiResource& resource, std::string ns, std::string name,
         const WaitForOptions& options)
      : m_client(client), m_resource(resource), m_options(options) {
    m_watch.resource = resource;
    m_watch.ns = std::move(ns);
    m_watch.name = std::move(name);
    m_watch.label_selector = options.label_selector;
    m_watch.field_selector = options.field_selector;
    for (const WaitCondition& condition : options.conditions) {
      m_for_delete = m_for_delete || condition.kind == Kind::deleted;
      m_for_create = m_for_create || condition.kind == Kind::created;
      m_whole = m_whole || (condition.kind != Kind::deleted && condition.kind != Kind::created);
    }
    if (!m_watch.name.empty()) {
      m_pending.insert(m_watch.name);
    }
  }

  /// `met` is called when an object gets there.
  util::Result<> run(const std::stop_token& stop,
                     const std::function<void(const std::string&)>& met) {
    m_met = met;
    auto watched = kube::watch(
        m_client, m_watch, [this](const kube::WatchEvent& event) { return on_event(event); }, stop);
    if (m_done) {
      return {};
    }
    if (!watched) {
      return util::fail(std::move(watched).error());
    }
    return util::fail(ErrorKind::timeout,
                      util::cat("timed out waiting for the condition on ", pending_names()));
  }

 private:
  std::string pending_names() const {
    std::vector<std::string> names;
    for (const std::string& name : m_pending) {
      names.push_back(util::cat(m_resource.plural, '/', name));
    }
    return names.empty() ? m_resource.plural : util::join(names, ", ");
  }

  /// What tells objects apart: with all namespaces, names by themselves do not.
  std::string key_of(const kube::WatchEvent& event) const {
    return m_watch.ns.empty() && !event.ns.empty() ? util::cat(event.ns, '/', event.name)
                                                   : std::string(event.name);
  }

  util::Result<> on_event(const kube::WatchEvent& event) {
    switch (event.type) {
      case WatchEventType::listed:
        m_listed.insert(key_of(event));
        if (m_watch.name.empty() && !m_settled) {
          m_pending.insert(key_of(event));
        }
        return look_at_first(event);
      case WatchEventType::added:
      case WatchEventType::modified:
        return look_at_first(event);
      case WatchEventType::deleted:
        return gone(key_of(event));
      case WatchEventType::relisted:
        return end_of_list();
      default:
        return {};
    }
  }

  /// Where a selector meant nothing so far, the first object that it means is the one.
  util::Result<> look_at_first(const kube::WatchEvent& event) {
    if (std::exchange(m_awaits_first, false)) {
      m_pending.insert(key_of(event));
    }
    return look_at(event);
  }

  util::Result<> look_at(const kube::WatchEvent& event) {
    const std::string name = key_of(event);
    if (!m_pending.contains(name) || m_for_delete) {
      return {};
    }
    if (m_whole) {
      KUBIST_TRY(auto object, event.json());
      object["apiVersion"] = m_resource.api_version();
      object["kind"] = m_resource.kind;
      for (const WaitCondition& condition : m_options.conditions) {
        KUBIST_TRY(const bool met, is_met(condition, object, std::chrono::system_clock::now()));
        if (!met) {
          return {};
        }
      }
    }
    return got_there(name);
  }

  util::Result<> got_there(const std::string& name) {
    m_pending.erase(name);
    m_met(name.substr(name.rfind('/') + 1));
    return finish_when_all_are();
  }

  util::Result<> finish_when_all_are() {
    if (m_pending.empty() && (m_settled || !m_watch.name.empty())) {
      m_done = true;
      return util::fail(ErrorKind::cancelled, "all objects are there");  // ends the watch
    }
    return {};
  }

  util::Result<> gone(const std::string& name) {
    if (!m_pending.contains(name)) {
      return {};
    }
    if (m_for_delete) {
      return got_there(name);
    }
    if (m_for_create) {
      return {};
    }
    return util::fail(ErrorKind::not_found, util::cat(m_resource.group_resource(), " \"", name,
                                                      "\" was deleted while it was waited for"));
  }

  /// What was waited for and is not in a complete listing does not exist.
  util::Result<> end_of_list() {
    const bool first = !std::exchange(m_settled, true);
    if (first && m_watch.name.empty() && m_pending.empty() && m_listed.empty() && !m_for_delete) {
      if (!m_for_create) {
        return util::fail(ErrorKind::not_found, "no matching resources found");
      }
      m_awaits_first = true;
    }
    if (m_awaits_first) {
      return m_options.timeout == std::chrono::nanoseconds(0)
                 ? util::fail(ErrorKind::timeout, "no matching resources found")
                 : util::Result<>{};
    }
    const std::set<std::string> pending = m_pending;
    for (const std::string& name : pending) {
      if (m_listed.contains(name)) {
        continue;
      }
      if (first && !m_for_delete && !m_for_create) {
        return util::fail(kube::no_object(m_resource, name));
      }
      if (first && m_for_delete) {
        m_pending.erase(name);  // it has not been there: nothing to tell
      } else {
        KUBIST_CHECK(gone(name));
      }
    }
    m_listed.clear();
    if (m_options.timeout == std::chrono::nanoseconds(0) && !m_pending.empty()) {
      return util::fail(ErrorKind::timeout, util::cat("condition not met for ", pending_names()));
    }
    return finish_when_all_are();
  }

  kube::Client& m_client;
  const kube::ApiResource& m_resource;
  const WaitForOptions& m_options;
  kube::WatchOptions m_watch;
  std::function<void(const std::string&)> m_met;
  std::set<std::string> m_pending;
  std::set<std::string> m_listed;  ///< in the listing under way
  bool m_settled = false;          ///< it is known which objects a selector means
  bool m_awaits_first = false;     ///< to be made: the selector means nothing yet
  bool m_done = false;
  bool m_for_delete = false;
  bool m_for_create = false;
  bool m_whole = false;
};

/// Runs all waiters side by side; the first failure ends the others.
class Crew {
 public:
  Crew(const WaitForOptions& options, const std::stop_token& stop)
      : m_options(options), m_forward(stop, [this] { m_stop.request_stop(); }) {}

  void add(kube::Client& client, const Selection& target, const std::string& name) {
    {
      const std::lock_guard lock(m_mutex);
      ++m_running;
    }
    auto thread = util::start_thread([this, &client, &target, name](const std::stop_token&) {
      end(util::guarded([&] {
        Waiter waiter(client, target.resource, target.ns, name, m_options);
        return waiter.run(m_stop.get_token(), [&](const std::string& met) {
          const std::lock_guard lock(m_mutex);
          m_options.on_met(target.resource, met);
        });
      }));
    });
    if (thread) {
      m_threads.push_back(*std::move(thread));
    } else {
      end(util::fail(thread.error()));
    }
  }

  util::Result<> join(const std::stop_token& stop) {
    {
      std::unique_lock lock(m_mutex);
      const auto over = [this] { return m_running == 0 || failed_for_good(); };
      if (m_options.timeout && m_options.timeout->count() > 0) {
        m_changed.wait_for(lock, *m_options.timeout, over);
      } else {
        m_changed.wait(lock, over);
      }
      m_ended_early = failed_for_good();
    }
    m_stop.request_stop();
    m_threads.clear();  // joins
    if (stop.stop_requested()) {
      return util::fail(ErrorKind::cancelled, "stopped while waiting");
    }
    if (m_ended_early) {  // the others did not time out, they were told to stop
      std::erase_if(m_errors, [](const util::Error& e) { return e.kind == ErrorKind::timeout; });
    }
    if (!m_errors.empty()) {
      util::Error error = data::combine_errors(std::move(m_errors), "what was waited for");
      return util::fail(std::move(error));
    }
    return {};
  }

 private:
  void end(util::Result<> result) {
    const std::lock_guard lock(m_mutex);
    --m_running;
    if (!result) {
      m_errors.push_back(std::move(result).error());
    }
    m_changed.notify_all();
  }

  bool failed_for_good() const { return !m_errors.empty() && m_options.timeout != k_once; }

  static constexpr std::chrono::nanoseconds k_once{0};
  const WaitForOptions& m_options;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::size_t m_running = 0;
  bool m_ended_early = false;
  std::vector<util::Error> m_errors;
  std::stop_source m_stop;
  std::stop_callback<std::function<void()>> m_forward;
  std::vector<std::jthread> m_threads;
};

}  // namespace

util::Result<> wait_for(kube::Client& client, const std::vector<Selection>& objects,
                        const WaitForOptions& options, const std::stop_token& stop) {
  Crew crew(options, stop);
  for (const Selection& target : objects) {
    if (target.names.empty()) {
      crew.add(client, target, "");
    }
    for (const std::string& name : target.names) {
      crew.add(client, target, name);
    }
  }
  return crew.join(stop);
}

}  // namespace kubist::apply
