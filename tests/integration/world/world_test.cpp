#include <cstdlib>

#include <kubist/util/sha256.hpp>

#include "apply_support.hpp"

using namespace kubist;
using namespace kubist::testing;

namespace {

/// One line of tests/data/world/sets.tsv: what an apply makes of a set, without a word of it.
struct WorldSet {
  std::string name;
  std::size_t objects = 0;
  std::string digest;  ///< of the objects, without what differs between two servers
};

const std::string k_comment =
    "# How many objects each set of files.tsv has, and the sha256 of what kubectl's server-side "
    "apply makes of\n# them. The test \"world: kubectl ...\" writes this with "
    "KUBIST_TEST_ACCEPT=1.\n";

std::string sets_file() { return kubist::paths::source_dir() + "/tests/data/world/sets.tsv"; }

std::vector<WorldSet> world_sets() {
  const auto text = util::read_file(sets_file());
  REQUIRE(text);
  std::vector<WorldSet> sets;
  for (const std::string& line : util::split(*text, '\n')) {
    const auto words = util::split(line, '\t');
    if (words.size() == 3 && !line.starts_with("#")) {
      sets.push_back({words[0], std::stoul(words[1]), words[2]});
    }
  }
  return sets;
}

using Objects = std::map<std::string, data::Json>;

std::string world_digest(const Objects& objects) {
  std::string text;
  for (const auto& [key, object] : objects) {
    text += util::cat(key, '\n', object.dump(), '\n');
  }
  return util::sha256_hex(text);
}

/// A set's manifests for a namespace of their own, in which no pod can be made: their images are
/// nowhere. They are gone with it.
class World {
 public:
  explicit World(const std::string& set) {
    const auto text = util::read_file(cluster_tool("world", set));
    REQUIRE(text);
    m_text = util::replace_all(*text, "NAMESPACE-OF-THE-TEST", ns());
    REQUIRE(run_kubectl({"-n", ns(), "create", "quota", "no-pods", "--hard=pods=0"}).exit_code ==
            0);
    // Until the quota's controller has counted (half a minute after new kinds came), and the API
    // server has seen that, the sets' controllers make pods.
    REQUIRE(run_kubectl({"-n", ns(), "wait", "quota/no-pods", "--timeout=300s",
                         "--for=jsonpath={.status.hard.pods}=0"})
                .exit_code == 0);
    REQUIRE(it::eventually([&] {
      const auto pod = run_kubectl({"-n", ns(), "run", "none", "--image=none", "--dry-run=server"});
      return pod.err.find("quota") != std::string::npos;
    }));
  }
  ~World() {
    if (!m_gone) {
      static_cast<void>(
          run_kubectl({"-n", ns(), "delete", "--ignore-not-found", "-f", "-"}, m_text));
    }
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const std::string& ns() const { return m_ns.name(); }
  util::CommandResult kubist(const std::string& verb) const {
    return run_kubist({verb, "-n", ns(), "-f", "-"}, m_text);
  }
  util::CommandResult kubectl_apply(std::vector<std::string> flags) const {
    flags.insert(flags.begin(),
                 {"-n", ns(), "apply", "--server-side", "--field-manager=kubist", "-f", "-"});
    return run_kubectl(std::move(flags), m_text);
  }
  util::CommandResult remove() {
    const auto result = kubist("delete");
    m_gone = result.exit_code == 0;
    return result;
  }
  Objects live() const { return live_objects(m_text, ns()); }

 private:
  TestNamespace m_ns;
  std::string m_text;
  bool m_gone = false;
};

/// What differs, and how: the whole objects are megabytes.
std::string world_differences(const Objects& ours, const Objects& theirs) {
  std::string found;
  for (const auto& [key, object] : ours) {
    const auto other = theirs.find(key);
    if (other == theirs.end()) {
      found += util::cat(key, " is not in the other\n");
    } else if (object != other->second) {
      found += util::cat(key, ' ', data::Json::diff(object, other->second).dump(), '\n');
    }
  }
  return ours.size() == theirs.size() ? found
                                      : util::cat(found, ours.size(), " and ", theirs.size());
}

}  // namespace

TEST_CASE("world: public manifests go in as kubectl's apply would, and again without a write") {
  const auto sets = world_sets();
  REQUIRE(sets.size() >= 5);
  for (const WorldSet& set : sets) {
    CAPTURE(set.name);
    World world(set.name);
    const auto first = world.kubist("apply");
    CHECK_MESSAGE(first.exit_code == 0, first.err);
    CHECK_MESSAGE(count(first.out, " created\n") == set.objects, first.out);
    const Objects made = world.live();
    CHECK(made.size() == set.objects);
    CHECK(world_digest(made) == set.digest);
    // What kubectl would make of it, as the same field manager, is what is there.
    const auto oracle =
        world.kubectl_apply({"--dry-run=server", "-o", "json", "--show-managed-fields"});
    REQUIRE_MESSAGE(oracle.exit_code == 0, oracle.err);
    CHECK(world_differences(made, by_name(oracle.out, world.ns())) == "");

    const Audit audit;
    const auto second = world.kubist("apply");
    CHECK_MESSAGE(second.exit_code == 0, second.err);
    CHECK_MESSAGE(count(second.out, " unchanged\n") == set.objects, second.out);
    const auto diff = world.kubist("diff");
    CHECK_MESSAGE(diff.exit_code == 0, diff.out, diff.err);
    CHECK(audit.writes("/") == std::vector<std::string>{});

    const auto gone = world.remove();
    CHECK_MESSAGE(gone.exit_code == 0, gone.err);
    CHECK_MESSAGE(count(gone.out, " deleted") == set.objects, gone.out);
  }
}

TEST_CASE("world: kubectl makes the objects of which the table has the digests" * doctest::skip()) {
  const bool accept = std::getenv("KUBIST_TEST_ACCEPT") != nullptr;
  std::string table = k_comment;
  for (const WorldSet& set : world_sets()) {
    CAPTURE(set.name);
    const World world(set.name);
    // It does not wait for the definitions of some of the objects: once more, then.
    util::CommandResult applied = world.kubectl_apply({});
    if (applied.exit_code != 0) {
      REQUIRE(run_kubectl({"wait", "--for=condition=established", "crd", "--all"}).exit_code == 0);
      applied = world.kubectl_apply({});
    }
    REQUIRE_MESSAGE(applied.exit_code == 0, applied.err);
    const Objects made = world.live();
    REQUIRE(!made.empty());
    if (accept) {
      table += util::cat(set.name, '\t', made.size(), '\t', world_digest(made), '\n');
      continue;
    }
    CHECK(made.size() == set.objects);
    CHECK(world_digest(made) == set.digest);
  }
  if (accept) {
    REQUIRE(util::write_file(sets_file(), table, 0644));
  }
}
