#pragma once
#include <kubist/engine/resource_list.hpp>
#include <kubist/executors/catalog.hpp>

#include "keep/owned_objects.hpp"

namespace kubist::executors {

/// Asks the function of an ExecutorDefinition about one node. `told` is status.executor.
class FunctionCall {
 public:
  FunctionCall(Work& work, const ExecutorFunction& function) : m_work(work), m_function(function) {}

  /// `observed`: the node's status fields that its built-in executor gave just now. Errors have the
  /// function's name, and a reason: that of the runtime, ExecutorFailed or ExecutorDenied.
  util::Result<engine::ExecutorOutput> ask(const TrafficPlace& place, OwnedObjects& objects,
                                           const data::Json& told, const data::Json& observed);
  /// What it returned, as wishes. Invalid: too many, one twice, one of `taken` (the inventory of
  /// the built-in executor), one that may not be made (as read_wish()), or in a namespace that is
  /// not the project's (NamespaceNotAllowed).
  util::Result<std::vector<Wish>> wishes(const TrafficPlace& place,
                                         const std::vector<data::Json>& objects,
                                         const data::Json& taken);
  /// status.executor after an answer; `ready`: all of it is as it shall be.
  data::Json told(const engine::ExecutorOutput& said, const data::Json& before, bool ready) const;
  /// status.executor while it is asked: as it was, or (another's) only whose it is now.
  data::Json own(const data::Json& before) const;

 private:
  const engine::PolicyDefinition& definition() const { return *m_function.definition; }
  util::Error failure(util::Error error) const;
  util::Result<data::Json> input(const TrafficPlace& place, OwnedObjects& objects,
                                 const data::Json& told, const data::Json& observed);
  util::Result<> check_namespace(const TrafficPlace& place, const std::string& ns);
  data::Json state_of(const data::Json& told) const;

  Work& m_work;
  const ExecutorFunction& m_function;
};

}  // namespace kubist::executors
