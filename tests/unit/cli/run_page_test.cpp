// The page of --report html: what it shows of a run, and that nothing in it is more than text.
#include <doctest/doctest.h>

#include <kubist/engine/graph.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "output/run_html.hpp"
#include "output/weight_chart.hpp"
#include "report/html.hpp"
#include "report/report.hpp"

using namespace kubist;
using namespace kubist::cli;
using data::Json;
using engine::NodeState;
using util::cat;

namespace {

constexpr std::string_view k_evil = "<script>alert(1)</script>\" onload=\"x";

bool page_has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t times(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) {
    ++found;
  }
  return found;
}

/// What an attacker writes is there, as text.
void check_harmless(const std::string& page) {
  CHECK(page_has(page, "&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&quot;x"));
  CHECK_MESSAGE(!page_has(page, "<script"), page);
  CHECK(!page_has(page, "\" onload=\""));
}

Json web_map(std::string value) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", "web"}, {"namespace", "shop"}, {"resourceVersion", value}}},
          {"data", {{"key", std::move(value)}}}};
}

/// A run of a project and a cluster, of which the latter failed.
struct PageStage {
  PageStage() {
    run.graph = std::make_shared<const engine::Graph>(engine::Graph::build(
        {engine::make_node({{"apiVersion", "kubist.io/v1alpha1"},
                            {"kind", "Project"},
                            {"metadata", {{"name", "shop"}, {"uid", "p"}, {"generation", 1}}},
                            {"spec", Json::object()}}),
         engine::make_node(
             {{"apiVersion", "kubist.io/v1alpha1"},
              {"kind", "Cluster"},
              {"metadata",
               {{"name", "eu"}, {"namespace", "shop"}, {"uid", "c"}, {"generation", 1}}},
              {"spec", {{"home", true}}}})}));
    for (const engine::Node& node : run.graph->nodes()) {
      engine::NodeReport report;
      report.id = node.id;
      report.key = node.key;
      report.state = NodeState::done;
      report.ready = true;
      run.report.index[node.id] = run.report.nodes.size();
      run.report.nodes.push_back(report);
    }
    run.report.roots = run.graph->roots();
    of("Project").children = {of("Cluster").id};
    run.report.took = std::chrono::seconds(4);
  }
  engine::NodeReport& of(const std::string& kind) {
    for (engine::NodeReport& report : run.report.nodes) {
      if (report.key.kind == kind) {
        return report;
      }
    }
    FAIL("no node " << kind);
    return run.report.nodes.front();
  }
  const engine::Node& node(const std::string& kind) { return (*run.graph)[of(kind).id]; }
  RunRecord::Courses courses() {
    return record.take({engine::to_string(node("Project")), engine::to_string(node("Cluster"))});
  }
  static NodeCourse::Time at(int seconds) {
    return NodeCourse::Time(std::chrono::hours(1)) + std::chrono::seconds(seconds);
  }

  executors::Run run;
  RunRecord record;
};

Json release_with(const Json& history) {
  return {{"metadata", {{"name", "shop"}, {"namespace", "team"}}},
          {"spec", {{"destination", "web"}, {"stable", "v1"}, {"canary", "v2"}}},
          {"status", {{"state", "RolledBack"}, {"history", history}}}};
}

}  // namespace

TEST_CASE("run page: the states, when each was worked on, and what was waited for") {
  PageStage s;
  s.of("Cluster").state = NodeState::failed;
  s.of("Cluster").ready = false;
  s.of("Cluster").reason = "Unreachable";
  s.of("Cluster").message = cat("no answer of ", k_evil);
  s.record.started(s.node("Project"), PageStage::at(0));
  s.record.finished(s.node("Project"), PageStage::at(1));
  s.record.started(s.node("Cluster"), PageStage::at(1));
  s.record.progress(s.node("Cluster"), cat("the server ", k_evil), PageStage::at(2));
  s.record.progress(s.node("Cluster"), cat("the server ", k_evil), PageStage::at(3));
  s.record.finished(s.node("Cluster"), PageStage::at(4));
  const std::string page = run_html(s.run, s.courses(), {});
  CHECK(page_has(page, "<span class=\"failed\">Failed: Unreachable</span>"));
  CHECK(page_has(page, "<span class=\"ready\">Ready</span>"));
  CHECK(page_has(page, "<rect class=\"work\" x=\"0.00%\" width=\"25.00%\""));
  CHECK(page_has(page, "<rect class=\"work\" x=\"25.00%\" width=\"75.00%\""));
  CHECK(page_has(page, "<rect class=\"wait\" x=\"50.00%\" width=\"50.00%\""));
  CHECK(times(page, "2.00 s: the server") == 1);
  check_harmless(page);
  // The next run begins a new course.
  CHECK(s.courses().empty());
}

