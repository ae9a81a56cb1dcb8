#include <algorithm>
#include <charconv>
#include <tuple>

#include <kubist/util/text.hpp>
#include <kubist/util/version.hpp>

namespace kubist::util {
namespace {

// A number is before a word.
std::strong_ordering compare_identifiers(const std::string& a, const std::string& b) {
  const auto x = parse_int(a);
  const auto y = parse_int(b);
  if (x && y) {
    return *x <=> *y;
  }
  return x || y ? y.has_value() <=> x.has_value() : a <=> b;
}

}  // namespace

std::strong_ordering Version::operator<=>(const Version& other) const {
  const auto by_number =
      std::tie(major, minor, patch) <=> std::tie(other.major, other.minor, other.patch);
  if (by_number != 0) {
    return by_number;
  }
  if (prerelease.empty() || other.prerelease.empty()) {
    return prerelease.empty() <=> other.prerelease.empty();
  }
  const auto own = split(prerelease, '.');
  const auto others = split(other.prerelease, '.');
  return std::lexicographical_compare_three_way(own.begin(), own.end(), others.begin(),
                                                others.end(), compare_identifiers);
}

std::optional<Version> parse_version(std::string_view text) {
  if (text.starts_with('v')) {
    text.remove_prefix(1);
  }
  text = text.substr(0, text.find('+'));
  Version version;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int* part : {&version.major, &version.minor, &version.patch}) {
    if (part != &version.major) {
      if (at == end || *at != '.') {
        return std::nullopt;
      }
      ++at;
    }
    const auto [rest, error] = std::from_chars(at, end, *part);
    if (error != std::errc() || *part < 0) {
      return std::nullopt;
    }
    at = rest;
  }
  if (at != end && *at != '-') {
    return std::nullopt;  // 1.30.3x or 1.30.3.1 are somebody's own numbers
  }
  version.prerelease.assign(at == end ? at : at + 1, end);
  return version;
}

}  // namespace kubist::util
