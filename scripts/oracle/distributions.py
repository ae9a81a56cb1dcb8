#!/usr/bin/env python3
"""Distributions and tests by SciPy, the former checked by mpmath with 40 digits; writes
tests/data/stats/distributions.json. Usage: see README.md beside this file."""
import json
import math
import pathlib
import random

import mpmath
from mpmath import mp, mpf
from scipy import stats

mp.dps = 40


def agree(what, value, exact, relative=1e-11):
    """SciPy's value, after mpmath has confirmed it."""
    assert abs(mpf(float(value)) - exact) <= relative * abs(exact), (what, value, exact)
    return float(value)


def normal_cases():
    cases = []
    for z in (-37, -8.5, -3, -1.96, -0.5, 0, 1e-9, 0.3, 1.6448536269514722, 4, 9, 30):
        cases.append({"z": z, "cdf": agree("ncdf", stats.norm.cdf(z), mpmath.ncdf(z)),
                      "tail": agree("nsf", stats.norm.sf(z), mpmath.ncdf(-z))})
    return {"values": cases}


def t_tail(t, v):
    """P(T > t) through the incomplete beta function."""
    t, v = mpf(t), mpf(v)
    half = mpmath.betainc(v / 2, mpf(1) / 2, 0, v / (v + t * t), regularized=True) / 2
    return half if t >= 0 else 1 - half


def t_cases():
    values, quantiles = [], []
    for v in (1, 2.5, 7, 30, 123.4, 5000):
        for t in (-40, -5, -1, 0.1, 2, 6, 15):
            values.append({"t": t, "freedom": v, "cdf": agree("tcdf", stats.t.cdf(t, v), t_tail(-t, v)),
                           "tail": agree("tsf", stats.t.sf(t, v), t_tail(t, v))})
        for p in (1e-8, 0.01, 0.05, 0.4, 0.9, 0.995):
            t = stats.t.ppf(p, v)
            # p back from the quantile, and Newton's correction: the quantile's own error.
            density = mpmath.gamma((mpf(v) + 1) / 2) / mpmath.gamma(mpf(v) / 2) / mpmath.sqrt(v * mpmath.pi) * \
                (1 + mpf(t) ** 2 / v) ** (-(mpf(v) + 1) / 2)
            exact = mpf(t) - (t_tail(-t, v) - mpf(p)) / density
            quantiles.append({"p": p, "freedom": v, "t": agree("tppf", t, exact)})
    return {"values": values, "quantiles": quantiles}


def beta_cdf(x, a, b):
    """The regularised incomplete beta function by its continued fraction (DLMF 8.17.22), backwards."""
    x, a, b = mpf(x), mpf(a), mpf(b)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_cdf(1 - x, b, a)
    fraction = mpf(0)
    for i in range(3000, 0, -1):
        m = i // 2
        if i % 2 == 0:
            step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        fraction = step / (1 + fraction)
    scale = a * mpmath.log(x) + b * mpmath.log(1 - x) + mpmath.loggamma(a + b) - mpmath.loggamma(a) - mpmath.loggamma(b)
    return mpmath.exp(scale) / a / (1 + fraction)


def beta_cases():
    values, quantiles = [], []
    for a, b in ((0.5, 0.5), (1, 1), (0.5, 1000.5), (3.5, 200), (12, 5), (1000.5, 99000.5), (5e4, 5e4), (2.5, 1e6)):
        mean = a / (a + b)
        deviation = math.sqrt(mean * (1 - mean) / (a + b + 1))
        for s in (-6, -3, -1, 0, 0.7, 2, 5):
            x = mean + s * deviation
            if not 0 < x < 1:
                continue
            low = beta_cdf(x, a, b)
            high = beta_cdf(1 - mpf(x), b, a)
            values.append({"a": a, "b": b, "x": x, "cdf": agree("bcdf", stats.beta.cdf(x, a, b), low, 1e-10),
                           "tail": agree("bsf", stats.beta.sf(x, a, b), high, 1e-10)})
        for p in (1e-9, 0.001, 0.05, 0.5, 0.9, 0.999):
            x = stats.beta.ppf(p, a, b)
            density = mpf(x) ** (a - 1) * (1 - mpf(x)) ** (b - 1) / mpmath.beta(a, b)
            exact = mpf(x) - (beta_cdf(x, a, b) - mpf(p)) / density
            quantiles.append({"a": a, "b": b, "p": p, "x": agree("bppf", x, exact, 1e-10)})
    return {"values": values, "quantiles": quantiles}


def binomial_cases():
    cases = []
    for n, p in ((10, 0.3), (1000, 0.01), (100000, 0.001), (692, 0.0005)):
        for k in (0, 1, 3, 10, round(n * p), round(n * p * 1.3)):
            if k <= n:
                cases.append({"n": n, "p": p, "k": k, "cdf": float(stats.binom.cdf(k, n, p))})
    bounds = [{"n": n, "k": k, "level": level,
               "bound": float(stats.binomtest(k, n, alternative="less").proportion_ci(level, "exact").high)}
              for n, k in ((20, 0), (500, 3), (100000, 1000), (50, 50)) for level in (0.9, 0.99)]
    return {"values": cases, "bounds": bounds}


