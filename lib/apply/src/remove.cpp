#include <algorithm>
#include <set>

#include <kubist/apply/remove.hpp>
#include <kubist/apply/wait.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/resources/ordering.hpp>

#include "calls.hpp"

namespace kubist::apply {

using data::Json;
using util::ErrorKind;

namespace {

/// One remove_set. One thread.
class Removal {
 public:
  Removal(kube::Client& client, const std::vector<Target>& targets, const RemoveOptions& options,
          std::stop_token stop)
      : m_client(client),
        m_targets(targets),
        m_options(options),
        m_stop(std::move(stop)),
        m_results(targets.size()),
        m_uids(targets.size()) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const Target& target = targets[i];
      m_results[i].index = i;
      m_results[i].ref = {target.resource.group, target.resource.kind, target.ns, target.name};
      m_results[i].api_version = target.resource.api_version();
      m_uids[i] = target.uid;
    }
  }

  Report run() {
    std::vector<resources::ObjectRef> refs;
    for (const ObjectResult& result : m_results) {
      refs.push_back(result.ref);
    }
    for (const auto& wave : resources::delete_waves(refs)) {
      remove_wave(wave.items);
    }
    m_report.stopped = m_stop.stop_requested();
    return std::move(m_report);
  }

 private:
  using Tags = std::vector<std::size_t>;
  using Delay = std::optional<std::chrono::milliseconds>;

  void remove_wave(const Tags& tags) {
    const Tags found = look_at(tags);
    const Tags rest = run_calls(
        m_client, found, [this](std::size_t tag) { return removal(tag); },
        [this](std::size_t tag, util::Result<kube::Reply> reply) {
          return take(tag, std::move(reply));
        },
        m_stop);
    for (const std::size_t tag : rest) {
      m_results[tag].outcome = Outcome::skipped;
      m_results[tag].message = "the run was stopped before it was deleted";
    }
    std::vector<Awaited> awaited;
    for (const std::size_t tag : tags) {
      const Target& target = m_targets[tag];
      if (m_results[tag].outcome == Outcome::deleted && !m_gone.contains(tag)) {
        awaited.push_back({target.resource, target.ns, target.name, m_uids[tag]});
      }
      m_report.results.push_back(std::move(m_results[tag]));
      if (m_options.on_result) {
        m_options.on_result(m_report.results.back());
      }
    }
    if (m_options.wait && m_options.dry_run == kube::DryRun::none && !awaited.empty()) {
      const WaitOptions wait{
          .timeout = time_left(), .events = false, .on_progress = m_options.on_progress};
      for (NotReady& left : wait_gone(m_client, awaited, wait, m_stop)) {
        m_report.not_ready.push_back(std::move(left));
      }
    }
  }

  /// Reads the uids that are not known, so that what was made again meanwhile is not deleted.
  Tags look_at(const Tags& tags) {
    Tags unknown;
    Tags found;
    for (const std::size_t tag : tags) {
      (m_uids[tag].empty() ? unknown : found).push_back(tag);
    }
    run_calls(
        m_client, unknown,
        [this](std::size_t tag) {
          kube::ApiCall call =
              kube::get(m_targets[tag].resource, m_targets[tag].ns, m_targets[tag].name);
          call.accept = kube::k_accept_metadata;
          return call;
        },
        [&](std::size_t tag, util::Result<kube::Reply> reply) -> Delay {
          const auto live = reply ? reply->json() : util::Result<Json>(tl::unexpect, reply.error());
          if (live) {
            m_uids[tag] = data::string_at(*live, {"metadata", "uid"});
            found.push_back(tag);
          } else if (live.error().kind == ErrorKind::forbidden) {
            found.push_back(tag);  // deleting may be allowed where reading is not
          } else if (!m_stop.stop_requested() || live.error().kind != ErrorKind::cancelled) {
            fail(tag, live.error());
          }  // else it is skipped
          return std::nullopt;
        },
        m_stop);
    for (const std::size_t tag : unknown) {
      if (m_stop.stop_requested() && m_results[tag].outcome == Outcome::skipped) {
        m_results[tag].message = "the run was stopped before it was deleted";
      }
    }
    return found;
  }

  kube::ApiCall removal(std::size_t tag) {
    const Target& target = m_targets[tag];
    kube::DeleteOptions options;
    options.uid = m_uids[tag];
    options.propagation = m_options.propagation;
    options.grace_seconds = m_options.grace_seconds;
    if (m_options.dry_run == kube::DryRun::server) {  // a client's records what a run would send
      options.dry_run = kube::DryRun::server;
    }
    kube::ApiCall call = kube::remove(target.resource, target.ns, target.name, options);
    if (m_options.keep_calls) {
      m_results[tag].calls.push_back(call);
    }
    if (m_options.dry_run == kube::DryRun::client) {
      call = kube::get(target.resource, target.ns, target.name);
      call.accept = kube::k_accept_metadata;
      return call;
    }
    call.permit = m_options.permit;
    return call;
  }

  Delay take(std::size_t tag, util::Result<kube::Reply> reply) {
    if (!reply) {
      fail(tag, reply.error());
      return std::nullopt;
    }
    m_results[tag].outcome = Outcome::deleted;
    m_results[tag].uid = m_uids[tag];
    m_results[tag].written = m_options.dry_run == kube::DryRun::none;
    // A Status says that it is gone; the object itself, that finalizers or a grace period hold it.
    const auto body = reply->json();
    if (body && data::string_at(*body, {"kind"}) == "Status") {
      m_gone.insert(tag);
    }
    return std::nullopt;
  }

  void fail(std::size_t tag, util::Error error) {
    const bool absent = error.kind == ErrorKind::not_found;
    if (absent && m_options.ignore_not_found) {
      m_results[tag].outcome = Outcome::unchanged;
      m_results[tag].message = "not found";
      return;
    }
    if (error.pos.origin.empty()) {
      error.pos = m_targets[tag].pos;
    }
    m_results[tag].outcome = Outcome::failed;
    m_results[tag].error = std::move(error);
  }

  std::chrono::nanoseconds time_left() const {
    if (m_options.timeout.count() == 0) {
      return m_options.timeout;
    }
    const auto left = m_options.timeout - (std::chrono::steady_clock::now() - m_start);
    return std::max<std::chrono::nanoseconds>(left, std::chrono::milliseconds(1));
  }

  kube::Client& m_client;
  const std::vector<Target>& m_targets;
  const RemoveOptions& m_options;
  std::stop_token m_stop;
  std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
  std::vector<ObjectResult> m_results;
  std::vector<std::string> m_uids;
  std::set<std::size_t> m_gone;
  Report m_report;
};

}  // namespace

Report remove_set(kube::Client& client, const std::vector<Target>& targets,
                  const RemoveOptions& options, std::stop_token stop) {
  return Removal(client, targets, options, std::move(stop)).run();
}

}  // namespace kubist::apply
