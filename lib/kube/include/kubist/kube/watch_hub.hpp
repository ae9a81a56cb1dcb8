#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <kubist/kube/client.hpp>

namespace kubist::kube {

/// Whose changes somebody waits for: one object, or, without a name, all that have the labels.
struct Interest {
  ApiResource resource;
  std::string ns;  ///< empty: all namespaces (or a cluster-scoped kind)
  std::string name = {};
  std::string label_selector = {};
  /// Many wait for single objects of this kind, place and labels: one watch of all of them serves
  /// everybody, instead of a watch for each name.
  bool shared = false;
};

/// What a subscriber is told, on the watch's thread, one call at a time: be quick, do not block, do
/// not end a subscription in there.
struct WakeHandlers {
  /// Something changed, or may have: the resourceVersion that the object has now (of a deleted one
  /// its last); empty where that is not known.
  std::function<void(std::string_view resource_version)> changed;
  /// The watch was refused (403, no such kind) and has ended: no more calls.
  std::function<void(const util::Error&)> failed;
};

/// Ends the interest with its life; no handler runs after that.
class Subscription {
 public:
  Subscription();  ///< no interest
  ~Subscription();
  Subscription(Subscription&&) noexcept;
  Subscription& operator=(Subscription&&) noexcept;

 private:
  friend Subscription subscribe(const std::shared_ptr<Client>&, const Interest&, WakeHandlers);
  struct State;
  explicit Subscription(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

/// Watches from now on. Equal interests in one client share one watch, which lasts as long
/// as somebody is interested. `changed` is called at least once after the begin, for what
/// happened before it. Watches read only metadata. Any thread.
Subscription subscribe(const std::shared_ptr<Client>& client, const Interest& interest,
                       WakeHandlers handlers);

}  // namespace kubist::kube
