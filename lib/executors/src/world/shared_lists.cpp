#include "world/shared_lists.hpp"

#include <kubist/util/text.hpp>

namespace kubist::executors {

namespace {

constexpr std::chrono::seconds k_shared_age{1};

}  // namespace

SharedLists::Key SharedLists::key_of(const kube::Client& client, const kube::ApiResource& resource,
                                     const std::string& ns) {
  return {client.server(), util::cat(resource.api_version(), '/', resource.kind), ns};
}

std::uint64_t SharedLists::writes_to(const Key& key) {
  const std::lock_guard lock(m_mutex);
  return m_writes[key];
}

util::Result<SharedLists::Items> SharedLists::list(kube::Client& client,
                                                   const kube::ApiResource& resource,
                                                   const std::string& ns,
                                                   const std::string& project_ns,
                                                   const std::stop_token& stop) {
  const Key key = key_of(client, resource, ns);
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(m_mutex);
    auto& known = m_entries[{key, {&client.discovery(), client.impersonated_user()}}];
    if (!known) {
      known = std::make_shared<Entry>();
    }
    entry = known;
  }
  const std::lock_guard lock(entry->mutex);
  const auto now = Clock::now();
  const std::uint64_t writes = writes_to(key);
  if (entry->items && now - entry->began <= k_shared_age && entry->writes == writes) {
    return entry->items;
  }
  entry->items.reset();
  entry->reservation.reset();
  KUBIST_TRY(auto list, client.list(resource, ns, {}, stop));
  auto reservation = std::make_unique<kube::Reservation>(project_ns);
  for (const data::Json& item : list.items) {
    KUBIST_CHECK(reservation->take(item));
  }
  entry->reservation = std::move(reservation);
  entry->items = std::make_shared<const std::vector<data::Json>>(std::move(list.items));
  entry->began = now;
  entry->writes = writes;
  return entry->items;
}

void SharedLists::written(const kube::Client& client, const kube::ApiResource& resource,
                          const std::string& ns) {
  const std::lock_guard lock(m_mutex);
  ++m_writes[key_of(client, resource, ns)];
}

}  // namespace kubist::executors
