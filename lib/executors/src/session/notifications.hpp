#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <string>

#include <kubist/executors/session.hpp>
#include <kubist/executors/status_store.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/notify/courier.hpp>
#include <kubist/notify/post.hpp>
#include <kubist/notify/sink.hpp>

#include "world/namespace_set.hpp"

namespace kubist::executors {

/// Tells the sinks of Projects what changed, in the background: no run waits for a receiver.
/// Outlives the runs; its end gives what is under way a few seconds.
class Notifications {
 public:
  Notifications(std::shared_ptr<kube::Client> home, NotificationHooks hooks);

  /// Tells what changed in one run; reads the Secrets that this takes, and waits for nothing else.
  void tell(const engine::Graph& graph, const engine::RunInfo& run,
            const std::map<engine::NodeId, StatusChange>& changes);

 private:
  struct Place;
  void tell_sink(const Place& place, const notify::Sink& sink, const notify::Batch& batch);
  util::Result<> post(const Place& place, const notify::Sink& sink, const notify::Batch& batch);
  util::Result<std::string> address_of(const Place& place, const notify::Sink& sink);
  util::Result<std::string> read_secret(const Place& place, const notify::SecretKey& from);
  void make_events(const notify::Sink& sink, const notify::Batch& batch);

  std::shared_ptr<kube::Client> m_home;
  NotificationHooks m_hooks;
  std::atomic<int> m_tellings = 0;
  /// Where the caller may not make Events: where nobody asked for them one try is enough. Shared
  /// with what is under way.
  std::shared_ptr<NamespaceSet> m_refused = std::make_shared<NamespaceSet>();
  notify::Courier m_courier;
};

}  // namespace kubist::executors
