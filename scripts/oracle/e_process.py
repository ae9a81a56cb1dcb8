#!/usr/bin/env python3
"""The e-process of docs/background/statistics.md in mpmath, 50 digits; writes tests/data/stats/e_process.json.

Written from the formulas alone, not from the C++: the projection by plain bisection, every product
and mean with full precision. Usage: see README.md beside this file.
"""
import json
import pathlib
import random

from mpmath import binomial, exp, fsum, log, mp, mpf, sqrt

mp.dps = 50
ABORT = [mpf(d) / 1000 for d in (5, 10, 20, 40, 80, 160, 320, 640)]


def project(ts, tc, share, m, d):
    """The point of y = m x + d nearest to (ts, tc), by bisection of the divergence's derivative."""
    if m == 0:
        return ts, d
    low = max(min(ts, (tc - d) / m), mpf(0))
    high = min(max(ts, (tc - d) / m), (1 - d) / m, mpf(1))

    def slope(x):
        y = m * x + d
        return share * m * (y - tc) / (y * (1 - y)) + (1 - share) * (x - ts) / (x * (1 - x))

    for _ in range(190):
        middle = (low + high) / 2
        if slope(middle) < 0:
            low = middle
        else:
            high = middle
    x = (low + high) / 2
    return x, m * x + d


def log_e(window, ts, tc, m, d):
    nc, kc, ns, ks = map(mpf, window)
    if nc == 0 or (ns == 0 and m > 0):
        return mpf(0)
    x, y = project(ts, tc, nc / (nc + ns), m, d)
    result = kc * log(tc / y) + (nc - kc) * log((1 - tc) / (1 - y))
    if m > 0:
        result += ks * log(ts / x) + (ns - ks) * log((1 - ts) / (1 - x))
    return result


def terms(test, window, past):
    m, d = test["m"], test["d"]
    ts = (past[1] + mpf(1) / 2) / (past[0] + 1)
    line = m * ts + d
    result = []
    for distance in test["distances"]:
        if test["side"] == "above":
            tc = min(line + distance, mpf("0.995"))
            room = tc > line
        else:
            tc = min(max(line - distance, line / 1000), mpf("0.995"))
            room = tc < line and d < 1
        result.append(log_e(window, ts, tc, m, d) if room else mpf(0))
    return result


def log_mean(logs):
    return log(fsum(exp(value) for value in logs) / len(logs))


def above(m, d):
    return {"side": "above", "m": mpf(m), "d": mpf(d), "distances": ABORT}


def below(m, d, allowed):
    allowed = mpf(allowed)
    return {"side": "below", "m": mpf(m), "d": mpf(d) + allowed, "d0": mpf(d), "allowed": allowed,
            "distances": [allowed, allowed * 3 / 4, allowed / 2]}


def describe(test):
    return {"side": test["side"], "slope": float(test["m"]),
            "offset": float(test.get("d0", test["d"])), "allowed": float(test.get("allowed", 0))}


def random_window(rng, total, share, pc, ps):
    nc = sum(rng.random() < share for _ in range(min(total, 2000)))
    nc = nc * max(total, 1) // max(min(total, 2000), 1)
    ns = total - nc
    kc = min(nc, max(0, round(rng.gauss(nc * pc, (nc * pc * (1 - pc)) ** 0.5))))
    ks = min(ns, max(0, round(rng.gauss(ns * ps, (ns * ps * (1 - ps)) ** 0.5))))
    return [nc, kc, ns, ks]


