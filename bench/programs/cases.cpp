// The pure parts of kubist's work, alone, for timing and for counting instructions:
//
//   bench_cases plan NODES REPEAT     builds a graph of NODES typed nodes and runs its plan to the
//   end bench_cases yaml FILE REPEAT      reads manifests bench_cases list FILE REPEAT      reads
//   one LIST reply, item by item bench_cases canaries N REPEAT     one look at N canaries; by a
//   Jsonnet policy with $KUBIST_BIN
//
// Prints the fastest repetition in milliseconds of CPU time, children's too: nothing here waits,
// and other programs do not count.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <sys/resource.h>

#include <kubist/data/json_stream.hpp>
#include <kubist/engine/graph.hpp>
#include <kubist/engine/plan.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "canaries.hpp"

void die(const std::string& message) {
  std::fprintf(stderr, "bench_cases: %s\n", message.c_str());
  std::exit(1);
}

namespace {

using kubist::data::Json;
using kubist::util::cat;

std::string read(const std::string& path) {
  auto text = kubist::util::read_file(path);
  if (!text) {
    die(text.error().to_string());
  }
  return *std::move(text);
}

/// One root, projects of ten clusters, and on each cluster pairs of a virtual cluster and an
/// Execution that depends on the Execution before it.
class Tree {
 public:
  explicit Tree(std::size_t nodes) : m_left(nodes) {
    add("Root", "", "root", Json::object());
    for (int p = 0; m_left > 0; ++p) {
      const std::string project = cat("project-", p);
      add("Project", "", project, {{"namespace", project}});
      for (int c = 0; c < 10; ++c) {
        add_cluster(project, cat("cluster-", c));
      }
    }
  }
  const std::vector<std::shared_ptr<const Json>>& objects() const { return m_objects; }

 private:
  void add_cluster(const std::string& project, const std::string& cluster) {
    add("Cluster", project, cluster, {{"connection", {{"home", true}}}});
    for (int i = 0; i < 50; ++i) {
      const std::string name = cat(cluster, "-", i);
      add("VirtualCluster", project, name, {{"clusterRef", {{"name", cluster}}}});
      Json execution{{"virtualClusterRef", {{"name", name}}}};
      if (i > 0) {
        execution["dependsOn"] = Json::array({cat("Execution/", cluster, "-", i - 1)});
      }
      add("Execution", project, name, std::move(execution));
    }
  }
  void add(const char* kind, const std::string& ns, const std::string& name, Json spec) {
    if (m_left == 0) {
      return;
    }
    --m_left;
    Json object{{"apiVersion", "kubist.io/v1alpha1"},
                {"kind", kind},
                {"metadata", {{"name", name}, {"uid", cat(kind, ns, name)}, {"generation", 1}}},
                {"spec", std::move(spec)}};
    if (!ns.empty()) {
      object["metadata"]["namespace"] = ns;
    }
    m_objects.push_back(std::make_shared<const Json>(std::move(object)));
  }

  std::size_t m_left;
  std::vector<std::shared_ptr<const Json>> m_objects;
};

void run_plan(const Tree& tree) {
  using namespace kubist::engine;
  std::vector<Node> nodes;
  nodes.reserve(tree.objects().size());
  for (const auto& object : tree.objects()) {
    nodes.push_back(make_node(object));
  }
  const Graph graph = Graph::build(std::move(nodes));
  if (!graph.problems().empty()) {
    die(graph.problems().front().to_string());
  }
  Plan plan(graph, graph.roots());
  std::size_t ran = 0;
  while (const auto id = plan.next()) {
    plan.finish(*id, {});
    ++ran;
  }
  if (!plan.finished() || ran != tree.objects().size()) {
    die(cat("the plan ended after ", ran, " nodes"));
  }
}

void read_yaml(const std::string& text) {
  const auto set = kubist::resources::read_manifest_text(text, "bench.yaml");
  if (!set.errors.empty() || set.manifests.empty()) {
    die(set.errors.empty() ? "no objects" : set.errors.front().to_string());
  }
}

void read_list(kubist::data::ListReader& reader, const kubist::data::PageBuffer& page) {
  std::size_t bytes = 0;
  const auto head =
      reader.read(page, [&](const kubist::data::ListItem& item) -> kubist::util::Result<> {
        bytes += item.raw.size() + item.name.size();
        return {};
      });
  if (!head || head->items == 0 || bytes == 0) {
    die(head ? "no items" : head.error().to_string());
  }
}

double cpu_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  const auto ms = [](const timeval& of) {
    return double(of.tv_sec) * 1e3 + double(of.tv_usec) / 1e3;
  };
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6 + ms(children.ru_utime) +
         ms(children.ru_stime);
}

void repeat(int times, const std::function<void()>& work) {
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < times; ++i) {
    const double start = cpu_ms();
    work();
    best = std::min(best, cpu_ms() - start);
  }
  std::printf("%.3f\n", best);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    die("usage: bench_cases plan NODES REPEAT | yaml FILE REPEAT | list FILE REPEAT | canaries N "
        "REPEAT");
  }
  const std::string kind = argv[1];
  const int times = std::atoi(argv[3]);
  if (kind == "plan") {
    const Tree tree(std::strtoul(argv[2], nullptr, 10));
    repeat(times, [&] { run_plan(tree); });
  } else if (kind == "yaml") {
    const std::string text = read(argv[2]);
    repeat(times, [&] { read_yaml(text); });
  } else if (kind == "list") {
    kubist::data::PageBuffer page;
    page.append(read(argv[2]));
    kubist::data::ListReader reader;
    repeat(times, [&] { read_list(reader, page); });
  } else if (kind == "canaries") {
    const char* const kubist = std::getenv("KUBIST_BIN");
    repeat(times, look_at_canaries(std::strtoul(argv[2], nullptr, 10), kubist ? kubist : ""));
  } else {
    die("unknown case " + kind);
  }
  return 0;
}
