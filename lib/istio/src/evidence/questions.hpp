#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kubist/istio/gather.hpp>
#include <kubist/util/deadline.hpp>

#include "evidence/memory.hpp"

namespace kubist::istio {

/// Objects that Questions::list() keeps of; more of the webhooks and control planes are not judged.
inline constexpr std::size_t k_most_listed = 10'000;
inline constexpr std::size_t k_most_revisions = 64;

inline constexpr std::string_view k_too_large = "apiserver:TooLarge";  ///< code of an Unread

/// Asks one API server several things at once, until a common deadline (`timeout` 0: none). It may
/// be a member's: no answer takes more memory than docs/reference/limits.md tells; Unread is
/// apiserver:TooLarge then.
class Questions {
 public:
  Questions(kube::Client& client, std::chrono::nanoseconds timeout, const std::stop_token& stop);

  kube::Client& client() { return m_client; }
  std::stop_token stop() const { return m_deadline.token(); }

  /// Runs them in threads, at most 16 at a time (they wait for the network), and waits for all.
  static void all(const std::vector<std::function<void()>>& questions);

  /// Lists of all namespaces are without the objects of these from here on, but for proxies.
  void leave_out(std::set<std::string, std::less<>> namespaces) {
    m_left_out = std::move(namespaces);
  }

  /// Each object of a list in all namespaces or one. A kind that is not served has no objects;
  /// one that cannot be read is passed over: a member may have written it.
  /// `take` says how many bytes it keeps of it; it may do so of `most`. True:
  /// ListOptions::max_objects cut it.
  using Take = std::function<std::size_t(const data::Json& object)>;
  Read<bool> each(const kube::ApiResource& resource, kube::ListOptions options, const Take& take,
                  std::string_view ns = {}, std::size_t most = k_most_listed);
  /// What `read` makes of each; those for which it has nothing are left out.
  template <class Reader>
  auto list(const kube::ApiResource& resource, const kube::ListOptions& options, const Reader& read,
            std::size_t most = k_most_listed)
      -> Read<std::vector<typename decltype(read(data::Json()))::value_type>> {
    std::vector<typename decltype(read(data::Json()))::value_type> found;
    const auto take = [&](const data::Json& object) {
      auto value = read(object);
      if (value) {
        found.push_back(std::move(*value));
      }
      return value ? bytes_of(found.back()) : 0;
    };
    return each(resource, options, take, {}, most).map([&](bool) { return std::move(found); });
  }
  /// The object at that path, or null where there is none.
  Read<data::Json> get(kube::ApiCall call, std::string_view resource);
  /// The error of a call as a state of its own.
  Unread unread(std::string_view resource, const util::Error& error) const;
  Unread too_large(std::string_view resource, std::string_view what) const;
  /// An object that cannot be read is not known of; any thread.
  void pass_over(std::string_view resource, const std::string& object, const util::Error& error);
  /// What was passed over, one for each kind.
  std::vector<Unread> passed_over();

 private:
  kube::Client& m_client;
  std::set<std::string, std::less<>> m_left_out;
  std::atomic<std::size_t> m_kept{0};  ///< bytes of what lists were read for
  util::Deadline m_deadline;
  std::mutex m_mutex;                                                   ///< guards what follows
  std::map<std::string, std::pair<std::size_t, std::string>> m_passed;  ///< how many, and the first
};

}  // namespace kubist::istio
