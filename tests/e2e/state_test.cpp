#include <csignal>
#include <filesystem>
#include <fstream>

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kubist/state/contract.hpp>
#include <kubist/state/mark.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "stage.hpp"
#include "support/paths.hpp"

// State in Secrets: the agent as a process of this machine, with the rights of an administrator in
// place of those of its pod's account (e2e/deployitem_test.cpp), and real pods.
using namespace kubist;
using namespace kubist::deployers;
using namespace kubist::e2e;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

struct Ended {
  int code = -1;
  long peak_kib = 0;  ///< VmHWM
};

/// The value of that line of /proc/PID/status; empty where there is none.
std::string status_of(pid_t pid, const std::string& name) {
  std::ifstream status(util::cat("/proc/", pid, "/status"));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) {
      return line.substr(name.size() + 1);
    }
  }
  return "";
}

/// Does the process wait for SIGTERM by now (which it blocks and takes in a thread)?
bool handles_sigterm(pid_t pid) {
  const std::string blocked = status_of(pid, "SigBlk");
  return !blocked.empty() && ((std::stoull(blocked, nullptr, 16) >> (SIGTERM - 1)) & 1U) != 0;
}

/// Waits for the end of a process that is traced. Its memory is read as it ends: wait4() counts
/// what this process had when it forked, too.
Ended await_end(pid_t pid) {
  Ended ended;
  int status = 0;
  while (true) {
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    if (!WIFSTOPPED(status)) {
      CHECK(ended.peak_kib > 0);
      ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      return ended;
    }
    const bool ends = (status >> 8) == (SIGTRAP | (PTRACE_EVENT_EXIT << 8));
    if (ends) {
      ended.peak_kib = std::stol(status_of(pid, "VmHWM"));
    }
    const long signal = ends || (status >> 16) != 0 ? 0 : WSTOPSIG(status);
    REQUIRE(::ptrace(PTRACE_CONT, pid, nullptr, signal) == 0);
  }
}

Ended run_agent(std::vector<std::string> words, bool terminate) {
  words.insert(words.begin(), {paths::program(), "agent"});
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  REQUIRE(::ptrace(PTRACE_SEIZE, pid, nullptr, PTRACE_O_TRACEEXIT) == 0);
  for (int i = 0; terminate && i < 2000 && !handles_sigterm(pid); ++i) {
    util::sleep_for(10ms, {});
  }
  if (terminate) {
    REQUIRE(::kill(pid, SIGTERM) == 0);
  }
  return await_end(pid);
}

/// The Secrets of one item, and the agents over them, without a pod.
class AgentStage : public Stage {
 public:
  explicit AgentStage(std::size_t limit) : m_limit(limit) {
    for (const char* name : {"x-export", "x-state"}) {
      add(name, {{"annotations", {{"kubist.io/job", "job-1"}}}});
    }
    for (const std::string& name : state::chunk_names("x-state", limit)) {
      add(name, Json::object());
    }
    for (const char* folder : {"out/state", "given", "kept", "in"}) {
      fs::create_directories(data.path() / folder);
    }
  }
  fs::path state() const { return data.path() / "out/state"; }
  state::Mark collect() {
    last = run_agent({"collect", "--job=job-1", "--pod-namespace=" + ns(),
                      "--export-secret=x-export", "--state-secret=x-state",
                      util::cat("--state-limit=", m_limit), "--data=" + data.path().string()},
                     true);
    CHECK(last.code == 0);
    return state::mark_of(get(wk::secrets(), "x-export")).value();
  }
  /// What a kubelet does, then the other agent.
  void restore(const state::Head& head) {
    mount("x-state", data.path() / "kept");
    for (int n = 0; n < head.chunks; ++n) {
      mount(state::chunk_name("x-state", head.set, n),
            data.path() / "kept" / util::cat(head.set, n));
    }
    last = run_agent({"restore", "--state-secret=x-state", "--data=" + data.path().string(),
                      util::cat("--state-generation=", head.generation)},
                     false);
  }
  state::Head head() { return state::head_of_secret(get(wk::secrets(), "x-state")).value(); }
  std::string version(const std::string& name) {
    return std::string(data::string_at(get(wk::secrets(), name), {"metadata", "resourceVersion"}));
  }

