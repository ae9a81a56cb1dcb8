#include <kubist/engine/executor.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

namespace kubist::engine {

using util::cat;
using util::ErrorKind;

std::string_view to_string(Outcome outcome) {
  static constexpr util::Word<Outcome> k_words[] = {{Outcome::ready, "ready"},
                                                    {Outcome::progressing, "progressing"},
                                                    {Outcome::failed, "failed"},
                                                    {Outcome::stalled, "stalled"}};
  return util::word_of(k_words, outcome);
}

std::string to_string(const Write& write) {
  return cat(write.verb, ' ', write.object, write.cluster.empty() ? "" : " on ", write.cluster,
             write.detail.empty() ? "" : ": ", write.detail);
}

namespace {

Outcome outcome_of(const util::Error& error) {
  // Expired credentials are renewed by somebody else; missing rights stay missing.
  if (error.http_status == 401) {
    return Outcome::failed;
  }
  switch (error.kind) {
    case ErrorKind::invalid:
    case ErrorKind::usage:
    case ErrorKind::not_found:
    case ErrorKind::forbidden:
    case ErrorKind::denied:
      return Outcome::stalled;
    case ErrorKind::internal:
    case ErrorKind::conflict:
    case ErrorKind::unavailable:
    case ErrorKind::timeout:
    case ErrorKind::cancelled:
    case ErrorKind::not_ready:
      return Outcome::failed;
  }
  return Outcome::failed;
}

std::string reason_of(const util::Error& error) {
  if (!error.reason.empty()) {
    return error.reason;
  }
  if (error.kind == ErrorKind::forbidden && error.http_status == 401) {
    return "Unauthorized";
  }
  static constexpr util::Word<ErrorKind> k_reasons[] = {
      {ErrorKind::invalid, "InvalidSpec"},     {ErrorKind::usage, "InvalidSpec"},
      {ErrorKind::not_found, "NotFound"},      {ErrorKind::forbidden, "Forbidden"},
      {ErrorKind::denied, "Denied"},           {ErrorKind::conflict, "Conflict"},
      {ErrorKind::unavailable, "Unavailable"}, {ErrorKind::timeout, "Timeout"},
      {ErrorKind::cancelled, "Cancelled"},     {ErrorKind::not_ready, "NotReady"},
      {ErrorKind::internal, "InternalError"}};
  return std::string(util::word_of(k_reasons, error.kind));
}

}  // namespace

Alignment alignment_of(const util::Error& error) {
  Alignment alignment;
  alignment.outcome = outcome_of(error);
  alignment.reason = reason_of(error);
  alignment.error = error;
  alignment.message = error.hint.empty() ? error.message : cat(error.message, "; ", error.hint);
  return alignment;
}

void ExecutorSet::add(const std::string& name, std::shared_ptr<Executor> executor,
                      std::vector<std::string> kinds, const std::vector<std::string>& default_for,
                      const std::vector<std::string>& aliases) {
  Entry entry{name, std::move(executor), std::move(kinds)};
  for (const std::string& kind : default_for) {
    m_defaults[kind] = util::lower(name);
    if (std::find(entry.kinds.begin(), entry.kinds.end(), kind) == entry.kinds.end()) {
      entry.kinds.push_back(kind);
    }
  }
  for (const std::string& alias : aliases) {
    m_by_name[util::lower(alias)] = entry;
  }
  m_by_name[util::lower(name)] = std::move(entry);
}

void ExecutorSet::wrap(const Around& around) {
  for (auto& [lower, entry] : m_by_name) {
    entry.executor = around(std::move(entry.executor));
  }
}

util::Result<Executor*> ExecutorSet::find(const Node& node) const {
  return find(node.key.kind, node.executor ? node.executor->name : std::string());
}

util::Result<Executor*> ExecutorSet::find(const std::string& kind, const std::string& name) const {
  std::string lower = util::lower(name);
  if (name.empty()) {
    auto found = m_defaults.find(kind);
    if (found == m_defaults.end()) {
      return util::fail(ErrorKind::internal, cat("there is no default executor for kind ", kind));
    }
    lower = found->second;
  }
  auto found = m_by_name.find(lower);
  auto unknown = [&](std::string message) {
    return util::fail(ErrorKind::invalid, std::move(message),
                      cat("executors for ", kind, ": ", util::join(names(kind), ", ")),
                      "UnknownExecutor");
  };
  if (found == m_by_name.end()) {
    return unknown(cat("unknown executor \"", name, "\"", util::did_you_mean(name, names(kind))));
  }
  const auto& kinds = found->second.kinds;
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    return unknown(cat("executor ", found->second.name, " is not for kind ", kind));
  }
  return found->second.executor.get();
}

std::vector<std::string> ExecutorSet::names(const std::string& kind) const {
  std::vector<std::string> names;
  for (const auto& [lower, entry] : m_by_name) {
    bool fits = std::find(entry.kinds.begin(), entry.kinds.end(), kind) != entry.kinds.end();
    if (fits && lower == util::lower(entry.name)) {
      names.push_back(entry.name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace kubist::engine
