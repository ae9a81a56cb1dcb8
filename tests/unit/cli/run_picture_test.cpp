// What a terminal shows while a run goes on.
#include "terminal/run_picture.hpp"

#include <algorithm>
#include <atomic>
#include <new>

#include <doctest/doctest.h>

#include <kubist/engine/graph.hpp>
#include <kubist/util/text.hpp>

#include "bind.hpp"
#include "support/comes_true.hpp"
#include "terminal/live_run.hpp"

using namespace kubist;
using namespace kubist::cli;
using data::Json;
using engine::NodeId;
using util::cat;

namespace {

Json an_object(const std::string& kind, const std::string& name, Json spec = Json::object()) {
  Json made{{"apiVersion", "kubist.io/v1alpha1"},
            {"kind", kind},
            {"metadata", {{"name", name}, {"uid", cat(kind, name)}, {"generation", 1}}},
            {"spec", std::move(spec)}};
  if (kind != "Project") {
    made["metadata"]["namespace"] = "shop";
  }
  return made;
}

/// A project with a cluster, and as many namespaces on it; a run of all of it.
struct Stage {
  explicit Stage(int count = 2) {
    std::vector<engine::Node> nodes{
        engine::make_node(an_object("Project", "shop")),
        engine::make_node(an_object("Cluster", "home", {{"home", true}}))};
    for (int at = 0; at < count; ++at) {
      nodes.push_back(engine::make_node(
          an_object("VirtualCluster", cat("vc", at), {{"clusterRef", {{"name", "home"}}}})));
    }
    graph = engine::Graph::build(std::move(nodes));
    std::vector<NodeId> all;
    for (const engine::Node& node : graph.nodes()) {
      all.push_back(node.id);
    }
    picture.planned(graph, all);
  }
  const engine::Node& node(const std::string& name) const {
    for (const engine::Node& each : graph.nodes()) {
      if (each.key.name == name) {
        return each;
      }
    }
    FAIL("no node " << name);
    return graph[0];
  }
  void finish(const std::string& name, engine::NodeState state, bool ready,
              const std::string& reason = {}, const std::string& message = {}) {
    engine::NodeReport report;
    report.state = state;
    report.ready = ready;
    report.reason = reason;
    report.message = message;
    picture.finished(node(name), report, at(1));
  }
  static RunPicture::Time at(int seconds) {
    return RunPicture::Time(std::chrono::hours(1)) + std::chrono::seconds(seconds);
  }
  std::string lines(std::size_t columns, std::size_t rows = 24, bool color = false) const {
    StringSink out;
    Picture(out).draw(picture.lines({columns, rows}, color, at(13)), columns);
    return out.text();
  }

  engine::Graph graph;
  RunPicture picture;
};

}  // namespace

TEST_CASE("run picture: the tree with what runs, since when and why, at three widths") {
  Stage s;
  s.picture.started(s.node("shop"), engine::Mode::align, Stage::at(0));
  s.finish("shop", engine::NodeState::done, true, "Ready");
  s.finish("home", engine::NodeState::done, true, "Ready");
  s.picture.started(s.node("vc0"), engine::Mode::align, Stage::at(1));
  s.picture.progress(s.node("vc0"),
                     "waits for the pods of Deployment web, of which none is ready yet",
                     Stage::at(5));
  s.finish("vc1", engine::NodeState::failed, false, "NamespaceTaken",
           "namespace shop-dev belongs to\nProject blog");
  CHECK(s.lines(60) ==
        "Project/shop              ready\n"
        "└─ Cluster/home           ready\n"
        "   ├─ VirtualCluster/vc0  runs    8s  waits for the pods of \n"
        "   └─ VirtualCluster/vc1  failed      NamespaceTaken: namesp\n"
        "2 of 4 done, 1 running, 1 failed, 13s\n");
  CHECK(s.lines(80) ==
        "Project/shop              ready\n"
        "└─ Cluster/home           ready\n"
        "   ├─ VirtualCluster/vc0  runs    8s  waits for the pods of Deployment web, of w\n"
        "   └─ VirtualCluster/vc1  failed      NamespaceTaken: namespace shop-dev belongs\n"
        "2 of 4 done, 1 running, 1 failed, 13s\n");
  CHECK(s.lines(200) ==
        "Project/shop              ready\n"
        "└─ Cluster/home           ready\n"
        "   ├─ VirtualCluster/vc0  runs    8s  waits for the pods of Deployment web, of which none "
        "is ready yet\n"
        "   └─ VirtualCluster/vc1  failed      NamespaceTaken: namespace shop-dev belongs to / "
        "Project blog\n"
        "2 of 4 done, 1 running, 1 failed, 13s\n");
  CHECK(s.lines(60, 24, true).find("\x1b[31mfailed\x1b[0m") != std::string::npos);
}