  util::TempDir data;
  Ended last;

 private:
  void add(const std::string& name, Json metadata) {
    metadata["name"] = name;
    metadata["namespace"] = ns();
    make(wk::secrets(), {{"apiVersion", "v1"}, {"kind", "Secret"}, {"metadata", metadata}});
  }
  void mount(const std::string& name, const fs::path& folder) {
    fs::create_directories(folder);
    const Json content = get(wk::secrets(), name).value("data", Json::object());
    for (const auto& [key, value] : content.items()) {
      std::ofstream(folder / key) << util::base64_decode(value.get<std::string>()).value();
    }
  }
  std::size_t m_limit;
};

void put_noise(const fs::path& path, std::size_t size, unsigned seed) {
  std::string noise(size, ' ');
  for (char& c : noise) {
    seed = seed * 1103515245U + 12345U;
    c = static_cast<char>(seed >> 16U);
  }
  std::ofstream(path) << noise;
}

/// Names, types, modes, sizes and targets of all that is below a folder.
std::string inventory(const fs::path& folder) {
  std::vector<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const auto status = entry.symlink_status();
    lines.push_back(
        util::cat(fs::relative(entry.path(), folder).string(), ' ', static_cast<int>(status.type()),
                  ' ', static_cast<unsigned>(status.permissions()), ' ',
                  entry.is_symlink() ? fs::read_symlink(entry.path()).string() : std::string(), ' ',
                  status.type() == fs::file_type::regular
                      ? util::read_file(entry.path()).value_or("unreadable")
                      : std::string()));
  }
  std::sort(lines.begin(), lines.end());
  return util::join(lines, "\n");
}

#if defined(__SANITIZE_ADDRESS__)
constexpr long k_memory_kib = 640 * 1024;  // what is freed is kept for a while
#else
constexpr long k_memory_kib = 64 * 1024;
#endif

}  // namespace

TEST_CASE("state: 8 MiB with modes, links and empty folders come back in little memory") {
  AgentStage stage(std::size_t{16} << 20U);
  for (unsigned i = 0; i < 8; ++i) {
    put_noise(stage.state() / util::cat("noise", i), std::size_t{1} << 20U, i + 1);
  }
  fs::permissions(stage.state() / "noise1", fs::perms(0750));
  fs::permissions(stage.state() / "noise2", fs::perms(0400));
  fs::create_directories(stage.state() / "deep/er/empty");
  fs::create_symlink("../noise0", stage.state() / "deep/link");
  fs::create_hard_link(stage.state() / "noise3", stage.state() / "deep/same");
  const std::string before = inventory(stage.state());
  CHECK(stage.collect().state_error.empty());
  CHECK_MESSAGE(stage.last.peak_kib < k_memory_kib, "collect: ", stage.last.peak_kib, " KiB");
  const state::Head head = stage.head();
  CHECK(head.set == "a");
  CHECK(head.chunks >= 9);

  // The same content is not written again.
  const std::string version = stage.version("x-state-a0");
  CHECK(stage.collect().state_generation == 1);
  CHECK(stage.version("x-state-a0") == version);
  CHECK(stage.head() == head);

  fs::remove_all(stage.data.path() / "out");
  fs::create_directories(stage.data.path() / "out");
  stage.restore(head);
  CHECK(stage.last.code == 0);
  CHECK_MESSAGE(stage.last.peak_kib < k_memory_kib, "restore: ", stage.last.peak_kib, " KiB");
  CHECK((inventory(stage.state()) == before));

  fs::remove_all(stage.state());
  fs::create_directories(stage.state());
  CHECK(stage.collect().state_generation == 2);
  CHECK(stage.head().size == 0);
}

