#pragma once
#include <initializer_list>
#include <string_view>

#include <kubist/cli/context.hpp>
#include <kubist/data/json.hpp>
#include <kubist/simulation/simulation.hpp>

namespace kubist::cli {

/// A number, or one in percent as a share; usage: it is none.
util::Result<double> number_of(const Arguments& arguments, std::string_view flag, double unit = 1);
inline constexpr double k_percent = 0.01;

/// A rate in percent ("99" or "99%") as a share. Usage: it is none, or of (0, 1] without the sign:
/// then it may as well be meant as a share.
util::Result<double> percent_of(const Arguments& arguments, std::string_view flag);

/// The percents of --steps.
util::Result<data::Json> percents_of(const Arguments& arguments);

/// Usage, naming both: one of `flags` is given.
util::Result<> check_not_given(const Arguments& arguments,
                               std::initializer_list<std::string_view> flags, std::string_view why);

/// --stable-success, --canary-success, --rps, --icc, --rising, --bad-from-step, --interval.
util::Result<simulation::TrafficModel> read_traffic(const Arguments& arguments);

}  // namespace kubist::cli
