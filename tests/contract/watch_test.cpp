// Watches: what they tell, from where, and for whom.
#include <mutex>

#include <kubist/kube/watch.hpp>
#include <kubist/util/threads.hpp>

#include "server.hpp"

using namespace contract;

namespace {

/// A watch of ConfigMaps of the place beside the test; what it told so far.
class Watching {
 public:
  explicit Watching(kube::WatchOptions options)
      : m_thread(must(kubist::util::start_thread([this, options](const std::stop_token& stop) {
          const auto ended = kube::watch(
              *client(), options,
              [this](const kube::WatchEvent& event) -> kubist::util::Result<> {
                add(event);
                return {};
              },
              stop);
          const std::lock_guard lock(m_mutex);
          m_error = ended ? "" : ended.error().to_string();
        }))) {}
  ~Watching() {
    m_thread.request_stop();
    m_thread.join();
    CHECK(m_error.empty());
  }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

  /// "+a ~a -a" of objects, "listed" where a listing was complete.
  std::string told() const {
    const std::lock_guard lock(m_mutex);
    return m_told;
  }
  bool tells(const std::string& expected) const {
    return eventually([&] { return told() == expected; });
  }

 private:
  void add(const kube::WatchEvent& event) {
    const std::lock_guard lock(m_mutex);
    const std::string name(event.name);
    if (event.type == kube::WatchEventType::bookmark || name.starts_with("kube-root")) {
      return;
    }
    m_told += m_told.empty() ? "" : " ";
    switch (event.type) {
      case kube::WatchEventType::listed:
        m_told += "=" + name;
        break;
      case kube::WatchEventType::relisted:
        m_told += "listed";
        break;
      case kube::WatchEventType::added:
        m_told += "+" + name;
        break;
      case kube::WatchEventType::modified:
        m_told += "~" + name;
        break;
      default:
        m_told += "-" + name;
    }
  }
  mutable std::mutex m_mutex;
  std::string m_told, m_error;
  std::jthread m_thread;
};

kube::WatchOptions watch_of(const Place& place) {
  kube::WatchOptions options;
  options.resource = well_known::config_maps();
  options.ns = place.ns();
  return options;
}

void set_label(const Place& place, const std::string& name, const Json& value) {
  must(
      client()->run(kube::patch(well_known::config_maps(), place.ns(), name, kube::PatchType::merge,
                                {{"metadata", {{"labels", {{"at", value}}}}}})));
}

void remove_map(const Place& place, const std::string& name) {
  must(client()->run(kube::remove(well_known::config_maps(), place.ns(), name)));
}

}  // namespace

TEST_CASE("contract: a watch lists, and tells then what comes, changes and goes") {
  const Place place;
  place.make(place.config_map("a"));
  const Watching watch(watch_of(place));
  CHECK(watch.tells("=a listed"));
  place.make(place.config_map("b"));
  set_label(place, "a", "1");
  remove_map(place, "b");
  CHECK(watch.tells("=a listed +b ~a -b"));
}

TEST_CASE("contract: a watch from a version tells what happened since") {
  const Place place;
  const Json made = place.make(place.config_map("a"));
  set_label(place, "a", "1");
  place.make(place.config_map("b"));
  remove_map(place, "a");
  kube::WatchOptions options = watch_of(place);
  options.resource_version = version_of(made);
  const Watching watch(options);
  CHECK(watch.tells("~a +b -a"));
}

// Of a custom kind: what the server remembers of it begins when its definition was made. A young
// server still remembers all of what it began with.
TEST_CASE("contract: a watch from a version that is too old lists again") {
  const Place place;
  kube::WatchOptions options = watch_of(place);
  options.resource = resource_of(place.make(place.virtual_cluster("a")));
  options.resource_version = "1";
  std::mutex mutex;
  std::string reason;
  options.on_trouble = [&](const kubist::util::Error& error) {
    const std::lock_guard lock(mutex);
    reason = kube::is_expired(error) ? "expired" : error.to_string();
  };
  const Watching watch(options);
  CHECK(watch.tells("=a listed"));
  const std::lock_guard lock(mutex);
  CHECK(reason == "expired");
}

TEST_CASE("contract: to a selector an object comes and goes with its labels") {
  const Place place;
  place.make(place.config_map("a"));
  kube::WatchOptions options = watch_of(place);
  options.label_selector = "at=here";
  const Watching watch(options);
  CHECK(watch.tells("listed"));
  set_label(place, "a", "here");
  CHECK(watch.tells("listed +a"));
  set_label(place, "a", "there");
  CHECK(watch.tells("listed +a -a"));
  remove_map(place, "a");
  place.make(place.config_map("b"));
  set_label(place, "b", "here");
  CHECK(watch.tells("listed +a -a +b"));
}

TEST_CASE("contract: a watch of one name tells of no other") {
  const Place place;
  kube::WatchOptions options = watch_of(place);
  options.name = "b";
  const Watching watch(options);
  CHECK(watch.tells("listed"));
  place.make(place.config_map("a"));
  place.make(place.config_map("b"));
  remove_map(place, "b");
  CHECK(watch.tells("listed +b -b"));
}

TEST_CASE("contract: a watch of metadata tells the same") {
  const Place place;
  kube::WatchOptions options = watch_of(place);
  options.form = kube::Form::metadata;
  const Watching watch(options);
  CHECK(watch.tells("listed"));
  place.make(place.config_map("a"));
  set_label(place, "a", "1");
  CHECK(watch.tells("listed +a ~a"));
}

TEST_CASE("contract: of an object that finalizers hold a watch tells its change and its end") {
  const Place place;
  const Watching watch(watch_of(place));
  CHECK(watch.tells("listed"));
  Json object = place.config_map("a");
  object["metadata"]["finalizers"] = {"example.com/hold"};
  place.make(object);
  remove_map(place, "a");
  CHECK(watch.tells("listed +a ~a"));
  must(client()->run(kube::patch(well_known::config_maps(), place.ns(), "a", kube::PatchType::merge,
                                 {{"metadata", {{"finalizers", nullptr}}}})));
  CHECK(watch.tells("listed +a ~a -a"));
}

TEST_CASE("contract: a watch of a kind that is not served ends with 404") {
  const Place place;
  kube::WatchOptions options;
  options.resource = kube::make_resource("nothing.example.com", "v1", "Nothing", "nothings", true);
  options.resource_version = "5";
  const auto ended =
      kube::watch(*client(), options, [](const auto&) { return kubist::util::Result<>{}; }, {});
  REQUIRE(!ended);
  CHECK(ended.error().http_status == 404);
}
