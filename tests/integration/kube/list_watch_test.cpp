#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include <doctest/doctest.h>
#include <unistd.h>

#include <kubist/data/json_stream.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/kube/watch.hpp>

#include "connect.hpp"

using namespace kubist;
using namespace kubist::kube;
using data::Json;

namespace {

constexpr int k_objects = 260;

Json config_map(const std::string& ns, const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", ns}, {"labels", {{"test", "kube"}}}}},
          {"data", {{"k", std::string(200, 'x')}}}};
}

/// A namespace with many objects, applied all at once.
class ManyObjects {
 public:
  explicit ManyObjects(Client& client)
      : m_client(client),
        m_name("kube-list-" + std::to_string(getpid()) + "-" + std::to_string(s_count++)) {
    REQUIRE(m_client.json(
        create(well_known::namespaces(),
               {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", m_name}}}})));
    std::mutex mutex;
    std::condition_variable changed;
    int done = 0;
    int failed = 0;
    for (int i = 0; i < k_objects; ++i) {
      m_client.start(
          kube::apply(well_known::config_maps(), config_map(m_name, "m" + std::to_string(i))),
          [&](util::Result<Reply> outcome) {
            const std::lock_guard lock(mutex);
            failed += outcome ? 0 : 1;
            ++done;
            changed.notify_one();
          });
    }
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done == k_objects; });
    REQUIRE(failed == 0);
  }
  ~ManyObjects() { static_cast<void>(m_client.run(remove(well_known::namespaces(), "", m_name))); }
  const std::string& name() const { return m_name; }

 private:
  inline static int s_count = 0;
  Client& m_client;
  std::string m_name;
};

}  // namespace

TEST_CASE("kube: hundreds of applies in flight, listed in pages, as tables, watched") {
  const auto client = connect();
  const ManyObjects objects(*client);
  const ApiResource& maps = well_known::config_maps();
  ListOptions options;
  options.label_selector = "test=kube";
  options.first_limit = 50;
  options.page_bytes = 50000;

  SUBCASE("pages cover each object once") {
    std::set<std::string> names;
    int pages = 0;
    data::ListReader reader;
    const auto end = client->list_pages(
        maps, objects.name(), options, [&](const data::PageBuffer& page) -> util::Result<> {
          ++pages;
          auto head = reader.read(page, [&](const data::ListItem& item) -> util::Result<> {
            CHECK(names.insert(std::string(item.name)).second);
            return {};
          });
          REQUIRE_MESSAGE(head, head.error().to_string());
          return {};
        });
    REQUIRE_MESSAGE(end, end.error().to_string());
    CHECK(names.size() == k_objects);
    CHECK(pages > 2);
    CHECK_FALSE(end->resource_version.empty());
    CHECK_FALSE(end->more);
  }
  SUBCASE("max_objects cuts") {
    options.max_objects = 70;
    std::size_t rows = 0;
    options.form = Form::table;
    options.table_objects = TableObjects::none;
    data::TableReader reader;
    const auto end = client->list_pages(maps, objects.name(), options,
                                        [&](const data::PageBuffer& page) -> util::Result<> {
                                          auto head = reader.read(
                                              page, [](const auto&) { return util::Result<>(); },
                                              [&](const data::TableRow&) -> util::Result<> {
                                                ++rows;
                                                return {};
                                              });
                                          REQUIRE_MESSAGE(head, head.error().to_string());
                                          return {};
                                        });
    REQUIRE_MESSAGE(end, end.error().to_string());
    CHECK(rows == 70);
    CHECK(end->more);
  }
  SUBCASE("a handler's error and a stop end the listing") {
    const auto refused = client->list_pages(maps, objects.name(), options,
                                            [](const data::PageBuffer&) -> util::Result<> {
                                              return util::fail(util::ErrorKind::invalid, "enough");
                                            });
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == "enough");
    std::stop_source source;
    const auto stopped = client->list_pages(
        maps, objects.name(), options,
        [&](const data::PageBuffer&) -> util::Result<> {
          source.request_stop();
          return {};
        },
        source.get_token());
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().kind == util::ErrorKind::cancelled);
  }
  SUBCASE("lists as values have kind and apiVersion") {
    const auto list = client->list(maps, objects.name(), options);
    REQUIRE_MESSAGE(list, list.error().to_string());
    REQUIRE(list->items.size() == k_objects);
    CHECK(list->items[0]["kind"].get<std::string>() == "ConfigMap");
  }
  SUBCASE("a watch lists, then tells changes, and survives an expired version") {
    for (const char* start : {"", "1"}) {
      CAPTURE(start);
      std::stop_source source;
      WatchOptions watch_options;
      watch_options.resource = maps;
      watch_options.ns = objects.name();
      watch_options.label_selector = "test=kube";
      watch_options.resource_version = start;
      int listed = 0;
      std::vector<std::string> log;
      std::thread writer;
      const auto result = watch(
          *client, watch_options,
          [&](const WatchEvent& event) -> util::Result<> {
            if (event.type == WatchEventType::listed) {
              ++listed;
            } else if (event.type == WatchEventType::relisted) {
              CHECK(listed == k_objects);
              writer = std::thread([&] {
                const ApiResource& resource = maps;
                CHECK(client->run(kube::apply(resource, config_map(objects.name(), "new"))));
                CHECK(client->run(patch(resource, objects.name(), "new", PatchType::merge,
                                        {{"data", {{"k", "y"}}}})));
                CHECK(client->run(remove(resource, objects.name(), "new")));
              });
            } else if (event.name == "new") {
              log.push_back(std::to_string(static_cast<int>(event.type)));
              if (event.type == WatchEventType::deleted) {
                source.request_stop();
              }
            }
            return {};
          },
          source.get_token());
      REQUIRE_MESSAGE(result, result.error().to_string());
      if (writer.joinable()) {
        writer.join();
      }
      CHECK(log == std::vector<std::string>{"2", "3", "4"});
    }
  }
}

