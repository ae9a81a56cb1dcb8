#include <array>

#include <kubist/util/quantity.hpp>
#include <kubist/util/text.hpp>

namespace kubist::util {
namespace {

__extension__ using Int128 = __int128;  // nanos of the largest quantity (2^63 Ei is refused) fit

struct Suffix {
  std::string_view text;
  bool binary;
  int power;  // of 10, or of 1024
};
constexpr std::array<Suffix, 16> k_suffixes{{{"Ki", true, 1},
                                             {"Mi", true, 2},
                                             {"Gi", true, 3},
                                             {"Ti", true, 4},
                                             {"Pi", true, 5},
                                             {"Ei", true, 6},
                                             {"n", false, -9},
                                             {"u", false, -6},
                                             {"m", false, -3},
                                             {"", false, 0},
                                             {"k", false, 3},
                                             {"M", false, 6},
                                             {"G", false, 9},
                                             {"T", false, 12},
                                             {"P", false, 15},
                                             {"E", false, 18}}};

constexpr Int128 k_limit = Int128{1} << 120U;

auto bad_quantity(std::string_view text) {
  return fail(ErrorKind::invalid, cat("not a quantity: \"", text, "\""),
              "Write it as 100m, 1.5, 2Gi or 1e3.");
}

// value * 10^power, rounded up as the server rounds below one nano; false on overflow.
bool scale_ten(Int128& value, int power) {
  for (; power > 0; --power) {
    if (value > k_limit / 10) {
      return false;
    }
    value *= 10;
  }
  for (; power < 0; ++power) {
    value = value / 10 + (value % 10 > 0 ? 1 : 0);
  }
  return true;
}

Result<Int128> parse_nanos(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) {
    rest.remove_prefix(1);
  }
  Int128 digits = 0;
  int fraction = 0;
  bool any = false;
  bool point = false;
  for (; !rest.empty(); rest.remove_prefix(1)) {
    const char c = rest.front();
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9' && digits < k_limit / 10) {
      digits = digits * 10 + (c - '0');
      fraction += point ? 1 : 0;
      any = true;
    } else {
      break;
    }
  }
  if (!any) {
    return bad_quantity(text);
  }
  int power = 9 - fraction;
  const auto* suffix = std::find_if(k_suffixes.begin(), k_suffixes.end(),
                                    [&](const Suffix& s) { return s.text == rest; });
  if (suffix != k_suffixes.end()) {
    if (suffix->binary) {
      const unsigned shift = 10U * static_cast<unsigned>(suffix->power);
      if (digits > k_limit >> shift) {
        return bad_quantity(text);
      }
      digits <<= shift;
    } else {
      power += suffix->power;
    }
  } else if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(rest.substr(1).starts_with('+') ? 2 : 1);
    const auto exponent = parse_int(rest);
    if (!exponent || *exponent > 30 || *exponent < -30) {
      return bad_quantity(text);
    }
    power += static_cast<int>(*exponent);
  } else {
    return bad_quantity(text);
  }
  if (!scale_ten(digits, power)) {
    return bad_quantity(text);
  }
  return negative ? -digits : digits;
}

}  // namespace

bool same_quantity(std::string_view a, std::string_view b) {
  const auto left = parse_nanos(a);
  const auto right = parse_nanos(b);
  return left && right && *left == *right;
}

Result<double> quantity_value(std::string_view text) {
  KUBIST_TRY(const Int128 nanos, parse_nanos(text));
  return static_cast<double>(nanos) / 1e9;
}

}  // namespace kubist::util