def process_cases(rng):
    """Single processes over windows: ln e of each, and ln E after each."""
    tests = [above(1, "0"), above(1, "0.005"), above(1, "0.05"), above(2, "0"), above("1.5", "0.01"),
             above("0.5", "0.002"), above(0, "0.01"), above(0, "0.3"),
             below(1, "0", "0.01"), below(1, "0", "0.1"), below(1, "0", "0.5"), below(1, "0.005", "0.02"),
             below("1.5", "0", "0.04"), below(0, "0.01", "0.02"), below(1, "0", "1.2")]
    rates = [(0.001, 0.001), (0.02, 0.01), (0.3, 0.3), (0.5, 0.05), (0.0, 0.0), (0.97, 0.9)]
    totals = [30, 1000, 10**6, 2 * 10**9]
    cases = []
    for test in tests:
        for (pc, ps), total in ((r, t) for r in rates for t in totals):
            if rng.random() < 0.5:
                continue
            share = rng.choice([0.05, 0.1, 0.5])
            past = rng.choice([[0, 0], [500, round(500 * ps)], [10**6, round(10**6 * ps)]])
            windows = [random_window(rng, total, share, pc, ps) for _ in range(3)]
            if rng.random() < 0.2:
                windows[1] = [0, 0, windows[1][2], windows[1][3]]
            if rng.random() < 0.2:
                windows[2] = [windows[2][0], windows[2][1], 0, 0]
            seen = [mpf(past[0]), mpf(past[1])]
            sums = [mpf(0)] * len(test["distances"])
            each, values, scales = [], [], []
            for window in windows:
                new = terms(test, window, seen)
                sums = [a + b for a, b in zip(sums, new)]
                each.append([float(value) for value in new])
                values.append(float(log_mean(sums)))
                seen = [seen[0] + window[2], seen[1] + window[3]]
            cases.append({**describe(test), "past": past, "windows": windows, "logTerms": each,
                          "logE": values})
    return cases


def projection_cases(rng):
    cases = []
    for _ in range(60):
        m = mpf(rng.choice(["1", "2", "0.5", "1"]))
        d = mpf(rng.choice(["0", "0.005", "0.2"]))
        ts = mpf(10) ** mpf(rng.uniform(-8, -0.8))
        share = mpf(rng.choice(["0.001", "0.05", "0.5", "0.99"]))
        line = m * ts + d
        tc = line + (mpf("0.995") - line) * mpf(rng.random()) if rng.random() < 0.5 else line * mpf(rng.random())
        # The program gets the nearest doubles.
        ts, tc, share, d, m = (mpf(float(v)) for v in (ts, tc, share, d, m))
        x, y = project(ts, tc, share, m, d)
        cases.append({"slope": float(m), "offset": float(d), "stable": float(ts), "canary": float(tc),
                      "share": float(share), "projectedStable": float(x), "projectedCanary": float(y)})
    return cases


def rollout_cases(rng):
    """Several clusters and steps: restarted, averaged, joined, and two metrics by weights."""
    cases = []
    for clusters, steps, planned in ((1, 1, 1), (1, 3, 5), (2, 2, 5), (3, 4, 4), (4, 1, 10)):
        for tolerance in ("0", "0.005"):
            test = above(1, tolerance)
            rows, logs = [], []
            for step in range(steps):
                for _ in range(3):
                    rows.append([step, [random_window(rng, 400, 0.05 * 2**step, 0.02, 0.012)
                                        for _ in range(clusters)]])
            past = [[200, 2] for _ in range(clusters)]
            seen = [[mpf(a), mpf(b)] for a, b in past]
            products = [[] for _ in range(clusters)]  # [cluster][step][alternative]
            for step, windows in rows:
                for c, window in enumerate(windows):
                    while len(products[c]) <= step:
                        products[c].append([mpf(0)] * len(ABORT))
                    new = terms(test, window, seen[c])
                    products[c] = [[a + b for a, b in zip(p, new)] for p in products[c]]
                    seen[c] = [seen[c][0] + window[2], seen[c][1] + window[3]]
            total = mpf(planned - steps)
            for step in range(steps):
                values = [fsum(exp(v) for v in products[c][step]) / len(ABORT) for c in range(clusters)]
                product = mpf(1)
                for value in values:
                    product *= value
                total += product if clusters == 1 else product / 2 + fsum(values) / clusters / 2
            joint = total / planned
            weight = mpf("0.7")
            cases.append({**describe(test), "past": past, "planned": planned, "rows": rows,
                          "logE": float(log(joint)), "otherLogE": -1.5, "weight": float(weight),
                          "weighted": float(log(mpf(float(weight)) * joint + mpf(1 - float(weight)) * exp(mpf(-1.5))))})
    return cases


