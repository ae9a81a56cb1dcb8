#include <array>

#include <kubist/util/quantity.hpp>
#include <kubist/util/text.hpp>

namespace kubist::util {
namespace {

__extension__ using Int128 = __int128;  // nanos of the largest quantity (2^63 Ei is refused) fit
enum class Format { decimal, binary, exponent };

struct Quantity {
  Int128 nanos = 0;
  Format format = Format::decimal;
};

struct Suffix {
  std::string_view text;
  Format format;
  int power;  // of 10 for decimal, of 1024 for binary
};
constexpr std::array<Suffix, 16> k_suffixes{{{"Ki", Format::binary, 1},
                                             {"Mi", Format::binary, 2},
                                             {"Gi", Format::binary, 3},
                                             {"Ti", Format::binary, 4},
                                             {"Pi", Format::binary, 5},
                                             {"Ei", Format::binary, 6},
                                             {"n", Format::decimal, -9},
                                             {"u", Format::decimal, -6},
                                             {"m", Format::decimal, -3},
                                             {"", Format::decimal, 0},
                                             {"k", Format::decimal, 3},
                                             {"M", Format::decimal, 6},
                                             {"G", Format::decimal, 9},
                                             {"T", Format::decimal, 12},
                                             {"P", Format::decimal, 15},
                                             {"E", Format::decimal, 18}}};

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

Result<Quantity> parse(std::string_view text) {
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
  Quantity quantity;
  int power = 9 - fraction;
  const auto* suffix = std::find_if(k_suffixes.begin(), k_suffixes.end(),
                                    [&](const Suffix& s) { return s.text == rest; });
  if (suffix != k_suffixes.end()) {
    quantity.format = suffix->format;
    if (suffix->format == Format::binary) {
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
    quantity.format = Format::exponent;
    power += static_cast<int>(*exponent);
  } else {
    return bad_quantity(text);
  }
  if (!scale_ten(digits, power)) {
    return bad_quantity(text);
  }
  quantity.nanos = negative ? -digits : digits;
  return quantity;
}

std::string to_text(Int128 value) {
  std::string text;
  for (; value > 0; value /= 10) {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
  }
  return text.empty() ? "0" : text;
}

constexpr Int128 k_one = 1'000'000'000;

std::string canonical_binary(Int128 nanos) {
  Int128 units = nanos / k_one;
  std::size_t power = 0;
  while (units % 1024 == 0 && power < 6) {
    units /= 1024;
    ++power;
  }
  return cat(to_text(units), power == 0 ? "" : k_suffixes[power - 1].text);
}

std::string canonical_decimal(Int128 nanos, bool exponent_form) {
  int power = -9;
  while (nanos % 1000 == 0 && power < 18) {
    nanos /= 1000;
    power += 3;
  }
  if (exponent_form) {
    return power == 0 ? to_text(nanos) : cat(to_text(nanos), 'e', power);
  }
  const auto* suffix = std::find_if(k_suffixes.begin() + 6, k_suffixes.end(),
                                    [&](const Suffix& s) { return s.power == power; });
  return cat(to_text(nanos), suffix->text);
}

}  // namespace

Result<std::string> canonical_quantity(std::string_view text) {
  KUBIST_TRY(const Quantity quantity, parse(text));
  if (quantity.nanos == 0) {
    return "0";
  }
  const bool negative = quantity.nanos < 0;
  const Int128 nanos = negative ? -quantity.nanos : quantity.nanos;
  // Below 1024, and for what is no whole number, the server prints decimal, to avoid rounding.
  const bool binary =
      quantity.format == Format::binary && nanos >= 1024 * k_one && nanos % k_one == 0;
  const std::string number = binary ? canonical_binary(nanos)
                                    : canonical_decimal(nanos, quantity.format == Format::exponent);
  return negative ? '-' + number : number;
}

bool same_quantity(std::string_view a, std::string_view b) {
  const auto left = parse(a);
  const auto right = parse(b);
  return left && right && left->nanos == right->nanos;
}

Result<double> quantity_value(std::string_view text) {
  KUBIST_TRY(const Quantity quantity, parse(text));
  return static_cast<double>(quantity.nanos) / 1e9;
}

}  // namespace kubist::util
