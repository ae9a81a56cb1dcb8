#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include <kubist/apply/wait.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/watch.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "warning_events.hpp"

namespace kubist::apply {
namespace {

using data::Json;
using kube::WatchEventType;
using resources::ObjectView;
using util::cat;

using Clock = std::chrono::steady_clock;

constexpr std::size_t k_progress_names = 3;

/// What is known about one awaited object.
struct Entry {
  const Awaited* object = nullptr;
  Judgement judgement{
      .done = false, .failed = false, .status = "Unknown", .message = "not seen yet"};
  bool seen = false;  ///< in the listing that is going on
  bool decided() const { return judgement.done || judgement.failed; }
};

/// Objects of one resource in one namespace, watched by one thread.
struct Group {
  const Awaited* first = nullptr;
  std::map<std::string, Entry, std::less<>> entries;  ///< by name
};

class Waiting {
 public:
  Waiting(kube::Client& client, const std::vector<Awaited>& objects, const Condition& condition)
      : m_client(client), m_condition(condition), m_pending(objects.size()) {
    for (const Awaited& object : objects) {
      Group& group = m_groups[cat(object.resource.version, '/', object.resource.group_resource(),
                                  ' ', object.ns)];
      group.first = &object;
      group.entries[object.name].object = &object;
    }
  }

  void run(const WaitOptions& options, const std::stop_token& stop) {
    std::stop_source ended;
    const std::stop_callback forward(stop, [&ended] { ended.request_stop(); });
    std::vector<std::jthread> threads;
    for (auto& [key, group] : m_groups) {
      auto thread = util::start_thread(
          [this, &group = group, token = ended.get_token()](const std::stop_token&) {
            settle(group, util::guarded([&] { return watch_group(group, token); }), token);
          });
      if (thread) {
        threads.push_back(*std::move(thread));
      } else {
        settle(group, util::fail(thread.error()), ended.get_token());
      }
    }
    const auto deadline =
        options.timeout.count() > 0 ? std::optional(Clock::now() + options.timeout) : std::nullopt;
    auto next_progress = Clock::now() + options.progress_every;
    std::string said;
    Clock::time_point said_at;
    std::unique_lock lock(m_mutex);
    while (m_pending > 0 && !stop.stop_requested() && (!deadline || Clock::now() < *deadline)) {
      const auto until = deadline ? std::min(*deadline, next_progress) : next_progress;
      m_changed.wait_until(lock, stop, until, [this] { return m_pending == 0; });
      const auto now = Clock::now();
      if (m_pending == 0 || now < next_progress) {
        continue;
      }
      next_progress = now + options.progress_every;
      const std::string line = progress();
      if (options.on_progress && (line != said || now - said_at >= options.heartbeat)) {
        said = line;
        said_at = now;
        lock.unlock();
        options.on_progress(line);
        lock.lock();
      }
    }
    lock.unlock();
    ended.request_stop();
  }

  std::vector<NotReady> left() const {
    std::vector<NotReady> result;
    for (const auto& [key, group] : m_groups) {
      for (const auto& [name, entry] : group.entries) {
        if (!entry.judgement.done) {
          const Awaited& object = *entry.object;
          result.push_back({{object.resource.group, object.resource.kind, object.ns, object.name},
                            entry.judgement.status,
                            entry.judgement.message,
                            entry.judgement.failed,
                            {}});
        }
      }
    }
    return result;
  }

 private:
  util::Result<> watch_group(Group& group, const std::stop_token& stop) {
    kube::WatchOptions options;
    options.resource = group.first->resource;
    options.ns = group.first->ns;
    if (group.entries.size() == 1) {
      options.name = group.first->name;
    }
    options.on_trouble = [&](const util::Error& error) { note_trouble(group, error); };
    return kube::watch(
        m_client, options, [&](const kube::WatchEvent& event) { return take(group, event); }, stop);
  }

  /// What a watch that failed leaves undecided never will be.
  void settle(Group& group, const util::Result<>& ended, const std::stop_token& stop) {
    if (!ended && !stop.stop_requested()) {
      const std::lock_guard lock(m_mutex);
      for (auto& [name, entry] : group.entries) {
        if (!entry.decided()) {
          decide(entry, {false, true, "Unknown", ended.error().message});
        }
      }
    }
  }

  void note_trouble(Group& group, const util::Error& error) {
    const std::lock_guard lock(m_mutex);
    for (auto& [name, entry] : group.entries) {
      if (!entry.decided()) {
        entry.judgement.message = error.message;
      }
    }
  }

