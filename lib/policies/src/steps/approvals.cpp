#include "steps/approvals.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::policies {

using util::cat;

namespace {

/// Why an Approval of this weight does not count; empty: it does.
std::string objection(const Json& approval, const ReleaseView& view, std::int64_t attempt) {
  const Json& spec = approval["spec"];
  if (data::string_at(spec, {"target"}) != view.target) {
    return cat("it is for ", data::string_at(spec, {"target"}), ", not for ", view.target);
  }
  if (const auto meant = data::int_at(spec, {"attempt"}, attempt); meant != attempt) {
    return cat("it is for attempt ", meant, ", this is ", attempt);
  }
  const std::string_view until = data::string_at(spec, {"expiresAt"});
  const auto time = util::parse_time(until);
  if (!until.empty() && (!time || *time <= view.now)) {
    return cat("it has expired at ", until);
  }
  return "";
}

std::string yes(const Json& approval, int weight) {
  const std::string_view by = data::string_at(approval, {"spec", "by"});
  const std::string_view reason = data::string_at(approval, {"spec", "reason"});
  return cat(weight, " % is approved", by.empty() ? "" : " by ", by, reason.empty() ? "" : ": ",
             reason);
}

std::string request(const Json& release, std::string_view target, int weight) {
  const std::string_view ns = data::string_at(release, {"metadata", "namespace"});
  return cat(weight, " % for ", target, " needs an approval: kubist canary approve ",
             data::string_at(release, {"metadata", "name"}), ns.empty() ? "" : " -n ", ns,
             " --weight ", weight);
}

}  // namespace

Consent consent_to(const Json& list, const ReleaseView& view, int weight) {
  const Json& release = list["items"][0];
  const auto attempt = data::int_at(release, {"status", "attempt"}, 1);
  std::string unfit;
  for (const Json& item : list["items"]) {
    if (data::string_at(item, {"kind"}) != "Approval" ||
        data::int_at(item, {"spec", "weight"}) != weight) {
      continue;
    }
    const std::string why = objection(item, view, attempt);
    if (why.empty()) {
      return {true, yes(item, weight)};
    }
    unfit = cat(" (Approval ", data::string_at(item, {"metadata", "name"}), ": ", why, ')');
  }
  return {false, cat(request(release, view.target, weight), unfit)};
}

}  // namespace kubist::policies
