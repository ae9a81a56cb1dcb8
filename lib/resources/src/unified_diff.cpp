#include <kubist/resources/diff.hpp>
#include <kubist/util/text.hpp>

#include "line_diff.hpp"

namespace kubist::resources {

using util::cat;

namespace {

/// Half-open ranges of lines of both texts.
struct Range {
  std::size_t a_begin, a_end, b_begin, b_end;
};

/// Runs of changed lines, in order; between two of them both texts are equal.
std::vector<Range> changes(const LineDiff& diff) {
  std::vector<Range> runs;
  std::size_t a = 0;
  std::size_t b = 0;
  while (a < diff.removed.size() || b < diff.inserted.size()) {
    Range run{a, a, b, b};
    while (run.a_end < diff.removed.size() && diff.removed[run.a_end] != 0) {
      ++run.a_end;
    }
    while (run.b_end < diff.inserted.size() && diff.inserted[run.b_end] != 0) {
      ++run.b_end;
    }
    if (run.a_end == a && run.b_end == b) {
      ++a;
      ++b;
      continue;
    }
    a = run.a_end;
    b = run.b_end;
    runs.push_back(run);
  }
  return runs;
}

std::string span(std::size_t begin, std::size_t end) {
  std::size_t count = end - begin;
  // An empty range is named by the line before it.
  std::size_t first = count == 0 ? begin : begin + 1;
  return count == 1 ? cat(first) : cat(first, ',', count);
}

void append_line(std::string& out, char mark, std::string_view line) {
  out += mark;
  out += line;
  if (!line.ends_with('\n')) {
    out += "\n\\ No newline at end of file\n";
  }
}

/// One hunk: the runs [first, last] and the lines around and between them.
void append_hunk(std::string& out, const LineDiff& diff, const std::vector<Range>& runs,
                 std::size_t first, std::size_t last, std::size_t context) {
  std::size_t before = std::min(context, runs[first].a_begin);
  std::size_t after = std::min(context, diff.before.size() - runs[last].a_end);
  std::size_t a = runs[first].a_begin - before;
  std::size_t b = runs[first].b_begin - before;
  out += cat("@@ -", span(a, runs[last].a_end + after), " +", span(b, runs[last].b_end + after),
             " @@\n");
  for (std::size_t i = first; i <= last; ++i) {
    for (; a < runs[i].a_begin; ++a) {
      append_line(out, ' ', diff.before[a]);
    }
    for (; a < runs[i].a_end; ++a) {
      append_line(out, '-', diff.before[a]);
    }
    for (b = runs[i].b_begin; b < runs[i].b_end; ++b) {
      append_line(out, '+', diff.after[b]);
    }
  }
  for (std::size_t end = a + after; a < end; ++a) {
    append_line(out, ' ', diff.before[a]);
  }
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after,
                         std::string_view before_label, std::string_view after_label,
                         std::size_t context) {
  if (before == after) {
    return {};
  }
  LineDiff diff = diff_lines(before, after);
  std::vector<Range> runs = changes(diff);
  std::string out = cat("--- ", before_label, "\n+++ ", after_label, '\n');
  for (std::size_t first = 0; first < runs.size();) {
    std::size_t last = first;
    while (last + 1 < runs.size() && runs[last + 1].a_begin - runs[last].a_end <= 2 * context) {
      ++last;
    }
    append_hunk(out, diff, runs, first, last, context);
    first = last + 1;
  }
  return out;
}

}  // namespace kubist::resources
