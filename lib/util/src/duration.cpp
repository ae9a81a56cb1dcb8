#include <array>
#include <cstdio>
#include <ctime>

#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::util {
namespace {

using std::chrono::nanoseconds;

struct Unit {
  std::string_view name;
  double nanoseconds;
};
// Longest names first, so that "ms" is not read as "m".
constexpr std::array<Unit, 8> k_units{{{"ns", 1},
                                       {"us", 1e3},
                                       {"\xC2\xB5s", 1e3},
                                       {"\xCE\xBCs", 1e3},
                                       {"ms", 1e6},
                                       {"s", 1e9},
                                       {"m", 6e10},
                                       {"h", 3.6e12}}};

auto bad_duration(std::string_view text) {
  return fail(ErrorKind::invalid, cat("not a duration: \"", text, "\""),
              "Write it as 90s, 1m30s or 2h.");
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
  double total = 0;
  while (!rest.empty()) {
    const std::size_t digits = rest.find_first_not_of("0123456789.");
    const std::string number(rest.substr(0, digits));
    if (digits == rest.npos || number.empty() || number == "." ||
        number.find('.') != number.rfind('.')) {
      return bad_duration(text);
    }
    rest.remove_prefix(digits);
    const auto* unit = std::find_if(k_units.begin(), k_units.end(),
                                    [&](const Unit& u) { return rest.starts_with(u.name); });
    if (unit == k_units.end()) {
      return bad_duration(text);
    }
    total += std::stod(number) * unit->nanoseconds;
    rest.remove_prefix(unit->name.size());
  }
  if (total > 9.2e18) {
    return bad_duration(text);
  }
  const auto count = static_cast<long long>(total);
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
  if (d < 8 * 365) {
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
  const auto n = count < 0 ? -count : count;
  const auto decimal = [](long long whole, long long rest, int digits) {
    std::string fraction = std::to_string(rest);
    fraction.insert(0, static_cast<std::size_t>(digits) - fraction.size(), '0');
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
  const long long seconds = n / 1'000'000'000;
  std::string text = sign;
  if (seconds >= 3600) {
    text += cat(seconds / 3600, 'h');
  }
  if (seconds >= 60) {
    text += cat(seconds / 60 % 60, 'm');
  }
  return text + cat(decimal(seconds % 60, n % 1'000'000'000, 9), 's');
}

namespace {

std::string format_with(std::chrono::system_clock::time_point time, int digits) {
  using namespace std::chrono;
  const auto micros = duration_cast<microseconds>(time.time_since_epoch()).count();
  const std::time_t seconds = micros / 1'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 48> buffer{};
  std::size_t size = std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (digits > 0) {
    size += static_cast<std::size_t>(std::snprintf(buffer.data() + size, buffer.size() - size,
                                                   ".%06lld",
                                                   static_cast<long long>(micros % 1'000'000)));
  }
  return std::string(buffer.data(), size) + 'Z';
}

}  // namespace

std::string format_time(std::chrono::system_clock::time_point time) { return format_with(time, 0); }
std::string format_micro_time(std::chrono::system_clock::time_point time) {
  return format_with(time, 6);
}

Result<std::chrono::system_clock::time_point> parse_time(std::string_view text) {
  const std::string copy(text);
  std::tm parts{};
  const char* rest = strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr) {
    return fail(ErrorKind::invalid, cat("not an RFC 3339 time: \"", text, "\""));
  }
  double fraction = 0;
  if (*rest == '.') {
    char* end = nullptr;
    fraction = std::strtod(rest, &end);
    rest = end;
  }
  long offset = 0;
  if (*rest == '+' || *rest == '-') {
    int hours = 0;
    int minutes = 0;
    if (std::sscanf(rest + 1, "%2d:%2d", &hours, &minutes) != 2) {  // NOLINT: checked by count
      return fail(ErrorKind::invalid, cat("not an RFC 3339 time: \"", text, "\""));
    }
    offset = (*rest == '+' ? 1L : -1L) * (hours * 3600L + minutes * 60L);
  } else if (*rest != 'Z' && *rest != 'z') {
    return fail(ErrorKind::invalid, cat("not an RFC 3339 time: \"", text, "\""));
  }
  using namespace std::chrono;
  return system_clock::from_time_t(timegm(&parts) - offset) +
         duration_cast<system_clock::duration>(duration<double>(fraction));
}

}  // namespace kubist::util
