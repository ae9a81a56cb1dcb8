#include <fstream>
#include <map>
#include <set>

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/state/agent.hpp>
#include <kubist/state/pieces.hpp>
#include <kubist/state/store.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/fs.hpp>

#include "support/fake_transport.hpp"

using namespace kubist;
using data::Json;
namespace fs = std::filesystem;

namespace {

/// Secrets of namespace "n", with resourceVersions and their conflicts as an API server has them.
class Secrets {
 public:
  Secrets() {
    const std::string path = std::string(k_path) + "*";
    fake->handle("GET", path, [this](const http::Request& request) { return get(request); });
    fake->handle("PUT", path, [this](const http::Request& request) { return put(request); });
    fake->handle("PATCH", path, [this](const http::Request& request) { return patch(request); });
    kube::ClusterAccess access;
    access.server = "http://fake";
    client = kube::Client::connect(access, {.transport = fake, .retry = false}).value();
    for (const char* name : {"s-state", "s-export"}) {
      add(name, "job-1");
    }
  }
  void add(const std::string& name, const std::string& job = {}) {
    objects[name] = {{"kind", "Secret"},
                     {"apiVersion", "v1"},
                     {"metadata", {{"name", name}, {"namespace", "n"}, {"resourceVersion", "1"}}}};
    if (!job.empty()) {
      objects[name]["metadata"]["annotations"] = {{"kubist.io/job", job}};
    }
  }
  void add_chunks(std::size_t limit) {
    for (const std::string& name : state::chunk_names("s-state", limit)) {
      add(name);
    }
  }
  state::Head head() const { return state::head_of_secret(objects.at("s-state")).value(); }
  util::Result<state::Head> save(const fs::path& folder,
                                 std::size_t limit = std::size_t{4} << 20U) {
    return state::save_state(*client, place, folder, {.job = "job-1", .limit = limit});
  }
  util::Result<> restore(const fs::path& folder) {
    KUBIST_TRY(const auto stored, state::open_state(*client, place));
    return state::unpack(stored.packed, folder);
  }
  /// Names written since the last call, in order.
  std::vector<std::string> take_writes() { return std::exchange(writes, {}); }

  std::shared_ptr<testing::FakeTransport> fake = std::make_shared<testing::FakeTransport>();
  std::shared_ptr<kube::Client> client;
  state::StateSecrets place{"n", "s-state"};
  std::map<std::string, Json> objects;
  std::function<void(const std::string& name)> before_write;

 private:
  static constexpr std::string_view k_path = "/api/v1/namespaces/n/secrets/";
  static std::string name_of(const http::Request& request) {
    const auto begin = request.url.find(k_path) + k_path.size();
    return request.url.substr(begin, request.url.find('?') - begin);
  }
  static util::Result<http::Response> answer(int status, const Json& body) {
    return testing::FakeTransport::answer(status, body.dump());
  }
  static util::Result<http::Response> refuse(int code, const std::string& reason) {
    return answer(code, {{"kind", "Status"},
                         {"apiVersion", "v1"},
                         {"status", "Failure"},
                         {"reason", reason},
                         {"code", code},
                         {"message", reason}});
  }
  util::Result<http::Response> get(const http::Request& request) {
    const auto found = objects.find(name_of(request));
    return found == objects.end() ? refuse(404, "NotFound") : answer(200, found->second);
  }
  util::Result<http::Response> write(const std::string& name, const Json& body,
                                     const std::function<void(Json&)>& change) {
    if (before_write) {
      before_write(name);
    }
    const auto found = objects.find(name);
    if (found == objects.end()) {
      return refuse(404, "NotFound");
    }
    const auto version = data::string_at(found->second, {"metadata", "resourceVersion"});
    if (data::string_at(body, {"metadata", "resourceVersion"}) != version) {
      return refuse(409, "Conflict");
    }
    const std::string next = std::to_string(std::stoi(std::string(version)) + 1);
    change(found->second);
    found->second["metadata"]["resourceVersion"] = next;
    writes.push_back(name);
    return answer(200, found->second);
  }
  util::Result<http::Response> put(const http::Request& request) {
    const Json body = Json::parse(*request.body);
    return write(name_of(request), body, [&](Json& object) { object = body; });
  }
  util::Result<http::Response> patch(const http::Request& request) {
    const Json body = Json::parse(*request.body);
    return write(name_of(request), body, [&](Json& object) { object.merge_patch(body); });
  }
  std::vector<std::string> writes;
};

void put_noise(const fs::path& path, std::size_t size, unsigned seed = 1) {
  std::string noise(size, ' ');
  for (char& c : noise) {
    seed = seed * 1103515245U + 12345U;
    c = static_cast<char>(seed >> 16U);
  }
  std::ofstream(path) << noise;
}

}  // namespace

