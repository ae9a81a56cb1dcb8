#pragma once
#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace kubist::util {

/// The version of a release, by semantic versioning 2.0.0.
struct Version {
  int major = 0, minor = 0, patch = 0;
  std::string prerelease = {};  ///< "rc.1" of 1.0.0-rc.1

  /// Item 11 of it: a pre-release is older than its release; numbers in it go by value.
  std::strong_ordering operator<=>(const Version& other) const;
  bool operator==(const Version&) const = default;
};

/// "1.30.3", "v1.30.3-rc.1+build", without what stands behind the plus; nothing for anything else.
std::optional<Version> parse_version(std::string_view text);

}  // namespace kubist::util
