#include <algorithm>

#include <kubist/apply/remove.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "calls.hpp"
#include "set_run.hpp"

namespace kubist::apply {

using data::Json;
using resources::ObjectRef;
using util::cat;

bool SetRun::open_inventory() {
  auto inventory = read_inventory(m_client, *m_options.inventory, m_stop);
  if (!inventory) {
    m_report.errors.push_back(inventory.error());
    return false;
  }
  m_inventory = *std::move(inventory);
  m_set_id = applyset_id(*m_options.inventory);
  for (Work& work : m_works) {
    resources::set_label(work.manifest->object, k_applyset_part_of, m_set_id);
  }
  return true;
}

/// Notes every object of the set before the first one is written, so that whatever a killed run has
/// made is known to the next one.
bool SetRun::note_inventory() {
  if (m_inventory_noted || m_options.dry_run != kube::DryRun::none) {
    return true;
  }
  const bool namespace_to_come = std::any_of(m_works.begin(), m_works.end(), [&](const Work& work) {
    return is_namespace(work.manifest->object) && work.ref.name == m_inventory->name.ns &&
           !work.exists && !work.done;
  });
  if (namespace_to_come) {
    return true;  // its own namespace goes before it
  }
  InventoryEntries entries = m_inventory->entries;
  for (const Work& work : m_works) {
    entries.try_emplace(work.ref, InventoryEntry{work.result.api_version, ""});
  }
  if (auto written =
          write_inventory(m_client, *m_inventory, std::move(entries), m_options.manager, m_stop);
      !written) {
    m_report.errors.push_back(written.error());
    return false;
  }
  m_inventory_noted = true;
  return true;
}

void SetRun::close_inventory() {
  InventoryEntries entries = m_inventory->entries;
  bool all_ok = m_report.errors.empty() && !m_stop.stop_requested();
  for (const Work& work : m_works) {
    const bool ok = work.result.ok();
    all_ok = all_ok && ok;
    if (ok && !work.result.uid.empty()) {
      entries[work.ref] = {work.result.api_version, work.result.uid};
    }
  }
  if (m_options.prune && all_ok) {
    for (ObjectResult& result : prune_stale()) {
      if (result.ok()) {
        entries.erase(result.ref);
      }
      m_report.results.push_back(std::move(result));
      if (m_options.on_result) {
        m_options.on_result(m_report.results.back());
      }
    }
  } else if (m_options.prune && m_options.on_progress) {
    m_options.on_progress("nothing is pruned, because not everything was applied");
  }
  if (m_options.dry_run != kube::DryRun::none || !m_report.errors.empty()) {
    return;
  }
  // Also after a stop: what was written shall be known with its uid.
  if (auto written = write_inventory(m_client, *m_inventory, std::move(entries), m_options.manager);
      !written) {
    m_report.errors.push_back(written.error());
  }
}

ObjectResult SetRun::prune_result(const ObjectRef& ref, const InventoryEntry& entry) const {
  ObjectResult result;
  result.ref = ref;
  result.api_version = entry.api_version;
  result.uid = entry.uid;
  return result;
}

std::vector<ObjectResult> SetRun::prune_stale() {
  struct Stale {
    ObjectResult result;
    kube::ApiResource resource;
    InventoryEntry entry;
    std::optional<Json> live;
    bool unreadable = false;
  };
  std::set<ObjectRef> wanted;
  std::set<std::string> used_namespaces;
  for (const Work& work : m_works) {
    wanted.insert(work.ref);
    used_namespaces.insert(work.ref.ns);
  }
  std::vector<Stale> stale;
  std::vector<ObjectResult> results;
  for (const auto& [ref, entry] : m_inventory->entries) {
    if (wanted.contains(ref)) {
      continue;
    }
    Stale found{prune_result(ref, entry), {}, entry, {}, false};
    auto resource = m_client.discovery().find_kind(entry.api_version, ref.kind, m_stop);
    if (!resource) {
      const bool kind_gone = resource.error().kind == util::ErrorKind::not_found;
      found.result.outcome = kind_gone ? Outcome::pruned : Outcome::failed;
      found.result.error = kind_gone ? std::nullopt : std::optional(resource.error());
      results.push_back(std::move(found.result));
      continue;
    }
    found.resource = *std::move(resource);
    stale.push_back(std::move(found));
  }
  Tags tags(stale.size());
  for (std::size_t i = 0; i < tags.size(); ++i) {
    tags[i] = i;
  }
  run_calls(
      m_client, tags,
      [&](std::size_t tag) {
        const Stale& item = stale[tag];
        kube::ApiCall call = kube::get(item.resource, item.result.ref.ns, item.result.ref.name);
        call.accept = kube::k_accept_metadata;
        return call;
      },
      [&](std::size_t tag, util::Result<kube::Reply> reply) -> Delay {
        Stale& item = stale[tag];
        if (auto live = reply ? reply->json() : util::Result<Json>(tl::unexpect, reply.error())) {
          item.live = *std::move(live);
        } else if (live.error().kind != util::ErrorKind::not_found) {
          item.unreadable = true;
          item.result.outcome = Outcome::failed;
          item.result.error = live.error();
        }
        return std::nullopt;
      },
      m_stop);
  std::vector<Target> targets;
  for (Stale& item : stale) {
    const ObjectRef& ref = item.result.ref;
    if (item.unreadable) {
      results.push_back(std::move(item.result));
      continue;
    }
    PruneDecision decision = decide_prune(item.entry, m_set_id, item.live ? &*item.live : nullptr);
    const bool holds_others =
        ref.group.empty() && ref.kind == "Namespace" && used_namespaces.contains(ref.name);
    if (decision.action == PruneDecision::Action::remove && holds_others) {
      item.result.outcome = Outcome::failed;
      item.result.error =
          util::make_error(util::ErrorKind::conflict,
                           cat("Namespace ", ref.name,
                               " is no longer in the input, but objects of the input live in it"),
                           "Put it back, or move the objects.");
      results.push_back(std::move(item.result));
    } else if (decision.action == PruneDecision::Action::remove) {
      targets.push_back({item.resource,
                         ref.ns,
                         ref.name,
                         std::string(resources::ObjectView(*item.live).uid()),
                         {}});
    } else {
      item.result.outcome =
          decision.action == PruneDecision::Action::gone ? Outcome::pruned : Outcome::kept;
      item.result.message = decision.action == PruneDecision::Action::gone
                                ? "it was gone already"
                                : "no longer in the input, but left alone: " + decision.reason;
      results.push_back(std::move(item.result));
    }
  }
  RemoveOptions remove;
  remove.dry_run = m_options.dry_run;
  remove.ignore_not_found = true;
  remove.wait = m_options.wait;
  remove.timeout = time_left();
  Report removed = remove_set(m_client, targets, remove, m_stop);
  for (ObjectResult& result : removed.results) {
    result.index = ObjectResult::k_no_input;
    if (result.outcome == Outcome::deleted || result.outcome == Outcome::unchanged) {
      result.outcome = Outcome::pruned;
    }
    results.push_back(std::move(result));
  }
  for (NotReady& left : removed.not_ready) {
    m_report.not_ready.push_back(std::move(left));
  }
  return results;
}

}  // namespace kubist::apply
