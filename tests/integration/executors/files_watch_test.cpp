// `kubist reconcile -f DIR --watch`: the files are applied again when they change.
#include <filesystem>

#include <doctest/doctest.h>
#include <signal.h>

#include <kubist/data/pointer.hpp>

#include "support.hpp"
#include "support/paths.hpp"

using namespace it;

namespace {

/// A folder of files, an object in each, and a kubist that follows it.
class Followed {
 public:
  explicit Followed(const World& world) : m_world(world) {
    write("project", object("Project", "", world.name(), Json::object()));
    write("home", object("Cluster", world.name(), "home", {{"home", true}}));
    write("dev", place("dev"));
  }
  ~Followed() { it::remove("home", "configmap", m_world.name(), "default"); }
  Followed(const Followed&) = delete;
  Followed& operator=(const Followed&) = delete;

  Json place(const std::string& name, const Json& more = Json::object()) const {
    return virtual_cluster(m_world.name(), name, "home", m_world.name(name), more);
  }
  void write(const std::string& name, const Json& object) const {
    REQUIRE(kubist::util::write_file(file(name), object.dump()));
  }
  std::filesystem::path file(const std::string& name) const {
    return m_folder.path() / (name + ".yaml");
  }
  Words reconcile() const {
    return {"reconcile", "-f", m_folder.path(), "--prune", "--inventory", m_world.name()};
  }

 private:
  const World& m_world;
  kubist::util::TempDir m_folder{"followed"};
};

bool is_ready(const std::string& type, const std::string& name, const std::string& ns) {
  return condition(get("home", type, name, ns), "Ready") == "True";
}

}  // namespace

TEST_CASE("reconcile -f --watch: follows files that change, come and go") {
  World world("follow");
  const std::string project = world.name();
  const Followed files(world);
  Words words = files.reconcile();
  words.emplace_back("--watch");
  Background watch(words);
  REQUIRE_MESSAGE(eventually([&] { return is_ready("kvc", "dev", project); }), watch.output());

  files.write("dev", files.place("dev", {{"labels", {{"tier", "new"}}}}));
  CHECK_MESSAGE(eventually([&] { return label(world.name("dev"), "tier") == "new"; }),
                watch.output());
  files.write("late", files.place("late"));
  CHECK_MESSAGE(eventually([&] { return is_ready("kvc", "late", project); }), watch.output());

  // What a file names is followed as well, though -f does not look into that folder.
  const auto program = files.file("below").replace_extension() / "team.jsonnet";
  std::filesystem::create_directory(program.parent_path());
  REQUIRE(kubist::util::write_file(program, "function(list) list"));
  files.write("policy",
              object("PolicyDefinition", project, "team",
                     {{"runtime", {{"jsonnet", {{"sourceFile", "below/team.jsonnet"}}}}}}));
  const auto applied = [&](const std::string& source) {
    const auto found = get("home", "policydefinition", "team", project);
    return found &&
           kubist::data::string_at(*found, {"spec", "runtime", "jsonnet", "source"}) == source;
  };
  CHECK_MESSAGE(eventually([&] { return applied("function(list) list"); }), watch.output());
  REQUIRE(kubist::util::write_file(program, "function(list) list + {}"));
  CHECK_MESSAGE(eventually([&] { return applied("function(list) list + {}"); }), watch.output());

  // What cannot be read changes nothing, though a file has left.
  const auto kept = get("home", "kvc", "late", project);
  REQUIRE(kubist::util::write_file(files.file("bad"), "kind: [\n"));
  std::filesystem::remove(files.file("late"));
  CHECK_MESSAGE(eventually([&] { return watch.output().find("bad.yaml:") != std::string::npos; }),
                watch.output());
  CHECK(get("home", "kvc", "late", project) == kept);
  std::filesystem::remove(files.file("bad"));
  CHECK_MESSAGE(eventually([&] {
                  return !get("home", "kvc", "late", project) &&
                         !get("home", "namespace", world.name("late"));
                }),
                watch.output());
  CHECK(is_ready("kvc", "dev", project));

  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
}

TEST_CASE("reconcile -f --watch: looks after a project that a new file brings") {
  World world("follownew");
  const std::string second = world.name("second");
  const Followed files(world);
  Words words = files.reconcile();
  words.emplace_back("--watch");
  Background watch(words);
  REQUIRE_MESSAGE(eventually([&] { return is_ready("kvc", "dev", world.name()); }), watch.output());
  files.write("second", object("Project", "", second, Json::object()));
  CHECK_MESSAGE(eventually([&] { return is_ready("projects.kubist.io", second, ""); }),
                watch.output());
  put("home", {object("Cluster", second, "home", {{"home", true}}),
               virtual_cluster(second, "dev", "home", second + "-dev")});
  CHECK_MESSAGE(eventually([&] { return is_ready("kvc", "dev", second); }), watch.output());
  std::filesystem::remove(files.file("second"));
  CHECK_MESSAGE(eventually([&] { return !get("home", "projects.kubist.io", second); }, 60),
                watch.output());
  CHECK(is_ready("kvc", "dev", world.name()));
  watch.signal(SIGINT);
  CHECK_MESSAGE(watch.wait(20) == 130, watch.output());
}