  util::Result<> take(Group& group, const kube::WatchEvent& event) {
    if (event.type == WatchEventType::relisted) {
      const std::lock_guard lock(m_mutex);
      for (auto& [name, entry] : group.entries) {
        if (!entry.seen) {
          judge(entry, nullptr);
        }
        entry.seen = false;
      }
      return end_of(group);
    }
    const auto found = group.entries.find(event.name);
    if (event.type == WatchEventType::bookmark || found == group.entries.end()) {
      return {};
    }
    const std::lock_guard lock(m_mutex);
    found->second.seen = event.type == WatchEventType::listed;
    if (event.type == WatchEventType::deleted) {
      judge(found->second, nullptr);
      return end_of(group);
    }
    KUBIST_TRY(Json object, event.json());
    object["apiVersion"] = group.first->resource.api_version();
    object["kind"] = group.first->resource.kind;
    judge(found->second, &object);
    return end_of(group);
  }

  /// Ends the watch of a group that has nothing left to wait for.
  util::Result<> end_of(const Group& group) {
    const bool all = std::all_of(group.entries.begin(), group.entries.end(),
                                 [](const auto& entry) { return entry.second.decided(); });
    if (all) {
      return util::fail(util::ErrorKind::cancelled, "nothing left to wait for");
    }
    return {};
  }

  void judge(Entry& entry, const Json* live) {
    if (!entry.decided()) {
      decide(entry, m_condition(live));
    }
  }

  void decide(Entry& entry, Judgement judgement) {
    entry.judgement = std::move(judgement);
    if (entry.decided()) {
      --m_pending;
      m_changed.notify_all();
    }
  }

  std::string progress() const {
    std::vector<std::string> names;
    for (const auto& [key, group] : m_groups) {
      for (const auto& [name, entry] : group.entries) {
        if (!entry.decided() && names.size() < k_progress_names) {
          names.push_back(
              cat(entry.object->resource.kind, '/', name, " (", entry.judgement.message, ')'));
        }
      }
    }
    return cat("waiting for ", m_pending,
               m_pending == 1 ? " object: " : " objects: ", util::join(names, ", "),
               m_pending > names.size() ? ", ..." : "");
  }

  kube::Client& m_client;
  const Condition& m_condition;
  std::map<std::string, Group> m_groups;
  std::mutex m_mutex;
  std::condition_variable_any m_changed;
  std::size_t m_pending;
};

}  // namespace

std::vector<NotReady> wait_until(kube::Client& client, const std::vector<Awaited>& objects,
                                 const Condition& condition, const WaitOptions& options,
                                 std::stop_token stop) {
  if (objects.empty()) {
    return {};
  }
  Waiting waiting(client, objects, condition);
  waiting.run(options, stop);
  std::vector<NotReady> left = waiting.left();
  if (options.events && !stop.stop_requested()) {
    add_warning_events(client, left, stop);
  }
  return left;
}

std::vector<NotReady> wait_ready(kube::Client& client, const std::vector<Awaited>& objects,
                                 resources::ReadyMode mode, const WaitOptions& options,
                                 std::stop_token stop) {
  const Condition condition = [mode](const Json* live) -> Judgement {
    const resources::Readiness state =
        live == nullptr ? resources::not_found()
                        : resources::readiness(*live, std::chrono::system_clock::now(), mode);
    std::string message = state.message.empty() ? state.reason : state.message;
    return {state.status == resources::Status::current, state.status == resources::Status::failed,
            std::string(resources::to_string(state.status)), std::move(message)};
  };
  return wait_until(client, objects, condition, options, std::move(stop));
}

std::string deletion_blockers(const Json& live) {
  const ObjectView view(live);
  const auto finalizers = view.finalizers();
  std::string message = "still there";
  if (!finalizers.empty()) {
    message =
        cat("held by its finalizers ", util::join({finalizers.begin(), finalizers.end()}, ", "));
  }
  for (const auto& remaining : view.conditions()) {
    // A Namespace says there what it still contains.
    if (remaining.type.ends_with("Remaining") && remaining.status == "True") {
      message += cat("; ", remaining.message);
    }
  }
  return message;
}

std::vector<NotReady> wait_gone(kube::Client& client, const std::vector<Awaited>& objects,
                                const WaitOptions& options, std::stop_token stop) {
  std::map<std::string, std::string> uids;
  for (const Awaited& object : objects) {
    uids[cat(object.resource.kind, ' ', object.ns, ' ', object.name)] = object.uid;
  }
  const Condition condition = [&uids](const Json* live) -> Judgement {
    if (live == nullptr) {
      return {true, false, "NotFound", ""};
    }
    const ObjectView view(*live);
    const std::string& uid = uids[cat(view.kind(), ' ', view.ns(), ' ', view.name())];
    if (!uid.empty() && view.uid() != uid) {
      return {true, false, "NotFound", ""};
    }
    return {false, false, "Terminating", deletion_blockers(*live)};
  };
  return wait_until(client, objects, condition, options, std::move(stop));
}

}  // namespace kubist::apply
