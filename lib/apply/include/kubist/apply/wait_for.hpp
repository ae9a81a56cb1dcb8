#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/data/jsonpath.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/result.hpp>

namespace kubist::apply {

/// What objects are waited for to be: one --for of `kubectl wait`.
struct WaitCondition {
  enum class Kind { condition, jsonpath, deleted, created, ready, job_finished };
  Kind kind = Kind::condition;
  std::string text;        ///< as it was given, for messages
  std::string type;        ///< of condition
  std::string value;       ///< of condition ("true" by default), jsonpath
  bool any_value = false;  ///< jsonpath without a value: the field exists
  std::optional<data::JsonPath> path;
};

/// Does a live object meet it? not_ready: it never will (a Job that failed, ...), with the reason;
/// invalid: the template finds several values.
util::Result<bool> is_met(const WaitCondition& condition, const data::Json& object,
                          std::chrono::system_clock::time_point now);

/// Objects of one kind.
struct Selection {
  kube::ApiResource resource;
  std::string ns;                  ///< empty: all namespaces, or a cluster-scoped kind
  std::vector<std::string> names;  ///< empty: the whole collection
};

struct WaitForOptions {
  std::vector<WaitCondition> conditions;  ///< all of them have to hold
  std::string label_selector;
  std::string field_selector;
  /// Nothing: no limit. Zero: look once.
  std::optional<std::chrono::nanoseconds> timeout;
  /// Told of each object that got there, one call at a time, from any thread.
  std::function<void(const kube::ApiResource& resource, const std::string& name)> on_met;
};

/// Waits by watches, one for each collection or named object, until all objects meet all
/// conditions. Errors: timeout (what is missing is named); not_found (an object does not exist, or
/// vanished, or a selector matches nothing); not_ready (an object will never get there).
util::Result<> wait_for(kube::Client& client, const std::vector<Selection>& objects,
                        const WaitForOptions& options, const std::stop_token& stop);

}  // namespace kubist::apply
