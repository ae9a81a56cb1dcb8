#pragma once
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "evidence_support.hpp"

namespace istio_test {

/// One thing broken, and what the verdict is then.
struct Row {
  const char* what;
  std::function<void(Evidence&)> breaks;
  Verdict verdict;
  const char* code;  ///< the first
};

inline Unread unread_list(const std::string& resource, const std::string& code) {
  return {resource, code, "GET /" + resource + ": " + code};
}

inline void check_rows(const std::vector<Row>& rows, const std::function<Evidence()>& base) {
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Evidence evidence = base();
    row.breaks(evidence);
    const Report report = judge(evidence);
    CAPTURE(codes(report));
    CHECK(to_string(report.verdict) == to_string(row.verdict));
    REQUIRE(!report.findings.empty());
    CHECK(report.findings.front().code == row.code);
    CHECK(!report.findings.front().evidence.empty());
    CHECK(!next_step(report).empty());
  }
}

}  // namespace istio_test