TEST_CASE("store: small state is one update of the head, and none when nothing changed") {
  Secrets secrets;
  const util::TempDir from;
  const util::TempDir to;
  std::ofstream(from.path() / "runs") << "7";
  REQUIRE(secrets.save(from.path()));
  CHECK(secrets.take_writes() == std::vector<std::string>{"s-state"});
  CHECK(secrets.head().generation == 1);
  REQUIRE(secrets.save(from.path()));
  CHECK(secrets.take_writes().empty());
  REQUIRE(secrets.restore(to.path()));
  CHECK(util::read_file(to.path() / "runs") == std::string("7"));

  fs::remove(from.path() / "runs");
  CHECK(secrets.save(from.path())->size == 0);
  CHECK(secrets.head().generation == 2);
  CHECK(secrets.take_writes() == std::vector<std::string>{"s-state"});
  CHECK_FALSE(secrets.objects["s-state"]["data"].contains("state"));
}

TEST_CASE("store: large state goes to chunks by turns, the head last; no write without change") {
  Secrets secrets;
  secrets.add_chunks(std::size_t{4} << 20U);
  const util::TempDir from;
  put_noise(from.path() / "noise", 2'000'000);
  REQUIRE(secrets.save(from.path()));
  CHECK(secrets.take_writes() ==
        std::vector<std::string>{"s-state-a0", "s-state-a1", "s-state-a2", "s-state"});
  CHECK_FALSE(secrets.objects["s-state"]["data"].contains("state"));
  REQUIRE(secrets.save(from.path()));
  CHECK(secrets.take_writes().empty());

  put_noise(from.path() / "noise", 1'000'000, 2);
  REQUIRE(secrets.save(from.path()));
  CHECK(secrets.take_writes() == std::vector<std::string>{"s-state-b0", "s-state-b1", "s-state"});
  const util::TempDir to;
  REQUIRE(secrets.restore(to.path()));
  CHECK(util::read_file(to.path() / "noise") == util::read_file(from.path() / "noise").value());
}

TEST_CASE("store: a fault while chunks are written leaves the state before as it was") {
  Secrets secrets;
  secrets.add_chunks(std::size_t{2} << 20U);
  const util::TempDir from;
  put_noise(from.path() / "noise", 1'500'000);
  REQUIRE(secrets.save(from.path()));
  const state::Head before = secrets.head();
  put_noise(from.path() / "noise", 1'500'000, 2);

  SUBCASE("a Secret that somebody deleted") {
    secrets.objects.erase("s-state-b1");
    const auto saved = secrets.save(from.path());
    REQUIRE_FALSE(saved.has_value());
    CHECK(saved.error().message.find("s-state-b1") != std::string::npos);
  }
  SUBCASE("another job takes over while we write") {
    secrets.before_write = [&](const std::string& name) {
      if (name == "s-state-b1") {
        Json& head = secrets.objects["s-state"]["metadata"];
        head["annotations"]["kubist.io/job"] = "job-2";
        head["resourceVersion"] = "77";
      }
    };
    const auto saved = secrets.save(from.path());
    REQUIRE_FALSE(saved.has_value());
    CHECK(saved.error().kind == util::ErrorKind::conflict);
  }
  SUBCASE("another job has written a chunk: it is not overwritten") {
    secrets.before_write = [&](const std::string& name) {
      if (name == "s-state-b0") {
        secrets.objects["s-state"]["metadata"]["annotations"]["kubist.io/job"] = "job-2";
        secrets.objects[name] = {{"metadata", {{"resourceVersion", "50"}}}, {"data", "theirs"}};
      }
    };
    const auto saved = secrets.save(from.path());
    REQUIRE_FALSE(saved.has_value());
    CHECK(saved.error().kind == util::ErrorKind::conflict);
    CHECK(secrets.objects["s-state-b0"]["data"] == "theirs");
  }
  SUBCASE("too large") {
    const auto saved = secrets.save(from.path(), 1'000'000);
    REQUIRE_FALSE(saved.has_value());
    CHECK(saved.error().message.find("larger than 1000000 bytes") != std::string::npos);
    CHECK(saved.error().hint.find("state.limit") != std::string::npos);
  }
  CHECK(secrets.head() == before);
  secrets.before_write = nullptr;
  const util::TempDir to;
  CHECK(secrets.restore(to.path()));
}