TEST_CASE("state: 1 GiB fails with the limit in little memory, the state before stays") {
  AgentStage stage(state::k_max_head_state);
  std::ofstream(stage.state() / "small") << "kept";
  REQUIRE(stage.collect().state_error.empty());
  const state::Head head = stage.head();
  std::ofstream(stage.state() / "large") << "";
  fs::resize_file(stage.state() / "large", std::uintmax_t{1} << 30U);
  const state::Mark mark = stage.collect();
  CHECK(mark.state_error.find("larger than 921600 bytes") != std::string::npos);
  CHECK(mark.state_error.find("large") != std::string::npos);
  CHECK_MESSAGE(stage.last.peak_kib < k_memory_kib, "collect: ", stage.last.peak_kib, " KiB");
  CHECK(stage.head() == head);
}

TEST_CASE("state: a pod's large state survives its runs; a flipped byte stops the next" *
          doctest::description("seed 2.8, 2.10: state is kept in Secrets")) {
  Stage stage;
  stage.make_item("large", R"sh(
cd "$STATE"
if [ ! -e sums ]; then
  mkdir -p deep/er/empty
  for i in 1 2 3; do dd if=/dev/urandom of=noise$i bs=1048576 count=1 2> /dev/null; done
  chmod 750 noise1; ln -s ../noise2 deep/link
  sha256sum noise* > sums
fi
sha256sum -c sums > /dev/null && test -x noise1 && test -L deep/link && test -d deep/er/empty
n=$(cat n 2> /dev/null || echo 0); echo $((n + 1)) > n
echo "runs: $(cat n)" > "$EXPORT_PATH"
)sh",
                  {{"config", {{"state", {{"limit", "4Mi"}}}}}});
  REQUIRE(stage.run("large").state == Progress::State::done);
  REQUIRE(stage.run("large", {.force = true}).state == Progress::State::done);
  CHECK(stage.secret("large-export", "config") == R"({"runs":2})");
  const Item item = parse_item(stage.get(deploy_items(), "large")).value();
  const std::string base = pod_names(item, "").state_secret;
  const state::Head head = state::head_of_secret(stage.get(wk::secrets(), base)).value();
  CHECK(head.set == "b");
  CHECK(home()->list(wk::secrets(), stage.ns())->items.size() >= 10);

  const std::string chunk = state::chunk_name(base, "b", 1);
  std::string bytes = stage.secret(chunk, "state");
  bytes[1000] = static_cast<char>(bytes[1000] ^ 1);
  REQUIRE(home()->run(kube::patch(wk::secrets(), stage.ns(), chunk, kube::PatchType::merge,
                                  {{"data", {{"state", util::base64_encode(bytes)}}}})));
  const ItemOutcome corrupt = stage.run("large", {.force = true});
  CHECK(corrupt.reason == "RestoreFailed");
  CHECK(corrupt.message.find(chunk) != std::string::npos);
  CHECK(state::head_of_secret(stage.get(wk::secrets(), base)).value() == head);

  REQUIRE(home()->run(kube::remove(wk::secrets(), stage.ns(), chunk)));
  const ItemOutcome missing = stage.run("large", {.force = true});
  CHECK(missing.reason == "CorruptState");
  CHECK(missing.message.find(chunk + ", chunk 2 of") != std::string::npos);

  // Its removal leaves no chunk.
  const auto parts = [&] {
    const auto secrets = home()->list(wk::secrets(), stage.ns());
    REQUIRE(secrets);
    return std::count_if(secrets->items.begin(), secrets->items.end(), [&](const Json& secret) {
      return data::string_at(secret, {"metadata", "name"}).starts_with(base);
    });
  };
  CHECK(parts() > 5);
  REQUIRE(home()->run(kube::remove(deploy_items(), stage.ns(), "large")));
  const auto removed = remove_item(stage.world, stage.ns(), "large", {.skip_uninstall = true});
  REQUIRE_MESSAGE(removed, removed.error().to_string());
  CHECK(parts() == 0);
}

