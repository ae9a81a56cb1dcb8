// The memory that objects of one namespace may take.
#include <string>

#include <doctest/doctest.h>

#include <kubist/kube/client.hpp>
#include <kubist/kube/room.hpp>
#include <kubist/util/text.hpp>

using namespace kubist;
using data::Json;
using kube::Kept;
using kube::Room;
using util::cat;

namespace {

constexpr std::size_t k_kib = 1024;

std::string map_text(const std::string& ns, const std::string& name, std::size_t bytes) {
  return Json{{"metadata", {{"name", name}, {"namespace", ns}, {"uid", "u-" + name}}},
              {"data", {{"key", std::string(bytes, 'x')}}}}
      .dump();
}
Kept read_map(Room& room, const std::string& ns, const std::string& name, std::size_t bytes) {
  return room.read(kube::well_known::config_maps(), ns, map_text(ns, name, bytes));
}

}  // namespace

TEST_CASE("room: what does not fit is unreadable, and no other namespace has less for it") {
  Room room(100 * k_kib);
  const Kept first = read_map(room, "a", "one", 60 * k_kib);
  CHECK_FALSE(first.unreadable);
  CHECK(first.object["kind"] == "ConfigMap");
  CHECK(first.bytes > 60 * k_kib);
  const Kept second = read_map(room, "a", "two", 60 * k_kib);
  REQUIRE(second.unreadable);
  CHECK(second.unreadable->reason == "Unreadable");
  CHECK(
      second.unreadable->message ==
      "ConfigMap/a/two cannot be read: namespace a has no room for it: its objects may take 0 MiB "
      "of memory (docs/reference/limits.md)");
  CHECK(second.unreadable->hint ==
        "Delete objects in the namespace, make them smaller, or keep some in another project; "
        "until then it is left as it is.");
  CHECK(second.object ==
        Json{{"apiVersion", "v1"},
             {"kind", "ConfigMap"},
             {"metadata", {{"name", "two"}, {"namespace", "a"}, {"uid", "u-two"}}}});
  CHECK(second.bytes == 0);
  CHECK(second.wanted == first.bytes);
  CHECK_FALSE(read_map(room, "b", "two", 60 * k_kib).unreadable);
  CHECK_FALSE(read_map(room, "", "two", 600 * k_kib).unreadable);  // an administrator's
  CHECK_FALSE(room.has("a", second.wanted));
  room.leave("a", first.bytes);
  CHECK(room.has("a", second.wanted));
  CHECK_FALSE(read_map(room, "a", "two", 60 * k_kib).unreadable);
}

TEST_CASE("room: an object of too many values is unreadable, however much room there is") {
  Room room;
  std::string values = "0";
  for (int i = 0; i < 200'000; ++i) {
    values += ",0";
  }
  const Kept kept =
      room.read(kube::well_known::config_maps(), "a",
                cat(R"({"metadata":{"name":"big","namespace":"a"},"data":[)", values, "]}"));
  REQUIRE(kept.unreadable);
  CHECK(kept.unreadable->message ==
        "ConfigMap/a/big cannot be read: more than 200000 values in one document");
  CHECK(kept.wanted == 0);
}

TEST_CASE("room: the outline of an object that is nested too deep takes room, too") {
  Room room(100 * k_kib);
  const std::string deep = std::string(600, '[') + std::string(600, ']');
  const auto read = [&](const std::string& name) {
    return room.read(kube::well_known::config_maps(), "a",
                     cat(R"({"metadata":{"name":")", name, R"("},"spec":{"text":")",
                         std::string(60 * k_kib, 'x'), R"("},"data":)", deep, "}"));
  };
  const Kept first = read("one");
  CHECK(first.unreadable);
  CHECK(first.bytes > 60 * k_kib);
  const Kept second = read("two");
  REQUIRE(second.unreadable);
  CHECK(second.unreadable->message.find("nested deeper") != std::string::npos);
  CHECK_FALSE(second.object.contains("spec"));
  CHECK(second.bytes == 0);
}

TEST_CASE("room: what runs keep of answers is limited for each project, all runs together") {
  const std::size_t most = kube::room_of_answers().most();
  kube::Reservation one("a");
  REQUIRE(one.take(most / 2));
  {
    kube::Reservation two("a");
    CHECK(two.take(most / 4));
    const auto refused = two.take(most / 2);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().reason == "TooLarge");
    CHECK(refused.error().kind == util::ErrorKind::unavailable);  // it is tried again
    CHECK(two.take(Json{{"data", "x"}}));                         // what is refused takes nothing
    CHECK(kube::Reservation("b").take(most));
    CHECK(kube::Reservation("b").take(most + 1).error().kind == util::ErrorKind::invalid);
  }
  CHECK(one.take(most / 2));  // what has ended left its room
  CHECK_FALSE(one.take(1));
}