TEST_CASE("kube: a watch of metadata lists and follows") {
  const auto client = connect();
  const ManyObjects objects(*client);
  const ApiResource& maps = well_known::config_maps();
  WatchOptions options;
  options.resource = maps;
  options.ns = objects.name();
  options.label_selector = "test=kube";
  options.form = Form::metadata;
  std::stop_source source;
  int listed = 0;
  std::thread writer;
  std::vector<std::string> kinds;
  const auto result = watch(
      *client, options,
      [&](const WatchEvent& event) -> util::Result<> {
        if (event.type == WatchEventType::listed) {
          ++listed;
        } else if (event.type == WatchEventType::relisted) {
          writer = std::thread([&] {
            CHECK(client->run(kube::apply(maps, config_map(objects.name(), "new"))));
            CHECK(client->run(remove(maps, objects.name(), "new")));
          });
        } else if (event.name == "new") {
          KUBIST_TRY(const Json object, event.json());
          kinds.push_back(object["kind"].get<std::string>());
          CHECK_FALSE(object.contains("data"));
          if (event.type == WatchEventType::deleted) {
            source.request_stop();
          }
        }
        return {};
      },
      source.get_token());
  REQUIRE_MESSAGE(result, result.error().to_string());
  if (writer.joinable()) {
    writer.join();
  }
  CHECK(listed == k_objects);
  CHECK(kinds == std::vector<std::string>{"PartialObjectMetadata", "PartialObjectMetadata"});
}

TEST_CASE("kube: a watch of one object by name, and of a kind that is not there") {
  const auto client = connect();
  WatchOptions options;
  options.resource = well_known::namespaces();
  options.name = "default";
  std::stop_source source;
  std::vector<std::string> names;
  const auto result = watch(
      *client, options,
      [&](const WatchEvent& event) -> util::Result<> {
        names.emplace_back(event.name);
        if (event.type == WatchEventType::relisted) {
          source.request_stop();
        }
        return {};
      },
      source.get_token());
  REQUIRE_MESSAGE(result, result.error().to_string());
  CHECK(names == std::vector<std::string>{"default", ""});

  options.resource.plural = "nothings";
  const auto none = watch(*client, options, [](const WatchEvent&) { return util::Result<>(); }, {});
  REQUIRE_FALSE(none);
  CHECK(none.error().kind == util::ErrorKind::not_found);
}
