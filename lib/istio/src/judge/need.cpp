#include <algorithm>

#include <kubist/istio/need.hpp>
#include <kubist/istio/versions.hpp>
#include <kubist/util/text.hpp>

#include "judge/model.hpp"

namespace kubist::istio {

using util::cat;

namespace {

bool differs(const std::string& have, const std::string& wanted) {
  const auto a = parse_version(have);
  const auto b = parse_version(wanted);
  return a && b ? *a != *b : have != wanted;
}

bool has(const Report& report, std::string_view code) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [&](const Finding& each) { return each.code == code; });
}

std::optional<std::string> why_again(const Report& report, const RevisionReport& revision,
                                     const std::optional<Installed>& installed,
                                     const Wanted& wanted) {
  if (revision.installer == "kubist" && !installed) {
    return "an installation did not come to its end";
  }
  if (revision.installer == "kubist" && has(report, k_scaled_to_zero)) {
    return "istiod is scaled to 0";
  }
  // Of an image by digest it is not known what runs, only what was installed.
  const std::string have =
      revision.version.empty() && installed ? installed->version : revision.version;
  if (!wanted.version.empty() && !have.empty() && differs(have, wanted.version)) {
    return cat("Istio ", have, " is there, ", wanted.version, " is wanted");
  }
  if (!wanted.sha256.empty() && installed && util::lower(wanted.sha256) != installed->sha256) {
    return "other manifests are wanted than those that were installed last";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_install(const Report& report,
                                       const std::optional<Installed>& installed,
                                       const Wanted& wanted) {
  switch (report.verdict) {
    case Verdict::unknown:
    case Verdict::remote:
      return std::nullopt;
    case Verdict::absent:
    case Verdict::leftover:
    case Verdict::partial:
      return summary(report);
    case Verdict::installing:
    case Verdict::unhealthy:
    case Verdict::degraded:
    case Verdict::outdated:
    case Verdict::healthy:
      break;
  }
  return report.revisions.empty() ? std::nullopt
                                  : why_again(report, report.revisions.front(), installed, wanted);
}

}  // namespace kubist::istio
