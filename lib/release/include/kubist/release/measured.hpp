#pragma once
#include <kubist/release/plan.hpp>
#include <kubist/release/progress.hpp>

namespace kubist::release {

/// status.measured after an evaluation: what the versions answered since the release is at its
/// weight, as {weight, attempt, seconds, versions: [{name, requests, errors, rates}]}, stable
/// first; `rates`: the shares of errors of the last k_most_rates windows in which both versions had
/// requests. `measured`: that of the evaluation before, or null. `window`: as policies see it
/// ({seconds, arms: {VERSION: {requests, errors}}}; one without arms, of an evaluation between two
/// windows, changes nothing). Null: nothing was measured yet.
inline constexpr std::size_t k_most_rates = 60;
data::Json measured_after(const data::Json& measured, const data::Json& window, const Plan& plan,
                          const Progress& before);

}  // namespace kubist::release