TEST_CASE("run page: each write with what it changed, and no value of a Secret") {
  PageStage s;
  const std::string map = "v1 ConfigMap/shop/web";
  const std::string key = "v1 Secret/shop/key";
  const auto secret = [](const char* value) {
    return Json{{"apiVersion", "v1"},
                {"kind", "Secret"},
                {"metadata", {{"name", "key"}, {"namespace", "shop"}}},
                {"stringData", {{"password", value}}}};
  };
  s.of("Project").writes = {{"apply", map, "", ""},
                            {"apply", map, "eu", ""},
                            {"create", key, "", ""},
                            {"patch", key, "", ""},
                            {"delete", "v1 ConfigMap/shop/old", "", ""}};
  const engine::Node& node = s.node("Project");
  s.record.changed(node, {map, "eu", web_map("old"), web_map("elsewhere")});
  s.record.changed(node, {map, "", web_map("old"), web_map(std::string(k_evil))});
  s.record.changed(node, {key, "", Json(), secret("hunter2")});
  s.record.changed(node, {key, "", secret("hunter2"), secret("correct horse")});
  const std::string page = run_html(s.run, s.courses(), {});
  CHECK(times(page, "<details class=\"write\">") == 4);
  CHECK(page_has(page, "<p>delete v1 ConfigMap/shop/old</p>"));
  CHECK(page_has(page, "<span class=\"del\">-  key: old</span>"));
  CHECK(!page_has(page, "resourceVersion"));
  CHECK(page_has(page, "*** (after)"));
  for (const char* value : {"hunter2", "correct horse"}) {
    CHECK(!page_has(page, value));
    CHECK(!page_has(page, util::base64_encode(value)));
  }
  check_harmless(page);
}

TEST_CASE("run page: a diff is cut, and many of them end") {
  PageStage s;
  const std::string map = "v1 ConfigMap/shop/web";
  s.of("Project").writes.assign(400, {"apply", map, "", ""});
  for (int i = 0; i < 400; ++i) {
    Json big = web_map("x");
    for (int key = 0; key < 2000; ++key) {
      big["data"][cat("key", key)] = std::string(100, 'x');
    }
    s.record.changed(s.node("Project"), {map, "", Json(), big});
  }
  const std::string page = run_html(s.run, s.courses(), {});
  CHECK(page_has(page, "... the rest is left out"));
  CHECK(page.size() < (20U << 20));
}

TEST_CASE("run page: the weights of a release's last attempt, and each change in words") {
  const Json history = Json::array(
      {{{"at", "2026-11-27T08:00:00Z"}, {"attempt", 1}, {"state", "Succeeded"}, {"weight", 100}},
       {{"at", "2026-11-27T09:00:00Z"}, {"attempt", 2}, {"state", "Progressing"}, {"weight", 10}},
       {{"at", "2026-11-27T09:05:00Z"}, {"attempt", 2}, {"state", "Progressing"}, {"weight", 50}},
       {{"at", "2026-11-27T09:10:00Z"},
        {"attempt", 2},
        {"state", "RolledBack"},
        {"weight", 0},
        {"reason", "WorseThanStable"},
        {"message", k_evil}}});
  const std::string html = html_release(release_with(history));
  CHECK(page_has(html, "d=\"M50.00 152.40H340.00V90.00H630.00V168.00\""));
  CHECK(times(html, "<circle class=\"passed\"") == 2);
  CHECK(times(html, "<circle class=\"failed\"") == 1);
  CHECK(!page_has(html, "08:00:00"));
  CHECK(page_has(html, "2026-11-27T09:10:00Z  RolledBack at 0 %, WorseThanStable"));
  check_harmless(html);
  CHECK(!page_has(html_release(release_with(Json::array())), "<svg"));
  CHECK(page_has(html_release(release_with(Json::array({history[3]}))), "d=\"M50.00 168.00\""));
}

TEST_CASE("run page: it loads nothing, and its policy knows its style") {
  RunReport report{.title = cat("kubist ", k_evil)};
  ReportCase failed;
  failed.name = k_evil;
  failed.pos = {cat("env/", k_evil, ".yaml"), 3, 2};
  failed.state = CaseState::failed;
  failed.reason = "Unreachable";
  failed.message = k_evil;
  failed.details = k_evil;
  report.cases = {failed};
  const std::string page = html_report(report);
  check_harmless(page);
  CHECK(page_has(page, "1 failed"));
  CHECK(page_has(page, "<p class=\"advice\">"));
  for (const char* loaded :
       {"http://", "https://", "src=", "href=", "url(", "style=\"", "@import"}) {
    CAPTURE(loaded);
    CHECK(!page_has(page, loaded));
  }
  const std::size_t begin = page.find("<style>") + 7;
  const std::string style = page.substr(begin, page.find("</style>") - begin);
  CHECK(page_has(page, cat("default-src 'none'; style-src 'sha256-",
                           util::base64_encode(util::sha256_raw(style)), "'")));
}
