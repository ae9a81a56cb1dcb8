// Input that nobody should give: each item ends with a clear error, in real pods where it takes
// one.
#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/state/head.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/credentials.hpp"
#include "integration/executors/support.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

/// What a script does, and what becomes of it.
struct Hostile {
  std::string name, script, reason, message;
};

const std::vector<Hostile>& scripts() {
  static const std::vector<Hostile> all{
      {"large", "head -c 2097152 /dev/zero | tr '\\0' x > $EXPORT_PATH", "InvalidExports",
       "2097152 bytes, more than 921600"},
      {"list", "echo '- a' > $EXPORT_PATH", "InvalidExports",
       ":1:1: the exports must be a map, this is a list"},
      {"binary", "printf 'a: \\001\\377\\376\\000' > $EXPORT_PATH", "InvalidExports", "exports:1:"},
      {"two", "printf 'a: 1\\n---\\nb: 2\\n' > $EXPORT_PATH", "InvalidExports", "exports:3:1: "},
      {"bomb",
       "{ echo 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'; i=1; while [ $i -lt 12 ]; do p=$((i - "
       "1)); "
       "echo \"a$i: &a$i [*a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p]\"; "
       "i=$((i + 1)); done; } > $EXPORT_PATH",
       "InvalidExports", "exports:"},
      {"deep", "head -c 100000 /dev/zero | tr '\\0' '[' > $EXPORT_PATH", "InvalidExports",
       "exports:1:"},
      {"link", "ln -s /etc/passwd $EXPORT_PATH", "InvalidExports", "exports"},
      {"pipe", "mkfifo $EXPORT_PATH", "InvalidExports", "exports"},
      {"folder", "mkdir $EXPORT_PATH", "InvalidExports", "exports"},
      {"out", "ln -s /etc/passwd $STATE/x", "StateNotSaved", "leaves the state folder"},
      {"up", "mkdir $STATE/d; ln -s ../../x $STATE/d/x", "StateNotSaved",
       "leaves the state folder"},
      {"fifo", "mkfifo $STATE/x", "StateNotSaved", "cannot be kept"},
      {"swap", "rm -r $STATE; ln -s /etc $STATE", "StateNotSaved", "state"},
      {"much", "head -c 2097152 /dev/urandom > $STATE/x", "StateNotSaved",
       "larger than 921600 bytes"},
      {"crlf", "echo 1\r\necho 2\r\n", "InvalidConfiguration",
       "config.script has Windows line ends (CRLF), first in line 1"},
      {"nul", std::string("echo 1\necho \0\n", 14), "InvalidConfiguration",
       "config.script has a NUL byte in line 2"},
      {"empty", "", "InvalidConfiguration", "script"}};
  return all;
}

Json item(const std::string& ns, const std::string& name, const std::string& script,
          Json spec = Json::object()) {
  spec["type"] = "kubist.io/script";
  spec["config"]["image"] = "localhost/busybox:1";
  spec["config"]["script"] = script;
  return {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
          {"kind", "DeployItem"},
          {"metadata", {{"name", name}, {"namespace", ns}}},
          {"spec", std::move(spec)}};
}

Json import_of(const std::string& source, Json reference) {
  return Json::array({Json{{"name", "value"}, {source, std::move(reference)}}});
}

}  // namespace

TEST_CASE("hostile: whatever a script leaves behind is refused in words, in one run") {
  World world("hostile");
  world.make_project(world.name());
  std::vector<Json> items;
  for (const Hostile& each : scripts()) {
    items.push_back(item(world.name(), each.name, each.script));
  }
  put("home", items);
  // Long enough for 17 pods at once on a slow machine.
  Background run({"reconcile", "Project/" + world.name(), "--timeout=400s"});
  CHECK_MESSAGE(run.wait(420) == 1, run.output());
  for (const Hostile& each : scripts()) {
    CAPTURE(each.name);
    const auto ended = get("home", k_items, each.name, world.name());
    CHECK_MESSAGE(data::string_at(*ended, {"status", "phase"}) == "Failed", ended->dump());
    CHECK_MESSAGE(reason(ended, "Ready") == each.reason, message(ended, "Ready"));
    CHECK_MESSAGE(message(ended, "Ready").find(each.message) != std::string::npos,
                  message(ended, "Ready"));
    CHECK(message(ended, "Ready").size() < 2000);
    CHECK(message(ended, "Ready").find("root:") == std::string::npos);
    CHECK(!get("home", "secret", each.name + "-export", world.name()));
  }
}

