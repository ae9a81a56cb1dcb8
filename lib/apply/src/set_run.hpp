#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/apply/inventory.hpp>
#include <kubist/apply/set.hpp>
#include <kubist/apply/wait.hpp>

#include "work.hpp"

namespace kubist::apply {

/// One apply_set from beginning to end. One thread.
class SetRun {
 public:
  SetRun(kube::Client& client, std::vector<resources::Manifest>& objects, const Options& options,
         std::stop_token stop);

  Report run();

  /// The objects with their states before, where Options asked for more than results (diffs).
  const std::vector<Work>& works() const { return m_works; }
  void keep_before() { m_keep_before = true; }

 private:
  using Delay = std::optional<std::chrono::milliseconds>;
  using Tags = std::vector<std::size_t>;

  bool prepare();
  /// What Options::needs names. False: the run has ended.
  bool make_needed();
  util::Result<> make(const Needed& needed, ObjectResult& result);
  kube::Writer writer_for(ObjectResult& result) const;
  void report_result(ObjectResult result);
  /// Unknown fields of what would be written, into the report's errors.
  void check_fields();
  void run_waves();
  void run_wave(const Tags& tags);
  Tags tags_to_send(const Tags& tags);
  /// Settles an object without a request, where that is possible.
  bool settle(Work& work);
  /// Is it on the server already just so?
  bool needs_no_write(const Work& work) const;
  kube::ApplyOptions apply_options() const;
  kube::ApiCall apply_of(const Work& work) const;
  /// The next write of that object, which its result keeps where that is asked for.
  kube::ApiCall call_of(Work& work) const;
  void finish_unsent(Work& work);
  bool admitted(Work& work);
  std::string blocked_by(const Work& work) const;
  Delay take_reply(Work& work, util::Result<kube::Reply> reply);
  ReadOptions read_options() const;
  Delay look_again(Work& work);
  Delay retry_delay(Work& work, const util::Error& error);
  /// A delay: the fields of client-side `kubectl apply` are taken over first, then it is sent
  /// again.
  Delay take_success(Work& work, const kube::Reply& reply);
  bool begin_takeover(Work& work, const data::Json& live);
  Delay end_takeover(Work& work, const util::Result<kube::Reply>& reply);
  /// Is there that namespace once the set has been applied?
  bool makes_namespace(std::string_view ns) const;
  void take_failure(Work& work, util::Error error);
  void explain_conflicts(const Tags& tags);
  void pass_barrier(const Tags& tags);
  void finish(Work& work, Outcome outcome, std::string message = {});
  void report_finished();

  bool open_inventory();
  bool note_inventory();
  void close_inventory();
  bool writes_inventory() const;
  bool store_inventory(InventoryEntries entries);
  std::vector<Recorded> stale() const;
  std::optional<ObjectResult> left_alone(const Recorded& recorded,
                                         const util::Result<Owned>& found) const;
  void prune_stale(InventoryEntries& entries);
  Report remove_stale(const std::vector<Target>& targets);
  void wait_for_all();

  std::chrono::nanoseconds time_left() const;

  kube::Client& m_client;
  std::vector<resources::Manifest>& m_objects;
  const Options& m_options;
  std::stop_token m_stop;
  std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
  bool m_keep_before = false;

  std::vector<Work> m_works;
  Tags m_order;                ///< indices of m_works in the order of the work
  std::size_t m_reported = 0;  ///< of m_order
  std::map<std::size_t, int> m_attempts;
  std::set<std::string> m_failed_namespaces;
  std::set<std::string> m_failed_kinds;  ///< "group/kind" whose CRD failed
  std::map<std::size_t, std::vector<Conflict>> m_conflicts;

  std::vector<Needed> m_needed;
  std::optional<Inventory> m_inventory;
  bool m_inventory_noted = false;
  bool m_inventory_changed = false;  ///< by this run

  Report m_report;
};

}  // namespace kubist::apply
