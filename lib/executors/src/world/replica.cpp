#include <utility>

#include <kubist/executors/object_source.hpp>
#include <kubist/executors/replica.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/process_mark.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "world/lease_record.hpp"

namespace kubist::executors {

using data::Json;
using engine::LockState;
using util::cat;
using util::ErrorKind;

namespace {

constexpr std::chrono::seconds k_last_wait{2};  // for the deletion of its Lease
constexpr int k_attempts = 2;                   // to renew it at once where others changed it

}  // namespace

Replica::Replica(std::shared_ptr<kube::Client> home, Options options)
    : m_home(std::move(home)), m_options(std::move(options)) {}

Replica::~Replica() { end(); }

std::shared_ptr<const Term> Replica::term() const {
  const std::lock_guard lock(m_mutex);
  return m_term;
}

void Replica::say(const std::string& line) const {
  if (m_options.tell) {
    m_options.tell(line);
  }
}

util::Result<> Replica::start(const std::stop_token& stop) {
  KUBIST_CHECK(check_namespace(stop));
  KUBIST_CHECK(renew(stop));
  KUBIST_TRY(m_thread, util::start_thread([this](const std::stop_token& own) {
               while (util::sleep_for(m_options.times.retry, own)) {
                 static_cast<void>(util::guarded([&] { renew_and_tell(own); }));
               }
             }));
  return {};
}

void Replica::renew_and_tell(const std::stop_token& stop) {
  const auto renewed = util::guarded([&] { return renew(stop); });
  if (!renewed && !std::exchange(m_failing, true) && !stop.stop_requested()) {
    say(cat(renewed.error().to_string(), "; it is tried again"));
  }
  m_failing = !renewed;
}

util::Result<> Replica::check_namespace(const std::stop_token& stop) {
  kube::ListOptions list;
  list.max_memory = kube::k_max_command_list_memory;  // an administrator makes them
  KUBIST_TRY(const auto projects,
             m_home->list(resource_of(*resources::find_kind(resources::k_kubist_group, "Project")),
                          "", list, stop));
  for (const Json& project : projects.items) {
    if (resources::project_namespace(project) == m_options.ns) {
      return util::fail(ErrorKind::usage,
                        cat("namespace ", m_options.ns, " is that of Project/",
                            resources::ObjectView(project).name(),
                            ", whose members could pose as a replica by a Lease there"),
                        "Give these replicas another namespace, by -n.");
    }
  }
  return {};
}

void Replica::end() {
  m_thread.request_stop();
  if (m_thread.joinable()) {
    m_thread.join();
  }
  m_term->m_until = Term::Time::min();
  if (!m_uid.empty()) {
    kube::DeleteOptions options;
    options.uid = std::exchange(m_uid, {});
    // One that stays goes stale.
    static_cast<void>(util::guarded([&] {
      return m_home->run(bounded(
          kube::remove(kube::well_known::leases(), m_options.ns, m_name, options), k_last_wait));
    }));
  }
}

// An answer after that is of no use, nor is another attempt.
kube::ApiCall Replica::bounded(kube::ApiCall call, std::chrono::milliseconds time) const {
  call.timeout = time;
  call.urgent = true;
  call.permit = [end = m_options.clock->boot() + time,
                 clock = m_options.clock]() -> util::Result<> {
    return clock->boot() < end ? util::Result<>{}
                               : util::fail(ErrorKind::timeout, "no answer in time");
  };
  return call;
}

Json Replica::body() const {
  engine::LeaseRecord record;
  record.holder = m_options.identity;
  record.renew_time = util::format_micro_time(m_options.clock->now());
  record.duration = std::chrono::duration_cast<std::chrono::seconds>(m_options.times.lease);
  record.resource_version = m_version;
  record.uid = m_uid;
  record.process = util::own_process_mark();
  Json lease = lease_of(record, m_options.ns, m_name);
  lease["metadata"]["labels"] = {{k_replica, "true"}, {resources::k_managed_by_label, "kubist"}};
  return lease;
}

void Replica::note(const Json& lease, Term::Time sent) {
  const resources::ObjectView view(lease);
  m_uid = view.uid();
  m_version = view.resource_version();
  m_term->m_until = sent + m_options.times.deadline;
}

util::Result<> Replica::renew(const std::stop_token& stop) {
  m_tried_at = m_options.clock->boot();
  if (!m_uid.empty()) {
    KUBIST_TRY(const bool renewed, update(stop));
    if (renewed) {
      return {};
    }
    say(cat("the Lease ", m_options.ns, '/', m_name,
            " of this replica is gone, and its projects with it: it begins again"));
  }
  return begin_term(stop);
}

// False: it is gone, so that others may have what was held in its name.
util::Result<bool> Replica::update(const std::stop_token& stop) {
  for (int attempt = 1;; ++attempt) {
    const auto sent = m_options.clock->boot();
    const auto reply = m_home->json(
        bounded(kube::replace(kube::well_known::leases(), body()), m_options.times.deadline), stop);
    if (reply) {
      const auto lease = replica_lease(*reply);
      const bool same = lease && lease->record.uid == m_uid;
      if (same) {
        note(*reply, sent);
      }
      return same;
    }
    const bool changed =
        reply.error().kind == ErrorKind::conflict || reply.error().kind == ErrorKind::not_found;
    if (!changed || attempt == k_attempts || stop.stop_requested()) {
      return util::fail(util::with_context(
          reply.error(), cat("cannot renew the Lease ", m_options.ns, '/', m_name)));
    }
    // Who takes what this replica has deletes its Lease, so another change does no harm.
    KUBIST_TRY(const auto found, find_replica(*m_home, cat(m_options.ns, '/', m_name), stop));
    if (!found || found->record.uid != m_uid) {
      return false;
    }
    m_version = found->record.resource_version;
  }
}

util::Result<> Replica::begin_term(const std::stop_token& stop) {
  m_uid.clear();
  m_version.clear();
  m_name = cat("kubist-", util::random_suffix(10));
  {
    const std::lock_guard lock(m_mutex);
    m_term->m_until = Term::Time::min();
    m_term = std::make_shared<Term>(cat(m_options.ns, '/', m_name));
  }
  const auto sent = m_options.clock->boot();
  const auto reply = m_home->json(
      bounded(kube::create(kube::well_known::leases(), body()), m_options.times.deadline), stop);
  if (!reply) {
    return util::fail(util::with_context(
        reply.error(), cat("cannot make the Lease of this replica in namespace ", m_options.ns)));
  }
  note(*reply, sent);
  return {};
}

util::Result<std::set<std::string>> Replica::look_around(const std::stop_token& stop) {
  kube::ListOptions options;
  options.label_selector = k_replica;
  KUBIST_TRY(const auto leases,
             m_home->list(kube::well_known::leases(), m_options.ns, options, stop));
  std::set<std::string> alive;
  std::map<std::string, LockState> seen;
  std::string trouble;
  for (const Json& each : leases.items) {
    const auto lease = replica_lease(each);
    if (!lease || cat(lease->ns, '/', lease->name) == term()->lease()) {
      continue;
    }
    const std::string& uid = lease->record.uid;
    auto known = m_seen.extract(uid);
    LockState state = known ? known.mapped() : LockState(identity(), m_options.times);
    const auto now = m_options.clock->boot();
    state.observe(lease->record, now);
    // One of its own is of an earlier term, or of one that it does not know to have begun.
    if (state.next(now) == LockState::Step::wait) {
      alive.insert(lease->record.holder);
    } else if (const auto removed = remove_replica(*m_home, *lease); !removed) {
      trouble = removed.error().to_string();
    }
    seen.emplace(uid, std::move(state));
  }
  m_seen = std::move(seen);
  if (std::exchange(m_told, trouble) != trouble && !trouble.empty()) {
    say(trouble);
  }
  if (joined()) {
    alive.insert(identity());
  }
  return alive;
}

}  // namespace kubist::executors
