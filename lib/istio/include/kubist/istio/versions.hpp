#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/util/result.hpp>
#include <kubist/util/version.hpp>

namespace kubist::istio {

/// The number of a release: "1.30.3", "1.30.3-distroless", "v1.30.3"; nothing for anything else.
/// What stands behind it ("-rc.0", "-distroless") is left out.
std::optional<util::Version> parse_version(std::string_view text);
/// The version in an image's tag: "docker.io/istio/pilot:1.30.3-debug" -> "1.30.3". Empty for
/// digests and private tags.
std::string version_of_image(std::string_view image);

/// What is known of one minor release.
struct Release {
  int minor = 0;            ///< 30 for 1.30
  std::string end_of_life;  ///< "2026-11-30", the last day of support; empty: not known
  int kubernetes_min = 0;   ///< minor versions; 0: not known
  int kubernetes_max = 0;
  std::string newest;  ///< the newest patch release known; empty: not known
};

/// Which releases are supported, as of a day: it ages, so it can be replaced.
struct SupportTable {
  std::string as_of;  ///< "2026-08-31"
  std::vector<Release> releases;
  int oldest_minor =
      22;             ///< what kubist is made for: networking.istio.io/v1 is served from 1.22 on
  int proxy_lag = 1;  ///< how many minor versions proxies may be behind istiod

  /// Null for a release that the table does not have.
  const Release* find(int minor) const;
  /// Is it older than all releases of the table?
  bool older_than_all(int minor) const;
};

/// The table that kubist was built with.
const SupportTable& built_in_support();

/// The built-in table with what a YAML or JSON file says instead:
///
///     asOf: "2027-03-01"
///     releases:
///     - {version: "1.31", endOfLife: "2027-02-28", kubernetes: {min: 32, max: 36}, newest: 1.31.4}
///
/// A release replaces the built-in one as a whole. Invalid: not that shape, with the place.
util::Result<SupportTable> read_support(const std::filesystem::path& file);

}  // namespace kubist::istio
