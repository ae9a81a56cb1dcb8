#pragma once
#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>

#include <kubist/executors/tree_view.hpp>
#include <kubist/kube/client.hpp>

namespace kubist::executors {

/// The tree as watches keep it, for readers outside a run: each kind is listed once, as long as it
/// can be watched. One thread.
class TreeWatch {
 public:
  /// Of what load_tree_view() loads of these namespaces. `away` gets a line where a
  /// kind cannot be watched at present, and where it can again; on another thread. Throws where the
  /// process may have no more threads, as next() does when a kind is new.
  TreeWatch(std::shared_ptr<kube::Client> home, std::set<std::string> namespaces,
            std::function<void(const std::string& line)> away);
  ~TreeWatch();
  TreeWatch(const TreeWatch&) = delete;
  TreeWatch& operator=(const TreeWatch&) = delete;

  /// The tree: the first time at once, later when some of it may have changed, and every ten
  /// seconds while some of it cannot be read or watched. Errors are those of
  /// load_tree_view(), and the next call tries again after a while; cancelled: by `stop`.
  util::Result<TreeView> next(const std::stop_token& stop);

 private:
  class State;
  std::unique_ptr<State> m_state;
};

}  // namespace kubist::executors
