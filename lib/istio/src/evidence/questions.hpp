#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include <kubist/istio/gather.hpp>

namespace kubist::istio {

/// Asks one API server several things at once, until a common deadline.
class Questions {
 public:
  Questions(kube::Client& client, std::chrono::milliseconds timeout, const std::stop_token& stop);

  kube::Client& client() { return m_client; }
  std::stop_token stop() const { return m_deadline.get_token(); }

  /// Runs them in threads, at most 16 at a time (they wait for the network), and waits for all.
  static void all(const std::vector<std::function<void()>>& questions);

  /// A list in all namespaces or one. A kind that is not served has no objects; one that cannot be
  /// read is passed over: a member may have written it.
  Read<std::vector<data::Json>> list(const kube::ApiResource& resource,
                                     const kube::ListOptions& options, std::string_view ns = {});
  /// The object at that path, or null where there is none.
  Read<data::Json> get(const kube::ApiCall& call, std::string_view resource);
  /// The error of a call as a state of its own.
  Unread unread(std::string_view resource, const util::Error& error) const;
  /// An object that cannot be read is not known of; any thread.
  void pass_over(std::string_view resource, const std::string& object, const util::Error& error);
  /// What was passed over, one for each kind.
  std::vector<Unread> passed_over();

 private:
  kube::Client& m_client;
  std::stop_source m_deadline;
  std::stop_callback<std::function<void()>> m_forward;
  std::jthread m_timer;
  std::mutex m_mutex;                                                   ///< guards what follows
  std::map<std::string, std::pair<std::size_t, std::string>> m_passed;  ///< how many, and the first
};

}  // namespace kubist::istio
