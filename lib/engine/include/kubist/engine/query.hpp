#pragma once
#include <chrono>
#include <map>
#include <string>
#include <variant>

namespace kubist::engine {

/// What was counted since the policy was last asked about it: an answer of its own form.
struct WindowQuery {};
/// A number of the workload of a version, such as {canary, cpu}.
struct WorkloadQuery {
  std::string version, number;
};
/// PromQL that gives one number, with {{NAME}} for values.
struct PromqlQuery {
  std::string text;
};
/// The number that a JSONPath finds in the document behind a URL.
struct WebQuery {
  std::string url, path;
  std::chrono::seconds timeout{10};
};

/// What a policy wants to know before it runs. Numbers are answered by {value}, on several virtual
/// clusters by {clusters: [{name, value}]}; {reason, message} where there is none.
using Query = std::variant<WindowQuery, WorkloadQuery, PromqlQuery, WebQuery>;
/// By the name of the answer.
using Queries = std::map<std::string, Query>;

/// The name of its answer where a policy gives none: "canary.cpu", the PromQL, "URL JSONPATH".
std::string to_string(const Query& query);

}  // namespace kubist::engine
