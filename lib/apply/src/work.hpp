#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include <kubist/apply/compare.hpp>
#include <kubist/apply/report.hpp>
#include <kubist/apply/set.hpp>
#include <kubist/data/json.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/kube/room.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/resources/readiness.hpp>

namespace kubist::apply {

/// One object of a run from its input to its result.
struct Work {
  std::size_t index = 0;
  resources::Manifest* manifest = nullptr;
  kube::ApiResource resource;
  resources::ObjectRef ref;
  bool kind_in_set = false;  ///< its CRD is part of the set

  bool unseen = false;  ///< not looked for yet: taken to be missing
  bool known = false;   ///< the live state could be read
  bool exists = false;  ///< there is a live object
  Comparison comparison;
  bool client_side = false;               ///< client-side `kubectl apply` owns fields of it
  std::optional<kube::ApiCall> takeover;  ///< to be sent next: makes these the run's own
  bool taken_over = false;
  data::Json before;                          ///< the live object, where somebody needs it
  std::optional<util::Error> no_room;         ///< for `before`
  std::optional<resources::Readiness> ready;  ///< as last seen; only when the run waits
  ObjectResult result;
  bool done = false;  ///< the result is final
};

/// Finds resource and namespace of every object, without writing; problems go to `errors`.
std::vector<Work> resolve_set(kube::Client& client, std::vector<resources::Manifest>& objects,
                              const Options& options, std::vector<util::Error>& errors,
                              const std::stop_token& stop);

bool is_crd(const data::Json& object);
bool is_namespace(const data::Json& object);

/// What is kept of live objects when they are read.
struct ReadOptions {
  std::string_view manager;
  bool keep_before = false;                   ///< fill Work::before
  kube::Reservation* reservation = nullptr;   ///< as Options::reservation; fill Work::no_room
  bool find_client_side = false;              ///< fill Work::client_side
  std::optional<resources::ReadyMode> ready;  ///< fill Work::ready
};

/// Reads the live state of every object that is not unseen, and compares: a LIST for many of a kind
/// in a namespace, else (or where that is forbidden) GETs. What cannot be read stays unknown and
/// will be written.
void read_live(kube::Client& client, std::vector<Work>& works, const ReadOptions& options,
               const std::stop_token& stop);
/// The same of one object.
void read_live(kube::Client& client, Work& work, const ReadOptions& options,
               const std::stop_token& stop);

}  // namespace kubist::apply
