#pragma once
#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/apply/report.hpp>
#include <kubist/data/json.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/resources/readiness.hpp>

namespace kubist::apply {

/// One object to wait for.
struct Awaited {
  kube::ApiResource resource;
  std::string ns;
  std::string name;
  std::string uid;  ///< for wait_gone: another uid counts as gone; empty: any
};

/// What a condition says about one state of an object.
struct Judgement {
  bool done = false;
  bool failed = false;  ///< it will not come: waiting for this object ends
  std::string status;
  std::string message;
};

/// Judges an object's state; `live` is null while the server does not have it. Called on watch
/// threads, for one object at a time.
using Condition = std::function<Judgement(const data::Json* live)>;

struct WaitOptions {
  std::chrono::nanoseconds timeout{0};  ///< 0: none
  bool events = true;                   ///< fetch Warning events of what did not get ready
  /// Told what is waited for after `progress_every`, then whenever that has changed (looked at that
  /// often), and once in `heartbeat` where it has not.
  std::function<void(std::string_view)> on_progress;
  std::chrono::nanoseconds progress_every = std::chrono::seconds(5);
  std::chrono::nanoseconds heartbeat = std::chrono::seconds(30);
};

/// Waits by watches (one per resource and namespace, no polling) until `condition` holds for every
/// object, one of them failed and the others are decided, the timeout passes, or stop. What is left
/// is returned; empty: all done. An object whose watch is refused is left with that as its message.
std::vector<NotReady> wait_until(kube::Client& client, const std::vector<Awaited>& objects,
                                 const Condition& condition, const WaitOptions& options,
                                 std::stop_token stop = {});

/// wait_until with kstatus.
std::vector<NotReady> wait_ready(kube::Client& client, const std::vector<Awaited>& objects,
                                 resources::ReadyMode mode, const WaitOptions& options,
                                 std::stop_token stop = {});

/// Until the objects are gone or have another uid. What is left says which finalizers hold it.
std::vector<NotReady> wait_gone(kube::Client& client, const std::vector<Awaited>& objects,
                                const WaitOptions& options, std::stop_token stop = {});

/// What keeps an object that is being deleted: "held by its finalizers a, b", and of a Namespace
/// what is still in it.
std::string deletion_blockers(const data::Json& live);

}  // namespace kubist::apply
