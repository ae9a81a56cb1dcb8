// What `cluster check` makes of what it found.
#include "cluster_report.hpp"

#include <doctest/doctest.h>

#include <kubist/cli/sink.hpp>
#include <kubist/util/duration.hpp>

using namespace kubist;
using namespace kubist::cli;

namespace {

const auto k_today = *util::parse_time("2026-11-27T12:00:00Z");

ClusterReport healthy() {
  ClusterReport report;
  report.ns = "shop";
  report.name = "eu";
  report.server = "https://eu:6443";
  report.version = "v1.34.4";
  report.user = "system:serviceaccount:kubist-system:kubist-shop";
  report.by_secret = true;
  report.has_token = true;
  report.authority_end = k_today + std::chrono::hours(48);
  report.missing.emplace();
  return report;
}

std::string text_of(const ClusterReport& report) {
  StringSink out;
  print_table(out, table_of(report, k_today));
  return out.text();
}

}  // namespace

TEST_CASE("cluster check: a healthy one has no problem, and what is not known is said to be so") {
  ClusterReport report = healthy();
  report.judge(k_today);
  CHECK(report.problems.empty());
  CHECK(to_json(report)["ok"] == true);
  CHECK(text_of(report) ==
        "ATTRIBUTE   VALUE\n"
        "Server      https://eu:6443\n"
        "Version     v1.34.4\n"
        "User        system:serviceaccount:kubist-system:kubist-shop\n"
        "Authority   until 2026-11-29T12:00:00Z, in 2d\n"
        "Token       without an end\n"
        "Rights      all that kubist needs\n");
  ClusterReport unknown;
  CHECK(text_of(unknown) ==
        "ATTRIBUTE   VALUE\nServer      unknown\nVersion     unknown\nUser        unknown\n"
        "Rights      unknown\n");
}

TEST_CASE("cluster check: what has ended and what may not be done are problems with a next step") {
  ClusterReport report = healthy();
  report.token_end = k_today;
  report.certificate_end = k_today - std::chrono::hours(1);
  report.authority_end = k_today - std::chrono::hours(2);
  report.missing->push_back({"", "namespaces", {"create"}});
  report.judge(k_today);
  REQUIRE(report.problems.size() == 4);
  CHECK(report.problems[0].next == "kubist cluster rotate eu -n shop --context CONTEXT");
  CHECK(report.problems[1].message == "the client certificate ended at 2026-11-27T11:00:00Z");
  CHECK(report.problems[3].message ==
        "system:serviceaccount:kubist-system:kubist-shop may not create on namespaces");
  CHECK(report.problems[3].next.find("--serviceaccount=kubist-system:kubist-shop") !=
        std::string::npos);
  const auto document = to_json(report);
  CHECK(document["ok"] == false);
  CHECK(document["tokenEnd"] == "2026-11-27T12:00:00Z");
  CHECK(document["missing"][0]["resource"] == "namespaces");
  CHECK(text_of(report).find("ended 2026-11-27T12:00:00Z") != std::string::npos);
}
