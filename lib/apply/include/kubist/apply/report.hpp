#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/error.hpp>

namespace kubist::apply {

/// What became of one object. In a dry run: what would become of it.
enum class Outcome {
  created,
  configured,
  unchanged,
  valid,     ///< checked, and nothing was sent
  deleted,   ///< by remove_set
  pruned,    ///< it was in the inventory and is no longer in the input
  kept,      ///< left alone on purpose (a hook or an annotation says so); the message says why
  conflict,  ///< another field manager owns what the input sets; nothing was written
  failed,
  skipped,  ///< not tried: what it needs failed, or the run was stopped
};

/// The lower-case word: "created", ...; stable, used in reports.
std::string_view to_string(Outcome outcome);

/// One field that somebody else owns. Values are compact JSON, masked in Secrets; empty: no value.
struct Conflict {
  std::string field;  ///< "spec.replicas"
  std::string owner;  ///< field manager, "(Update)" or "(Apply)" behind it where known
  std::string live;   ///< what the server has
  std::string input;  ///< what the input wants
  util::SourcePos pos;
};

/// One object of an apply or a delete.
struct ObjectResult {
  static constexpr std::size_t k_no_input = static_cast<std::size_t>(-1);

  std::size_t index = k_no_input;  ///< into the input; k_no_input for what is not of it
  resources::ObjectRef ref;
  std::string api_version;
  Outcome outcome = Outcome::skipped;
  std::string message;               ///< why it was kept or skipped
  std::optional<util::Error> error;  ///< of failed and conflict; with the position of the object
  std::vector<Conflict> conflicts;
  std::string uid;               ///< of the live object; empty when there is none
  std::string resource_version;  ///< as last seen
  bool written = false;          ///< a mutating request (no dry run) was answered with success
  /// The object as the server has it now; null unless Options::keep_objects.
  data::Json live;
  /// The writes that were sent for it, in order, with those that were refused and sent again. In a
  /// client dry run those that a run would send, as far as they do not need an answer of the run: a
  /// takeover of fields (Options::take_over_client_side) does. None unless Options::keep_calls.
  std::vector<kube::ApiCall> calls;

  bool ok() const;
};

/// One object that did not become ready in time, and what is known about it.
struct NotReady {
  resources::ObjectRef ref;
  std::string status;               ///< kstatus' word
  std::string message;              ///< the condition or counter at fault
  bool failed = false;              ///< it said that it failed; waiting longer would not help
  std::vector<std::string> events;  ///< last Warning events, newest last
};

/// What a whole run did.
struct Report {
  /// In the order of the work; pruned ones last. With Options::keep_calls the inventory, too.
  std::vector<ObjectResult> results;
  std::vector<NotReady> not_ready;  ///< filled by waiting
  /// What stopped the run or failed beside single objects (the inventory, a signal, the deadline).
  std::vector<util::Error> errors;
  bool stopped = false;  ///< by the stop token: some objects are skipped

  /// Takes over what a later part of the same work did.
  void append(Report later);
  std::size_t count(Outcome outcome) const;
  bool ok() const;
  /// Nothing when ok; else one Error whose kind says what the exit code shall: cancelled before
  /// conflict before failures (their kind where they agree) before not_ready.
  std::optional<util::Error> error() const;
};

}  // namespace kubist::apply