TEST_CASE("reconcile -f --watch: its reports say what was refused, until the files are mended") {
  World world("followreport");
  const Followed files(world);
  const kubist::util::TempDir folder("reports");
  const std::filesystem::path json = folder.path() / "run.json";
  const std::filesystem::path junit = folder.path() / "run.xml";
  files.write("dev", files.place("dev", {{"labels", {{"tier", "one"}}}}));
  Words words = files.reconcile();
  words.insert(words.end(),
               {"--watch", "--report=json=" + json.string(), "--report=junit=" + junit.string()});
  Background watch(words);
  const auto document = [&] {
    return Json::parse(kubist::util::read_file(json).value_or(""), nullptr, false);
  };
  const auto names_bad = [&] {
    return kubist::util::read_file(junit).value_or("").find("bad.yaml") != std::string::npos;
  };
  const auto is_well = [&] {
    const Json now = document();
    return now.contains("nodes") && !now.contains("errors") && !names_bad();
  };
  REQUIRE_MESSAGE(eventually([&] { return is_ready("kvc", "dev", world.name()) && is_well(); }),
                  watch.output());

  REQUIRE(kubist::util::write_file(files.file("bad"), "kind: [\n"));
  REQUIRE_MESSAGE(eventually([&] { return document().contains("errors") && names_bad(); }),
                  watch.output());
  const Json refused = document();
  CHECK_MESSAGE(refused["ok"] == false, refused.dump());
  CHECK(refused["errors"][0]["file"] == files.file("bad").string());
  // Nor does a run in between, which is of what was applied before.
  must(kubectl("home", {"label", "namespace", world.name("dev"), "tier-"}));
  CHECK_MESSAGE(eventually([&] { return document().contains("nodes"); }), watch.output());
  CHECK(label(world.name("dev"), "tier") == "one");
  CHECK(document()["errors"] == refused["errors"]);
  CHECK(names_bad());

  // The files are as they were, so there is nothing to apply.
  std::filesystem::remove(files.file("bad"));
  CHECK_MESSAGE(eventually(is_well), document().dump(), watch.output());
  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
}

TEST_CASE("reconcile -f --watch: ends where it cannot follow the files any more") {
  World world("followdeaf");
  const Followed files(world);
  const kubist::util::TempDir folder("reports");
  const std::filesystem::path junit = folder.path() / "run.xml";
  // As root of a user namespace of its own one may say how many watches there are in it.
  Words words{"--user",
              "--map-root-user",
              "sh",
              "-c",
              "echo 10 > /proc/sys/user/max_inotify_watches && exec \"$@\"",
              "sh"};
  Words trial = words;
  trial.insert(trial.begin(), "unshare");
  trial.emplace_back("true");
  const auto made = kubist::util::run_command({.args = trial});
  if (!made || made->exit_code != 0) {
    MESSAGE("skipped: no user namespace may be made here");
    return;
  }
  const Words reconcile = files.reconcile();
  words.push_back(kubist::paths::program());
  words.insert(words.end(), reconcile.begin(), reconcile.end());
  words.insert(words.end(), {"--watch", "--recursive", "--report=junit=" + junit.string()});
  Background watch("unshare", words);
  REQUIRE_MESSAGE(eventually([&] { return is_ready("kvc", "dev", world.name()); }), watch.output());
  for (int i = 0; i < 20; ++i) {
    std::filesystem::create_directory(files.file(std::to_string(i)).replace_extension());
  }
  CHECK_MESSAGE(watch.wait(60) == 1, watch.output());
  const std::string why = "the files of -f are not watched any more: cannot watch ";
  CHECK_MESSAGE(watch.output().find("error: " + why) != std::string::npos, watch.output());
  CHECK(kubist::util::read_file(junit).value_or("").find(why) != std::string::npos);
}

TEST_CASE("reconcile -f --prune: takes away what left the files, with all that it kept") {
  World world("followprune");
  const Followed files(world);
  files.write("late", files.place("late"));
  const CommandResult first = run_kubist(files.reconcile());
  CHECK_MESSAGE(first.exit_code == 0, first.out, first.err);
  std::filesystem::remove(files.file("late"));
  Words dry = files.reconcile();
  dry.emplace_back("--dry-run=server");
  const CommandResult planned = run_kubist(dry);
  CHECK_MESSAGE(planned.exit_code == 0, planned.out, planned.err);
  CHECK(planned.out.find("virtualcluster.kubist.io/late pruned (server dry run)") !=
        std::string::npos);
  CHECK(get("home", "kvc", "late", world.name()));

  const CommandResult second = run_kubist(files.reconcile());
  CHECK_MESSAGE(second.exit_code == 0, second.out, second.err);
  CHECK(second.out.find("virtualcluster.kubist.io/late pruned") != std::string::npos);
  CHECK(!get("home", "kvc", "late", world.name()));
  CHECK(!get("home", "namespace", world.name("late")));
  CHECK(is_ready("kvc", "dev", world.name()));
}