def z_cases(rng):
    """The pooled z-test is the square root of the chi-squared test without correction."""
    cases = []
    for nc, kc, ns, ks in ((100, 3, 900, 10), (50, 0, 1000, 30), (4000, 90, 4000, 80), (20, 5, 80, 2), (10**6, 10300, 9 * 10**6, 90000)):
        table = [[kc, nc - kc], [ks, ns - ks]]
        chi = stats.chi2_contingency(table, correction=False)
        z = math.copysign(math.sqrt(chi.statistic), kc / nc - ks / ns)
        cases.append({"counts": [nc, kc, ns, ks], "z": z, "twoSided": float(chi.pvalue), "greater": float(stats.norm.sf(z))})
    return cases


def sample_cases(rng):
    cases = []
    for n1, n2, round_to, shift in ((5, 7, 3, 0), (20, 20, 1, 0.3), (50, 400, 0, 0.2), (30, 30, 6, 2), (100, 90, 1, -1), (8, 8, 0, 0)):
        x = [round(rng.gauss(shift, 1), round_to) for _ in range(n1)]
        y = [round(rng.gauss(0, 1.5), round_to) for _ in range(n2)]
        greater = stats.mannwhitneyu(x, y, alternative="greater", method="asymptotic")
        both = stats.mannwhitneyu(x, y, alternative="two-sided", method="asymptotic")
        welch = stats.ttest_ind(x, y, equal_var=False)
        cases.append({"first": x, "second": y,
                      "mannWhitney": {"u": float(both.statistic), "greater": float(greater.pvalue), "twoSided": float(both.pvalue)},
                      "welch": {"t": float(welch.statistic), "freedom": float(welch.df), "twoSided": float(welch.pvalue),
                                "greater": float(stats.ttest_ind(x, y, equal_var=False, alternative="greater").pvalue)}})
    return cases


def posterior_by_sum(nc, kc, ns, ks):
    """P(p_c > p_s) with uniform priors, in closed form (Miller, "Formulas for Bayesian A/B testing", 2014)."""
    a, b, c, d = mpf(ks + 1), mpf(ns - ks + 1), mpf(kc + 1), mpf(nc - kc + 1)

    def term(i):
        logs = mpmath.loggamma(a + i) + mpmath.loggamma(b + d) - mpmath.loggamma(a + i + b + d)
        logs -= mpmath.log(d + i)
        logs -= mpmath.loggamma(1 + i) + mpmath.loggamma(d) - mpmath.loggamma(1 + i + d)
        logs -= mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)
        return mpmath.exp(logs)

    return mpmath.fsum(term(i) for i in range(kc + 1))


def posterior_by_integral(nc, kc, ns, ks):
    """P(p_c > p_s) with Jeffreys' priors."""
    half = mpf(1) / 2
    a, b, c, d = kc + half, nc - kc + half, ks + half, ns - ks + half

    def integrand(root):
        x = root * root  # takes the singularity at 0 away
        density = x ** (a - 1) * (1 - x) ** (b - 1) / mpmath.beta(a, b)
        return 2 * root * density * mpmath.betainc(c, d, 0, x, regularized=True)

    return mpmath.quad(integrand, [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 1])


def posterior_cases():
    cases = []
    for nc, kc, ns, ks in ((100, 3, 900, 10), (50, 0, 1000, 3), (0, 0, 100, 1), (400, 20, 400, 5), (30, 0, 3000, 300),
                           (5000, 50, 50000, 500), (20000, 600, 100000, 2000)):
        cases.append({"counts": [nc, kc, ns, ks], "prior": 1, "worse": float(posterior_by_sum(nc, kc, ns, ks)),
                      "better": float(posterior_by_sum(ns, ks, nc, kc))})
    mp.dps = 20
    for nc, kc, ns, ks in ((20, 0, 60, 1), (50, 4, 100, 3)):
        worse = posterior_by_integral(nc, kc, ns, ks)
        cases.append({"counts": [nc, kc, ns, ks], "prior": 0.5, "worse": float(worse), "better": float(1 - worse)})
    mp.dps = 40
    return cases


def main():
    rng = random.Random(7)
    result = {"normal": normal_cases(), "t": t_cases(), "beta": beta_cases(), "binomial": binomial_cases(),
              "zTests": z_cases(rng), "samples": sample_cases(rng), "posteriors": posterior_cases()}
    path = pathlib.Path(__file__).parents[2] / "tests/data/stats/distributions.json"
    path.write_text("{\n" + ",\n".join(f'"{key}": {json.dumps(value)}' for key, value in result.items()) + "\n}\n")
    print(path, path.stat().st_size)


if __name__ == "__main__":
    main()
