#include <algorithm>
#include <iterator>
#include <set>

#include <kubist/apply/owned.hpp>
#include <kubist/apply/remove.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "set_run.hpp"

namespace kubist::apply {

using resources::ObjectRef;
using util::cat;

bool SetRun::open_inventory() {
  auto inventory = read_inventory(m_client, *m_options.inventory, m_stop);
  if (!inventory) {
    m_report.errors.push_back(inventory.error());
    return false;
  }
  m_inventory = *std::move(inventory);
  const OwnerMark mark = set_mark(*m_options.inventory);
  for (Work& work : m_works) {
    resources::set_label(work.manifest->object, mark.key, mark.value);
  }
  return true;
}

/// A dry run only tells what it would write.
bool SetRun::writes_inventory() const {
  return m_options.dry_run == kube::DryRun::none ||
         (m_options.dry_run == kube::DryRun::client && m_options.keep_calls);
}

bool SetRun::store_inventory(InventoryEntries entries) {
  ObjectResult result;
  result.ref = {"", "ConfigMap", m_inventory->name.ns, m_inventory->name.name};
  result.api_version = "v1";
  result.outcome = m_inventory->uid.empty() ? Outcome::created : Outcome::configured;
  const auto written =
      write_inventory(writer_for(result), {m_client}, *m_inventory, std::move(entries));
  if (!result.calls.empty()) {
    m_inventory_changed = true;
    report_result(std::move(result));
  }
  if (!written) {
    m_report.errors.push_back(written.error());
  }
  return written.has_value();
}

/// Notes every object of the set before the first one is written, so that whatever a killed run has
/// made is known to the next one.
bool SetRun::note_inventory() {
  if (m_inventory_noted || !writes_inventory()) {
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
  m_inventory_noted = store_inventory(std::move(entries));
  return m_inventory_noted;
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
    prune_stale(entries);
  } else if (m_options.prune && m_options.on_progress) {
    m_options.on_progress("nothing is pruned, because not everything was applied");
  }
  // The uid of what a run makes, and the version of what it has written, are not known before.
  const bool known =
      m_options.dry_run == kube::DryRun::none ||
      (!m_inventory_changed && std::none_of(m_works.begin(), m_works.end(), [](const Work& work) {
        return work.result.outcome == Outcome::created;
      }));
  if (writes_inventory() && known && m_report.errors.empty()) {
    store_inventory(std::move(entries));  // also after a stop: what was written, with its uid
  }
}

/// What the inventory has and the input has not.
std::vector<Recorded> SetRun::stale() const {
  std::vector<Recorded> stale = records_of(m_inventory->entries);
  std::set<ObjectRef> wanted;
  for (const Work& work : m_works) {
    wanted.insert(work.ref);
  }
  std::erase_if(stale, [&](const Recorded& each) { return wanted.contains(each.ref); });
  return stale;
}

/// What becomes of an object without its deletion; nothing: it may be deleted.
std::optional<ObjectResult> SetRun::left_alone(const Recorded& recorded,
                                               const util::Result<Owned>& found) const {
  ObjectResult result;
  result.ref = recorded.ref;
  result.api_version = recorded.api_version;
  result.uid = recorded.uid;
  if (!found) {
    const bool stopped = found.error().kind == util::ErrorKind::cancelled;
    result.outcome = stopped ? Outcome::skipped : Outcome::failed;
    if (stopped) {
      result.message = "the run was stopped before it was deleted";
    } else {
      result.error = found.error();
    }
    return result;
  }
  if (found->live.is_null()) {
    result.outcome = Outcome::pruned;
    result.message = "it was gone already";
    return result;
  }
  if (const std::string reason = reason_to_keep(*found, m_inventory->name); !reason.empty()) {
    result.outcome = Outcome::kept;
    result.message = "no longer in the input, but kept: " + reason;
    return result;
  }
  const bool holds_others = recorded.ref.group.empty() && recorded.ref.kind == "Namespace" &&
                            std::any_of(m_works.begin(), m_works.end(), [&](const Work& work) {
                              return work.ref.ns == recorded.ref.name;
                            });
  if (holds_others) {
    result.outcome = Outcome::failed;
    result.error =
        util::make_error(util::ErrorKind::conflict,
                         cat("Namespace ", recorded.ref.name,
                             " is no longer in the input, but objects of the input live in it"),
                         "Put it back, or move the objects.");
    return result;
  }
  return std::nullopt;
}

/// Deletes what is stale. Loses of `entries` what is gone or somebody else's: what could not be
/// deleted, or was not seen to go, is tried again by the next run.
void SetRun::prune_stale(InventoryEntries& entries) {
  const std::vector<Recorded> records = stale();
  const auto found = find_owned(m_client, records, kube::Form::metadata, m_stop);
  std::vector<ObjectResult> results;
  std::vector<Target> targets;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (auto left = left_alone(records[i], found[i])) {
      results.push_back(*std::move(left));
    } else {
      targets.push_back(target_of(*found[i]));
    }
  }
  Report removed = remove_stale(targets);
  std::move(removed.results.begin(), removed.results.end(), std::back_inserter(results));
  for (ObjectResult& result : results) {
    if (result.ok()) {
      entries.erase(result.ref);
    }
    report_result(std::move(result));
  }
  for (NotReady& left : removed.not_ready) {
    entries.insert(*m_inventory->entries.find(left.ref));
    m_report.not_ready.push_back(std::move(left));
  }
}

Report SetRun::remove_stale(const std::vector<Target>& targets) {
  RemoveOptions options;
  options.dry_run = m_options.dry_run;
  options.ignore_not_found = true;
  options.wait = m_options.wait;
  options.timeout = time_left();
  options.permit = m_options.permit;
  options.keep_calls = m_options.keep_calls;
  Report removed = remove_set(m_client, targets, options, m_stop);
  for (ObjectResult& result : removed.results) {
    result.index = ObjectResult::k_no_input;
    if (result.outcome == Outcome::deleted || result.outcome == Outcome::unchanged) {
      result.outcome = Outcome::pruned;
    }
  }
  return removed;
}

}  // namespace kubist::apply
