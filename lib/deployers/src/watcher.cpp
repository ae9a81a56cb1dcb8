#include "watcher.hpp"

#include <set>

#include <kubist/kube/watch.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {
namespace {

std::string key_of(const WatchRequest& request) {
  return util::cat(request.client->server(), " ", request.resource.path(request.ns, request.name),
                   " ", request.label_selector);
}

}  // namespace

void Watcher::set(const std::vector<WatchRequest>& requests) {
  std::set<std::string> wanted;
  for (const WatchRequest& request : requests) {
    const std::string key = key_of(request);
    wanted.insert(key);
    if (!m_threads.contains(key)) {
      m_threads[key] =
          std::jthread([this, request](const std::stop_token& stop) { run(request, stop); });
    }
  }
  std::erase_if(m_threads, [&](const auto& entry) { return !wanted.contains(entry.first); });
}

util::Result<> Watcher::wait(std::optional<std::chrono::milliseconds> limit) {
  std::unique_lock lock(m_mutex);
  const auto ready = [this] { return m_event || m_error; };
  if (limit) {
    m_changed.wait_for(lock, m_stop, *limit, ready);
  } else {
    m_changed.wait(lock, m_stop, ready);
  }
  m_event = false;
  if (m_error) {
    return util::fail(*m_error);
  }
  return {};
}

std::string Watcher::latest(const WatchRequest& request) const {
  const std::scoped_lock lock(m_mutex);
  const auto found = m_latest.find(key_of(request));
  return found == m_latest.end() ? std::string() : found->second;
}

void Watcher::wake(const std::string& key, std::string_view resource_version) {
  const std::scoped_lock lock(m_mutex);
  if (!resource_version.empty()) {
    m_latest[key] = resource_version;
  }
  m_event = true;
  m_changed.notify_all();
}

void Watcher::run(const WatchRequest& request, const std::stop_token& stop) {
  kube::WatchOptions options;
  options.resource = request.resource;
  options.ns = request.ns;
  options.name = request.name;
  options.label_selector = request.label_selector;
  const auto result = kube::watch(
      *request.client, options,
      [this, key = key_of(request)](const kube::WatchEvent& event) -> util::Result<> {
        if (event.type != kube::WatchEventType::bookmark) {
          // Of "relisted" it is the list's.
          wake(key, event.name.empty() ? std::string_view() : event.resource_version);
        }
        return {};
      },
      stop);
  if (!result && !stop.stop_requested()) {
    const std::scoped_lock lock(m_mutex);
    m_error = result.error();
    m_changed.notify_all();
  }
}

}  // namespace kubist::deployers