def design_cases(rng):
    cases = []
    for T, n, p, spread in ((30, 50, 0.02, 0.0), (40, 200, 0.1, 0.05), (100, 20, 0.01, 0.01), (35, 10**6, 0.001, 1e-4)):
        windows = []
        for _ in range(T):
            size = rng.randint(n // 2, n)
            rate = min(1, max(0, rng.gauss(p, spread)))
            windows.append([size, min(size, max(0, round(rng.gauss(size * rate, (size * rate) ** 0.5))))])
        total = mpf(sum(w[0] for w in windows))
        rate = sum(w[1] for w in windows) / total
        x2 = fsum((k - size * rate) ** 2 / (size * rate * (1 - rate)) for size, k in windows)
        rho = (x2 / (T - 1) - 1) / (total / T - 1)
        cases.append({"windows": windows, "correlation": float(min(max(rho, 0), 1))})
    return cases


def sequence_cases(rng):
    """Asymptotic confidence sequences for a mean (Waudby-Smith et al., 2024)."""
    cases = []
    for n, alpha, best in ((20, 0.05, 50), (35, 0.01, 100), (200, 0.05, 50)):
        values = [round(rng.gauss(3, 2), 6) for _ in range(n)]
        exact = [mpf(v) for v in values]
        mean = fsum(exact) / n
        variance = fsum((v - mean) ** 2 for v in exact) / n

        def rho2(a):
            return (-2 * log(a) + log(-2 * log(a) + 1)) / best

        a = mpf(alpha)
        r = rho2(a)
        two = sqrt(variance * 2 * (n * r + 1) / (n * n * r) * log(sqrt(n * r + 1) / a))
        cases.append({"values": values, "alpha": alpha, "bestAt": best, "mean": float(mean),
                      "halfWidth": float(two)})
    return cases


def size_cases():
    """The smallest n that reaches the threshold with the probability, by trying every n."""
    cases = []
    for test, pc, ps, share, threshold, quantile in (
            (below(1, "0", "0.05"), "0.0005", "0.0005", "0.1", 20, 0.5),
            (below(1, "0", "0.05"), "0.0005", "0.0005", "0.1", 20, 0.95),
            (above(1, "0"), "0.2", "0.01", "0.1", 20, 0.5),
            (above(1, "0.005"), "0.1", "0.01", "0.5", 20, 0.95)):
        pc, ps, share = mpf(pc), mpf(ps), mpf(share)
        past = [mpf(10) ** 12, mpf(10) ** 12 * ps]
        # ln e is linear in the counts at one allocation, so one window of each kind is enough.
        good, bad = ([t for t in terms(test, [1, k, (1 - share) / share, (1 - share) / share * ps], past)]
                     for k in (0, 1))
        n = 0
        while True:
            n += 1

            def reached(k):
                return log_mean([g * (n - k) + b * k for g, b in zip(good, bad)]) >= log(mpf(threshold))

            chance = fsum(binomial(n, k) * pc**k * (1 - pc) ** (n - k) for k in range(n + 1) if reached(k))
            if chance >= quantile:
                break
        cases.append({**describe(test), "canary": float(pc), "stable": float(ps), "share": float(share),
                      "threshold": threshold, "quantile": quantile, "requests": n})
    return cases


def main():
    rng = random.Random(20261122)
    result = {"processes": process_cases(rng), "projections": projection_cases(rng),
              "rollouts": rollout_cases(rng), "designEffects": design_cases(rng),
              "confidenceSequences": sequence_cases(rng), "sizes": size_cases()}
    path = pathlib.Path(__file__).parents[2] / "tests/data/stats/e_process.json"
    lines = [f'"{key}": [\n' + ",\n".join(json.dumps(case) for case in cases) + "\n]"
             for key, cases in result.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(path, {key: len(cases) for key, cases in result.items()})


if __name__ == "__main__":
    main()