namespace {

struct Said {
  int code = -1;
  std::string text;  ///< standard output and error
};

Said run_kubist(const std::string& words) {
  const std::string call = util::cat("KUBECONFIG=", it::caller::kubeconfig().string(), ' ',
                                     paths::program(), ' ', words, " 2>&1");
  FILE* pipe = ::popen(call.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Said said;
  std::array<char, 4096> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    said.text.append(buffer.data(), count);
  }
  const int status = ::pclose(pipe);
  said.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("state: people list, save, replace and empty it") {
  Stage stage;
  const util::TempDir dir;
  const auto with_state = [&](const std::string& verb, const std::string& more = {}) {
    return run_kubist("deployitem state " + verb + " -n " + stage.ns() + " count" + more);
  };
  stage.make_item("count",
                  "n=$(cat $STATE/n 2> /dev/null || echo 0); echo $((n + 1)) > $STATE/n\n"
                  "ln -sf n $STATE/link; echo \"runs: $(cat $STATE/n)\" > $EXPORT_PATH");
  CHECK(has(with_state("ls").text, "has not run yet"));
  // State may be given before the first run.
  fs::create_directory(dir.path() / "given");
  std::ofstream(dir.path() / "given/n") << "41";
  CHECK(with_state("put", " " + (dir.path() / "given").string()).code == 0);
  REQUIRE(stage.run("count").state == Progress::State::done);
  CHECK(stage.secret("count-export", "config") == R"({"runs":42})");
  const Said listed = with_state("ls");
  CHECK(has(listed.text, "-rw-r--r--"));
  CHECK(has(listed.text, "link -> n"));
  CHECK(has(listed.text, "generation 2"));

  const std::string file = (dir.path() / "saved.tar.gz").string();
  CHECK(with_state("get", " " + file).code == 0);
  CHECK(
      has(run_kubist("deployitem state get -n " + stage.ns() + " count - | tar tz").text, "link"));
  CHECK(has(with_state("rm").text, "removed (generation 3, 0 bytes)"));
  CHECK(has(with_state("get", " -").text, "is empty"));
  CHECK(with_state("put", " " + file).code == 0);
  REQUIRE(stage.run("count", {.force = true}).state == Progress::State::done);
  CHECK(stage.secret("count-export", "config") == R"({"runs":43})");

  // What no run could save is refused.
  std::ofstream(dir.path() / "rubbish") << "no tar";
  CHECK(has(with_state("put", " " + (dir.path() / "rubbish").string()).text, "not a gzipped tar"));
  fs::create_symlink("/etc/passwd", dir.path() / "given/escape");
  CHECK(has(with_state("put", " " + (dir.path() / "given").string()).text, "leaves the state"));
  fs::remove(dir.path() / "given/escape");
  put_noise(dir.path() / "given/noise", 1'000'000, 3);
  CHECK(has(with_state("put", " " + (dir.path() / "given").string()).text, "larger than 921600"));

  // Corrupt state stops all but those that replace it.
  const Item item = parse_item(stage.get(deploy_items(), "count")).value();
  const std::string head = pod_names(item, "").state_secret;
  REQUIRE(home()->run(kube::patch(wk::secrets(), stage.ns(), head, kube::PatchType::merge,
                                  {{"data", {{"head", util::base64_encode("rubbish")}}}})));
  CHECK(has(with_state("ls").text, "corrupt"));
  CHECK(stage.run("count", {.force = true}).state == Progress::State::failed);
  CHECK(with_state("rm").code == 0);
  REQUIRE(stage.run("count", {.force = true}).state == Progress::State::done);
  CHECK(stage.secret("count-export", "config") == R"({"runs":1})");

  stage.make_item("busy", "sleep 600");
  REQUIRE(stage.run("busy", {.wait = false}).state == Progress::State::running);
  const Said busy = run_kubist("deployitem state rm -n " + stage.ns() + " busy");
  CHECK(busy.code == 5);
  CHECK(has(busy.text, "runs"));
}
