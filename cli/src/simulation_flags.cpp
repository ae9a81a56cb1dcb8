#include "simulation_flags.hpp"

#include <charconv>
#include <cmath>

#include <kubist/util/text.hpp>

namespace kubist::cli {

using data::Json;
using util::cat;
using util::ErrorKind;
using util::Result;

Result<Json> percents_of(const Arguments& arguments) {
  Json weights = Json::array();
  for (const std::string& text : util::split(arguments.text("steps"), '-')) {
    const auto percent = util::parse_int(text);
    if (!percent) {
      return util::fail(ErrorKind::usage, cat("invalid value \"", text,
                                              "\" for --steps: expected percents like 5-25-100"));
    }
    weights.push_back(*percent);
  }
  return weights;
}

namespace {

Result<double> read_number(const std::string& text, std::string_view flag) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return util::fail(ErrorKind::usage,
                      cat("invalid value \"", text, "\" for --", flag, ": expected a number"));
  }
  return value;
}

}  // namespace

Result<double> number_of(const Arguments& arguments, std::string_view flag, double unit) {
  KUBIST_TRY(const double value, read_number(arguments.text(flag), flag));
  return value * unit;
}

Result<double> percent_of(const Arguments& arguments, std::string_view flag) {
  std::string text = arguments.text(flag);
  const bool is_percent = text.ends_with('%');
  if (is_percent) {
    text.pop_back();
  }
  KUBIST_TRY(const double value, read_number(text, flag));
  if (!is_percent && value > 0 && value <= 1) {
    const double as_share = std::round(value * 1e8) / 1e6;
    return util::fail(
        ErrorKind::usage,
        cat('"', text, "\" for --", flag, " may mean ", text, " % or ", as_share, " %"),
        cat("The flag takes percent: write ", text, "% or ", as_share, "%."));
  }
  return value * k_percent;
}

Result<> check_not_given(const Arguments& arguments, std::initializer_list<std::string_view> flags,
                         std::string_view why) {
  for (const std::string_view flag : flags) {
    if (arguments.given(flag)) {
      return util::fail(ErrorKind::usage, cat("--", flag, ' ', why));
    }
  }
  return {};
}

Result<simulation::TrafficModel> read_traffic(const Arguments& arguments) {
  simulation::TrafficModel traffic;
  KUBIST_TRY(const double stable, percent_of(arguments, "stable-success"));
  KUBIST_TRY(const double canary, percent_of(arguments, "canary-success"));
  traffic.stable_rate = 1 - stable;
  traffic.canary_rate = 1 - canary;
  KUBIST_TRY(traffic.requests_per_second, number_of(arguments, "rps"));
  KUBIST_TRY(traffic.correlation, number_of(arguments, "icc"));
  KUBIST_TRY(traffic.rising, number_of(arguments, "rising"));
  traffic.interval =
      std::chrono::duration_cast<std::chrono::milliseconds>(arguments.duration("interval"));
  traffic.past_windows = static_cast<int>(arguments.number("past"));
  const long long bad_from = arguments.number("bad-from-step");
  if (bad_from < 1) {
    return util::fail(ErrorKind::usage, "--bad-from-step counts from 1");
  }
  traffic.bad_from = static_cast<std::size_t>(bad_from - 1);
  if (auto checked = simulation::check_traffic(traffic); !checked) {
    checked.error().kind = ErrorKind::usage;
    return util::fail(checked.error());
  }
  return traffic;
}

}  // namespace kubist::cli