TEST_CASE("run picture: a tree longer than the terminal keeps what runs and what failed") {
  Stage s(50);
  for (int at = 0; at < 50; ++at) {
    s.finish(cat("vc", at), engine::NodeState::done, true, "Ready");
  }
  s.finish("vc7", engine::NodeState::failed, false, "Forbidden", "no");
  s.picture.started(s.node("vc30"), engine::Mode::align, Stage::at(1));
  const std::string text = s.lines(80, 8);
  CHECK(std::count(text.begin(), text.end(), '\n') == 7);
  CHECK_MESSAGE(text.find("VirtualCluster/vc7 ") != std::string::npos, text);
  CHECK_MESSAGE(text.find("VirtualCluster/vc30 ") != std::string::npos, text);
  CHECK_MESSAGE(text.find("48 of 52 done, 1 running, 1 failed, 46 not shown") != std::string::npos,
                text);
}

TEST_CASE("run picture: what is removed, and what comes into view by a later plan") {
  Stage s;
  s.picture.started(s.node("vc0"), engine::Mode::remove, Stage::at(2));
  CHECK(s.lines(80).find("runs   11s  removes it") != std::string::npos);
  engine::NodeReport gone;
  gone.mode = engine::Mode::remove;
  gone.state = engine::NodeState::done;
  gone.ready = true;
  s.picture.finished(s.node("vc0"), gone, Stage::at(3));
  CHECK(s.lines(80).find("VirtualCluster/vc0  removed") != std::string::npos);
  s.picture.planned(s.graph, {s.node("vc0").id});
  CHECK(s.lines(80).find("1 of 4 done") != std::string::npos);
}

TEST_CASE("run picture: drawing that throws ends nothing, and goes on") {
  struct ThrowingSink : Sink {
    void write(std::string_view /*text*/) override {
      if (++writes == 1) {
        throw std::bad_alloc();
      }
    }
    void steer(std::string_view /*sequences*/) override {}
    std::atomic<int> writes = 0;
  };
  const Stage s;
  StringSink out;
  ThrowingSink err;
  const CommandSpec command{.path = "sample"};
  const auto arguments = parse_arguments(command, {});
  REQUIRE(arguments);
  util::Cancellation cancellation;
  Context context(*arguments, out, err, cancellation);
  LiveRun live(context);
  std::vector<NodeId> all;
  for (const engine::Node& node : s.graph.nodes()) {
    all.push_back(node.id);
  }
  live.planned(s.graph, all);
  CHECK(testing::comes_true([&] { return err.writes >= 2; }));
}

TEST_CASE("picture: what is written meanwhile stays above it") {
  StringSink out;
  Picture picture(out);
  picture.write("before\n");
  picture.draw("a tree\nand its counts\n", 80);
  picture.write("a line\n");
  picture.clear();
  picture.write("after\n");
  CHECK(out.text() ==
        "before\na tree\nand its counts\n\r\x1b[2A\x1b[Ja line\na tree\nand its counts\n"
        "\r\x1b[2A\x1b[Jafter\n");
}

TEST_CASE("run picture: what is gone from a project's tree is gone from the picture") {
  Stage s;
  s.finish("vc1", engine::NodeState::failed, false, "Forbidden", "no");
  Stage smaller(1);
  s.picture.planned(smaller.graph, {smaller.node("vc0").id});
  CHECK(s.lines(80).find("vc1") == std::string::npos);
  CHECK(s.lines(80).find("vc0") != std::string::npos);
}

TEST_CASE("picture: who asks on the terminal has it for that long") {
  StringSink out;
  Picture picture(out);
  picture.draw("a tree\n", 80);
  picture.aside([&] {
    out.write("Sure? ");
    picture.write("a line\n");
  });
  picture.draw("another tree\n", 80);
  CHECK(out.text() == "a tree\n\r\x1b[1A\x1b[JSure? a line\na tree\n\r\x1b[1A\x1b[Janother tree\n");
}

TEST_CASE("picture: colours take no columns, and their ends are kept") {
  CHECK(cut_to("\x1b[31mfailed\x1b[0m: why", 8) == "\x1b[31mfailed\x1b[0m: ");
  CHECK(cut_to("\x1b[31mfailed\x1b[0m: why", 3) == "\x1b[31mfai\x1b[0m");
  CHECK(cut_to("├─ größer", 6) == "├─ grö");
}