TEST_CASE("hostile: imports that do not exist are named, and start no pod") {
  World world("imports");
  const std::string ns = world.name();
  world.make_project(ns);
  put("home",
      {secret(ns, "given", "text"), Json{{"apiVersion", "v1"},
                                         {"kind", "ConfigMap"},
                                         {"metadata", {{"name", "given"}, {"namespace", ns}}},
                                         {"data", {{"value", "text"}}}}});
  const std::vector<std::pair<Json, std::string>> cases{
      {import_of("secretRef", {{"name", "nobody"}, {"key", "value"}}),
       cat("import value: Secret ", ns, "/nobody does not exist")},
      {import_of("secretRef", {{"name", "given"}, {"key", "none"}}),
       cat("import value: Secret ", ns, "/given has no key none")},
      {import_of("configMapRef", {{"name", "nobody"}, {"key", "value"}}),
       cat("import value: ConfigMap ", ns, "/nobody does not exist")},
      {import_of("configMapRef", {{"name", "given"}, {"key", "none"}}),
       cat("import value: ConfigMap ", ns, "/given has no key none")},
      {import_of("executionRef", {{"name", "nobody"}, {"export", "x"}}), "nobody"}};
  std::vector<Json> objects;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Json run{{"name", "run"}, {"type", "Script"}, {"script", "exit 0"}};
    objects.push_back(object("Execution", ns, cat("job", i),
                             {{"imports", cases[i].first}, {"items", Json::array({run})}}));
  }
  objects.push_back(item(ns, "key", "exit 0",
                         {{"import", {{"secretRef", {{"name", "given"}, {"key", "none"}}}}}}));
  put("home", objects);
  Audit audit("home");
  const CommandResult run =
      run_kubist(world.as_user({"reconcile", "Project/" + ns, "--timeout=30s"}));
  CHECK_MESSAGE(run.exit_code != 0, run.out, run.err);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto ended = get("home", "executions.kubist.io", cat("job", i), ns);
    CHECK(condition(ended, "Ready") == "False");
    CHECK_MESSAGE(message(ended, "Ready").find(cases[i].second) != std::string::npos,
                  message(ended, "Ready"));
  }
  CHECK(message(get("home", k_items, "key", ns), "Ready")
            .find(cat("Secret ", ns, "/given has no key none")) != std::string::npos);
  const auto writes = audit.writes(world.user());
  CHECK(writes.size() >= objects.size());  // their statuses
  for (const AuditedWrite& write : writes) {
    CHECK_MESSAGE(write.resource != "pods", write.to_string());
  }
}

TEST_CASE("hostile: names of 253 characters run, give exports, keep state and go") {
  World world("names");
  const std::string ns = world.name();
  world.make_project(ns);
  const std::string name(253, 'n');
  const std::string script =
      "n=$(cat $STATE/n 2> /dev/null || echo 0); echo $((n + 1)) > $STATE/n\n"
      "echo \"runs: $(cat $STATE/n)\" > $EXPORT_PATH";
  const Json run{{"name", std::string(63, 'i')},
                 {"type", "Script"},
                 {"image", "localhost/busybox:1"},
                 {"script", script}};
  Json exports = Json::array({{{"name", "runs"}, {"item", run["name"]}, {"public", true}}});
  put("home", {item(ns, name, script),
               object("Execution", ns, name,
                      {{"items", Json::array({run})}, {"exports", std::move(exports)}})});
  for (int runs = 1; runs <= 2; ++runs) {
    Words words{"reconcile", "Project/" + ns, "--timeout=120s"};
    if (runs > 1) {
      words.emplace_back("--force");
    }
    const CommandResult done = run_kubist(words);
    CHECK_MESSAGE(done.exit_code == 0, done.out, done.err);
    CHECK(must(run_kubist({"deployitem", "exports", name, "--show", "-n", ns})) ==
          cat("runs: ", runs, "\n"));
    const auto execution = get("home", "executions.kubist.io", name, ns);
    CHECK(data::int_at(*execution, {"status", "exports", "value", "runs"}) == runs);
  }
  CHECK(run_kubist({"deployitem", "logs", name, "-n", ns}).exit_code == 0);
  const CommandResult removed =
      run_kubist(as_administrator({"delete", "project", ns, "--timeout=120s"}));
  CHECK_MESSAGE(removed.exit_code == 0, removed.out, removed.err);
  CHECK(!get("home", "namespace", ns));
}

TEST_CASE("hostile: an archive that climbs out of the state folder is refused, however it came") {
  World world("tar");
  const std::string ns = world.name();
  world.make_project(ns);
  const kubist::util::TempDir folder{"tar"};
  const std::string evil = folder.path() / "evil.tar.gz";
  kubist::util::Command tar;
  tar.args = {"sh", "-c",
              cat("cd ", folder.path().string(),
                  " && echo planted > x && mkdir in && cd in && tar czPf ../evil.tar.gz ../x")};
  REQUIRE(kubist::util::run_command(tar)->exit_code == 0);
  put("home", {item(ns, "job", "touch $STATE/x; echo 'a: 1' > $EXPORT_PATH")});
  const auto job = [&](Words words) {
    words.insert(words.begin(), "deployitem");
    words.insert(words.end(), {"-n", ns});
    return run_kubist(words);
  };
  must(job({"reconcile", "job", "--timeout=60s"}));
  const CommandResult given = job({"state", "put", "job", evil});
  CHECK(given.exit_code == 1);
  CHECK_MESSAGE(given.err.find("../x") != std::string::npos, given.out, given.err);

  // Somebody who may write the Secret puts it there, with a hash that is right.
  const std::string bytes = kubist::util::read_file(evil).value();
  const Json secrets =
      Json::parse(must(kubectl("home", {"get", "secrets", "-n", ns, "-o", "json"})));
  std::size_t replaced = 0;
  for (const Json& secret : secrets["items"]) {
    const std::string name(data::string_at(secret, {"metadata", "name"}));
    if (!name.ends_with("-state")) {
      continue;
    }
    ++replaced;
    kubist::state::Head head = kubist::state::head_of_secret(secret).value();
    head.size = bytes.size();
    head.sha256 = kubist::util::sha256_hex(bytes);
    const Json patch{{"data",
                      {{"state", kubist::util::base64_encode(bytes)},
                       {"head", kubist::util::base64_encode(kubist::state::to_text(head))}}}};
    must(kubectl("home", {"patch", "secret", name, "-n", ns, "-p", patch.dump()}));
  }
  CHECK(replaced == 1);
  CHECK(job({"reconcile", "job", "--force", "--timeout=60s"}).exit_code == 1);
  const auto ended = get("home", k_items, "job", ns);
  CHECK_MESSAGE(reason(ended, "Ready") == "RestoreFailed", message(ended, "Ready"));
  CHECK_MESSAGE(message(ended, "Ready").find("../x") != std::string::npos, message(ended, "Ready"));
}
