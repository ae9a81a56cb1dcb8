#pragma once
#include <kubist/stats/counts.hpp>

namespace kubist::stats {

/// The line p_c = slope * p_s + offset between the failure rates of canary and stable. slope 1 and
/// offset 0.005: a tolerance of half a point; slope 0: only the bound `offset`, whatever stable
/// does (one sample). Both are at least 0.
struct Margin {
  double slope = 1;
  double offset = 0;
  bool operator==(const Margin&) const = default;
  double at(double stable_rate) const { return slope * stable_rate + offset; }
};

/// A pair of failure rates.
struct Rates {
  double canary = 0;
  double stable = 0;
};

/// The reverse information projection of `alternative` onto `line`: the pair of rates on the line
/// whose distribution of a window is nearest to the alternative's (Kullback-Leibler), where
/// `canary_share` of the window's requests go to the canary. Rates inside (0, 1); the line must
/// pass through the open unit square. Safeguarded Newton, to the last bits. Turner, Ly, Grünwald,
/// "Generic E-variables for exact sequential k-sample tests that allow for optional stopping",
/// 2024, section 4.
Rates project(const Rates& alternative, double canary_share, const Margin& line);

/// The logarithm of one window's e-value: the likelihood ratio of `alternative` to its projection
/// onto `line`. Its exponential has mean at most 1 under every pair of rates on the line's other
/// side, whatever the allocation, so products over windows are e-processes. 0 (no evidence) when
/// the canary had no requests, or stable had none and the line depends on it (slope > 0).
double log_e_value(const Window& window, const Rates& alternative, const Margin& line);

}  // namespace kubist::stats
