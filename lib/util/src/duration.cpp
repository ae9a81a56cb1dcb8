#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::util {
namespace {

using std::chrono::nanoseconds;

using Count = std::uint64_t;  // of nanoseconds, without the sign
constexpr Count k_most = std::numeric_limits<std::int64_t>::max();

struct Unit {
  std::string_view name;
  Count nanoseconds;
};
constexpr std::array<Unit, 8> k_units{{{"ns", 1},
                                       {"us", 1'000},
                                       {"\xC2\xB5s", 1'000},
                                       {"\xCE\xBCs", 1'000},
                                       {"ms", 1'000'000},
                                       {"s", 1'000'000'000},
                                       {"m", 60'000'000'000},
                                       {"h", 3'600'000'000'000}}};

auto bad_duration(std::string_view text) {
  return fail(ErrorKind::invalid, cat("not a duration: \"", text, "\""),
              "Write it as 90s, 1m30s or 2h.");
}

/// Takes the digits at the start of `text` away.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

/// Takes one number with its unit away. In integers, as Go does it: 1.15s is not a nanosecond less.
std::optional<Count> take_term(std::string_view& text) {
  const std::string_view whole = take_digits(text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(text);
  }
  const auto* unit = std::find_if(k_units.begin(), k_units.end(),
                                  [&](const Unit& u) { return text.starts_with(u.name); });
  if ((whole.empty() && fraction.empty()) || unit == k_units.end()) {
    return std::nullopt;
  }
  text.remove_prefix(unit->name.size());
  Count count = 0;
  for (const char c : whole) {
    count = count * 10 + static_cast<Count>(c - '0');
    if (count > k_most / unit->nanoseconds) {
      return std::nullopt;
    }
  }
  count *= unit->nanoseconds;
  Count numerator = 0;
  double scale = 1;
  for (const char c : fraction.substr(0, 18)) {  // more are far below a nanosecond
    numerator = numerator * 10 + static_cast<Count>(c - '0');
    scale *= 10;
  }
  const double part =
      static_cast<double>(numerator) * (static_cast<double>(unit->nanoseconds) / scale);
  return count + static_cast<Count>(part);
}

}  // namespace

Result<nanoseconds> parse_duration(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) {
    rest.remove_prefix(1);
  }
  if (rest == "0") {
    return nanoseconds(0);
  }
  if (rest.empty()) {
    return bad_duration(text);
  }
  Count total = 0;
  while (!rest.empty()) {
    const auto term = take_term(rest);
    if (!term || *term > k_most - total) {
      return bad_duration(text);
    }
    total += *term;
  }
  const auto count = static_cast<std::int64_t>(total);
  return nanoseconds(negative ? -count : count);
}

// k8s.io/apimachinery pkg/util/duration HumanDuration.
std::string human_duration(std::chrono::seconds age) {
  const long long s = age.count();
  const long long m = s / 60;
  const long long h = m / 60;
  const long long d = h / 24;
  const auto pair = [](long long a, char unit, long long b, char small) {
    return b == 0 ? cat(a, unit) : cat(a, unit, b, small);
  };
  if (s < -1) {
    return "<invalid>";
  }
  if (s < 120) {
    return cat(std::max(0LL, s), 's');
  }
  if (m < 10) {
    return pair(m, 'm', s % 60, 's');
  }
  if (m < 180) {
    return cat(m, 'm');
  }
  if (h < 8) {
    return pair(h, 'h', m % 60, 'm');
  }
  if (h < 48) {
    return cat(h, 'h');
  }
  if (h < 192) {
    return pair(d, 'd', h % 24, 'h');
  }
  if (d < 730) {
    return cat(d, 'd');
  }
  if (d < 8LL * 365) {
    return pair(d / 365, 'y', d % 365, 'd');
  }
  return cat(d / 365, 'y');
}

std::string go_duration(nanoseconds duration) {
  const long long count = duration.count();
  if (count == 0) {
    return "0s";
  }
  const std::string sign = count < 0 ? "-" : "";
  const auto n = count < 0 ? -static_cast<Count>(count) : static_cast<Count>(count);
  const auto decimal = [](Count whole, Count rest, std::size_t digits) {
    std::string fraction = std::to_string(rest);
    fraction.insert(0, digits - fraction.size(), '0');
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return fraction.empty() ? cat(whole) : cat(whole, '.', fraction);
  };
  if (n < 1'000) {
    return cat(sign, n, "ns");
  }
  if (n < 1'000'000) {
    return cat(sign, decimal(n / 1'000, n % 1'000, 3), "\xC2\xB5s");
  }
  if (n < 1'000'000'000) {
    return cat(sign, decimal(n / 1'000'000, n % 1'000'000, 6), "ms");
  }
  const Count seconds = n / 1'000'000'000;
  std::string text = sign;
  if (seconds >= 3600) {
    text += cat(seconds / 3600, 'h');
  }
  if (seconds >= 60) {
    text += cat(seconds / 60 % 60, 'm');
  }
  return text + cat(decimal(seconds % 60, n % 1'000'000'000, 9), 's');
}

}  // namespace kubist::util
