#include "line_diff.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace kubist::resources {

namespace {

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

/// Myers' "An O(ND) Difference Algorithm" in its linear-space form: finds a point in the middle of
/// a shortest path from both ends at once, then solves the two halves. Lines are numbers here.
/// Where the ends do not meet within k_most_edits it goes on from the furthest point, as GNU diff
/// does: else a megabyte of other short lines, which anybody may write, takes minutes.
class Myers {
 public:
  Myers(const std::vector<int>& a, const std::vector<int>& b, LineDiff& result)
      : m_a(a), m_b(b), m_result(result), m_offset(static_cast<long>(b.size()) + 1) {
    m_forward.resize(a.size() + b.size() + 3);
    m_backward.resize(a.size() + b.size() + 3);
  }

  void run() { solve(0, static_cast<long>(m_a.size()), 0, static_cast<long>(m_b.size())); }

 private:
  struct Point {
    long x;
    long y;
  };
  static constexpr int k_most_edits = 512;  // from each end

  bool same(long x, long y) const {
    return m_a[static_cast<std::size_t>(x)] == m_b[static_cast<std::size_t>(y)];
  }
  long& forward(long k) { return m_forward[static_cast<std::size_t>(k + m_offset)]; }
  long& backward(long k) { return m_backward[static_cast<std::size_t>(k + m_offset)]; }

  void solve(long left, long right, long top, long bottom) {
    while (left < right && top < bottom && same(left, top)) {
      ++left;
      ++top;
    }
    while (left < right && top < bottom && same(right - 1, bottom - 1)) {
      --right;
      --bottom;
    }
    if (left == right || top == bottom) {
      std::fill(m_result.removed.begin() + left, m_result.removed.begin() + right, 1);
      std::fill(m_result.inserted.begin() + top, m_result.inserted.begin() + bottom, 1);
      return;
    }
    // Both ends differ, so the path has at least two edits and each half at least one.
    Point middle = split(left, right, top, bottom);
    solve(left, middle.x, top, middle.y);
    solve(middle.x, right, middle.y, bottom);
  }

  /// The point inside the box that the paths from the left have come furthest to.
  Point furthest(long fmin, long fmax, long right, long bottom) {
    Point best{-1, -1};
    for (long k = fmax; k >= fmin; k -= 2) {
      const long x = std::min({forward(k), right, bottom + k});
      const bool is_inside = x < right || x - k < bottom;
      if (is_inside && x + x - k > best.x + best.y) {
        best = {x, x - k};
      }
    }
    return best;
  }

  Point split(long left, long right, long top, long bottom) {
    const long lowest = left - bottom;
    const long highest = right - top;
    const long start = left - top;
    const long end = right - bottom;
    const bool odd = ((start - end) & 1) != 0;
    long fmin = start;
    long fmax = start;
    long bmin = end;
    long bmax = end;
    forward(start) = left;
    backward(end) = right;
    for (int edits = 0;; ++edits) {
      if (edits == k_most_edits) {
        return furthest(fmin, fmax, right, bottom);
      }
      // One diagonal more on each side; outside the box a sentinel keeps paths from leaving it.
      fmin > lowest ? forward(--fmin - 1) = -1 : ++fmin;
      fmax < highest ? forward(++fmax + 1) = -1 : --fmax;
      for (long k = fmax; k >= fmin; k -= 2) {
        long x = std::max(forward(k - 1) + 1, forward(k + 1));
        while (x < right && x - k < bottom && same(x, x - k)) {
          ++x;
        }
        forward(k) = x;
        if (odd && bmin <= k && k <= bmax && backward(k) <= x) {
          return {x, x - k};
        }
      }
      constexpr long k_far = std::numeric_limits<long>::max();
      bmin > lowest ? backward(--bmin - 1) = k_far : ++bmin;
      bmax < highest ? backward(++bmax + 1) = k_far : --bmax;
      for (long k = bmax; k >= bmin; k -= 2) {
        long x = std::min(backward(k - 1), backward(k + 1) - 1);
        while (x > left && x - k > top && same(x - 1, x - k - 1)) {
          --x;
        }
        backward(k) = x;
        if (!odd && fmin <= k && k <= fmax && x <= forward(k)) {
          return {x, x - k};
        }
      }
    }
  }

  const std::vector<int>& m_a;
  const std::vector<int>& m_b;
  LineDiff& m_result;
  long m_offset;
  std::vector<long> m_forward;
  std::vector<long> m_backward;
};

/// Slides each run of changed lines down as far as it goes, as GNU diff does: an added list item
/// then shows as itself rather than as the tail of its neighbour.
void slide_down(const std::vector<int>& lines, std::vector<char>& changed) {
  std::size_t begin = 0;
  while (begin < lines.size()) {
    if (changed[begin] == 0) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < lines.size() && changed[end] != 0) {
      ++end;
    }
    while (end < lines.size() && changed[end] == 0 && lines[begin] == lines[end]) {
      changed[begin++] = 0;
      changed[end++] = 1;
      while (end < lines.size() && changed[end] != 0) {
        ++end;
      }
    }
    begin = end;
  }
}

}  // namespace

LineDiff diff_lines(std::string_view before, std::string_view after) {
  LineDiff result;
  result.before = split_lines(before);
  result.after = split_lines(after);
  result.removed.resize(result.before.size());
  result.inserted.resize(result.after.size());
  std::unordered_map<std::string_view, int> numbers;
  auto number = [&](std::string_view line) {
    return numbers.emplace(line, static_cast<int>(numbers.size())).first->second;
  };
  std::vector<int> a;
  std::vector<int> b;
  std::transform(result.before.begin(), result.before.end(), std::back_inserter(a), number);
  std::transform(result.after.begin(), result.after.end(), std::back_inserter(b), number);
  Myers(a, b, result).run();
  slide_down(a, result.removed);
  slide_down(b, result.inserted);
  return result;
}

}  // namespace kubist::resources