TEST_CASE("store: what was damaged through the API is found, by name") {
  Secrets secrets;
  secrets.add_chunks(std::size_t{2} << 20U);
  const util::TempDir from;
  const util::TempDir to;
  put_noise(from.path() / "noise", 1'500'000);
  REQUIRE(secrets.save(from.path()));
  Json& data = secrets.objects["s-state-a1"]["data"];
  std::string bytes = util::base64_decode(data["state"].get<std::string>()).value();
  bytes[100] = static_cast<char>(bytes[100] ^ 4);
  data["state"] = util::base64_encode(bytes);
  const auto restored = secrets.restore(to.path());
  REQUIRE_FALSE(restored.has_value());
  CHECK(restored.error().message.find("s-state-a1") != std::string::npos);
  const auto stored = state::open_state(*secrets.client, secrets.place);
  REQUIRE(stored);
  CHECK_FALSE(state::drain(stored->packed).has_value());
}

TEST_CASE("collect: what is wrong with state is said in the mark, exports go on") {
  Secrets secrets;
  const util::TempDir out;
  fs::create_directory(out.path() / "state");
  put_noise(out.path() / "state/noise", 1'500'000);
  std::ofstream(out.path() / "exports") << "a: 1";
  const state::CollectOptions options{.job = "job-1",
                                      .ns = "n",
                                      .export_secret = "s-export",
                                      .state_secret = "s-state",
                                      .out = out.path(),
                                      .schema = {}};
  const auto mark = state::collect(*secrets.client, options);
  REQUIRE_MESSAGE(mark, mark.error().to_string());
  CHECK(mark->state_error.find("larger than 921600 bytes") != std::string::npos);
  CHECK(mark->exports_error.empty());
  CHECK(secrets.head().generation == 0);
  CHECK(state::mark_of(secrets.objects["s-export"]) == *mark);
}

TEST_CASE("collect: a link out of the state folder is refused by name, the state before stays") {
  Secrets secrets;
  const util::TempDir out;
  fs::create_directory(out.path() / "state");
  std::ofstream(out.path() / "state/x") << "kept";
  const state::CollectOptions options{.job = "job-1",
                                      .ns = "n",
                                      .export_secret = "s-export",
                                      .state_secret = "s-state",
                                      .out = out.path(),
                                      .schema = {}};
  REQUIRE(state::collect(*secrets.client, options));
  const state::Head head = secrets.head();
  fs::create_symlink("/var/run/secrets/kubernetes.io/serviceaccount/token",
                     out.path() / "state/loot");
  const auto mark = state::collect(*secrets.client, options);
  REQUIRE(mark);
  CHECK(mark->state_error.find("loot") != std::string::npos);
  CHECK(mark->state_error.find("leaves the state folder") != std::string::npos);
  // The folder itself replaced by a link is no way out either.
  fs::remove_all(out.path() / "state");
  fs::create_directory_symlink("/etc", out.path() / "state");
  CHECK_FALSE(state::collect(*secrets.client, options)->state_error.empty());
  CHECK(secrets.head() == head);
}

TEST_CASE("archive: a listing tells what is in the state") {
  const util::TempDir from;
  std::ofstream(from.path() / "runs") << "7";
  fs::create_directory(from.path() / "empty");
  fs::create_symlink("runs", from.path() / "link");
  const std::string packed = state::pack(from.path(), 1 << 20).value();
  bool given = false;
  const auto entries = state::list(
      [&]() -> util::Result<std::string> { return std::exchange(given, true) ? "" : packed; });
  REQUIRE(entries);
  REQUIRE(entries->size() == 3);
  CHECK((*entries)[0].path == "empty/");
  CHECK((*entries)[0].type == 'd');
  CHECK((*entries)[1].target == "runs");
  CHECK((*entries)[2].size == 1);
}
