#include "item/watcher.hpp"

#include <set>

#include <kubist/deployers/item.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {
namespace {

std::string key_of(const WatchRequest& request) {
  const kube::Interest& interest = request.interest;
  return util::cat(request.client->server(), " ",
                   interest.resource.path(interest.ns, interest.name), " ",
                   interest.label_selector);
}

}  // namespace

WatchRequest watch_of_item(const World& world, const std::string& ns, const std::string& name) {
  return {world.home, {deploy_items(), ns, name, {}, true}};
}

void Watcher::set(const std::vector<WatchRequest>& requests) {
  std::set<std::string> wanted;
  for (const WatchRequest& request : requests) {
    const std::string key = key_of(request);
    wanted.insert(key);
    if (!m_watches.contains(key)) {
      m_watches[key] = kube::subscribe(
          request.client, request.interest,
          {[this, key](std::string_view resource_version) { wake(key, resource_version); },
           [this](const util::Error& error) { fail(error); }});
    }
  }
  std::erase_if(m_watches, [&](const auto& entry) { return !wanted.contains(entry.first); });
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

void Watcher::fail(const util::Error& error) {
  const std::scoped_lock lock(m_mutex);
  m_error = error;
  m_changed.notify_all();
}

}  // namespace kubist::deployers
