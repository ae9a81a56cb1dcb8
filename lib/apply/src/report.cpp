#include <algorithm>

#include <kubist/apply/report.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

namespace kubist::apply {

using util::Error;
using util::ErrorKind;

std::string_view to_string(Outcome outcome) {
  static constexpr util::Word<Outcome> k_words[] = {
      {Outcome::created, "created"},     {Outcome::configured, "configured"},
      {Outcome::unchanged, "unchanged"}, {Outcome::valid, "valid"},
      {Outcome::deleted, "deleted"},     {Outcome::pruned, "pruned"},
      {Outcome::kept, "kept"},           {Outcome::conflict, "conflict"},
      {Outcome::failed, "failed"},       {Outcome::skipped, "skipped"}};
  return util::word_of(k_words, outcome);
}

bool ObjectResult::ok() const {
  return outcome != Outcome::conflict && outcome != Outcome::failed && outcome != Outcome::skipped;
}

std::size_t Report::count(Outcome outcome) const {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(),
                    [&](const ObjectResult& result) { return result.outcome == outcome; }));
}

bool Report::ok() const {
  return !stopped && errors.empty() && not_ready.empty() &&
         std::all_of(results.begin(), results.end(),
                     [](const ObjectResult& result) { return result.ok(); });
}

namespace {

std::string plural(std::size_t count, std::string_view noun) {
  return util::cat(count, ' ', noun, count == 1 ? "" : "s");
}

Error summary(const Report& report, ErrorKind kind) {
  const std::size_t conflicts = report.count(Outcome::conflict);
  const std::size_t failed = report.count(Outcome::failed);
  const std::size_t skipped = report.count(Outcome::skipped);
  std::vector<std::string> parts;
  if (conflicts > 0) {
    parts.push_back(util::cat(plural(conflicts, "object"), " in conflict"));
  }
  if (failed > 0) {
    parts.push_back(util::cat(plural(failed, "object"), " failed"));
  }
  if (skipped > 0) {
    parts.push_back(util::cat(plural(skipped, "object"), " not tried"));
  }
  if (!report.not_ready.empty()) {
    parts.push_back(util::cat(plural(report.not_ready.size(), "object"), " not ready"));
  }
  std::string text = util::join(parts, ", ");
  if (text.empty()) {
    text = "not done";
  }
  return util::make_error(kind, util::cat(text, " (", report.results.size(), " in all)"));
}

/// The kind that all failures share, else internal (exit code 1).
ErrorKind failure_kind(const Report& report) {
  std::optional<ErrorKind> kind;
  for (const ObjectResult& result : report.results) {
    if (result.outcome == Outcome::failed && result.error) {
      if (kind && *kind != result.error->kind) {
        return ErrorKind::internal;
      }
      kind = result.error->kind;
    }
  }
  return kind.value_or(ErrorKind::internal);
}

}  // namespace

void Report::append(Report later) {
  std::move(later.results.begin(), later.results.end(), std::back_inserter(results));
  std::move(later.not_ready.begin(), later.not_ready.end(), std::back_inserter(not_ready));
  std::move(later.errors.begin(), later.errors.end(), std::back_inserter(errors));
  stopped = stopped || later.stopped;
}

std::optional<Error> Report::error() const {
  if (ok()) {
    return std::nullopt;
  }
  if (stopped) {
    Error error = summary(*this, ErrorKind::cancelled);
    error.message = "interrupted: " + error.message;
    return error;
  }
  if (!errors.empty() && count(Outcome::conflict) == 0) {
    if (errors.size() == 1) {
      return errors.front();
    }
    Error error = summary(*this, errors.front().kind);
    error.message = plural(errors.size(), "error");
    error.details = errors;
    return error;
  }
  if (count(Outcome::conflict) > 0) {
    Error error = summary(*this, ErrorKind::conflict);
    error.hint = "Take the fields over with --force-conflicts, or leave them out of the input.";
    return error;
  }
  if (count(Outcome::failed) > 0 || count(Outcome::skipped) > 0) {
    return summary(*this, failure_kind(*this));
  }
  return summary(*this, ErrorKind::not_ready);
}

}  // namespace kubist::apply
