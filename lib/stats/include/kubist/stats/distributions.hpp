#pragma once

/// Distribution functions in double precision over Boost.Math. Parameters outside of their domain
/// give NaN; nothing throws. Any thread.
namespace kubist::stats {

/// Standard normal: P(Z > z).
double normal_tail(double z);

/// Student's t with `freedom` > 0 degrees of freedom, not necessarily whole.
double t_cdf(double t, double freedom);
double t_tail(double t, double freedom);
double t_quantile(double p, double freedom);

/// Beta(a, b), a and b > 0; 0 <= x <= 1.
double beta_cdf(double x, double a, double b);
double beta_tail(double x, double a, double b);
double beta_quantile(double p, double a, double b);

/// P(K <= k) for K binomial with n trials of probability p; k and n may be fractions (through the
/// incomplete beta function).
double binomial_cdf(double k, double n, double p);

/// The upper end of the exact one-sided confidence interval for a rate after k of n, at `level`
/// (Clopper, Pearson, 1934); 1 when n is 0.
double rate_upper_bound(double k, double n, double level);

}  // namespace kubist::stats
