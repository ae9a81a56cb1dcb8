// What the watches of a project may know.
#include "session/known_objects.hpp"

#include <doctest/doctest.h>

using namespace kubist;
using executors::WatchRoom;

namespace {

struct Large {
  std::size_t bytes() const { return std::size_t{100} << 20U; }
};
using Known = executors::KnownObjects<std::string, Large>;

}  // namespace

TEST_CASE("known objects: the watches of a project share its room, and who finds none knows none") {
  executors::Absences absences;
  WatchRoom room{absences};
  Known known(room.take("shop")), beside(room.take("shop")), of_other(room.take("blog"));
  CHECK(known.put("a", {}));
  CHECK(known.put("a", {}));  // in its own place
  CHECK(beside.put("a", {}));
  CHECK(of_other.put("a", {}));
  CHECK(of_other.put("b", {}));
  CHECK_FALSE(known.put("b", {}));
  CHECK(known.is_full());
  CHECK(known.find("a") == nullptr);
  CHECK_FALSE(known.put("c", {}));
  CHECK(absences.take({}) ==
        std::vector<std::string>{
            "project namespace shop: changes by others of objects beyond 256 MiB that its watches "
            "know are noticed only by the resync (docs/reference/limits.md)"});
  CHECK(beside.put("b", {}));
  beside.erase("a");
  beside.list("c");
  CHECK(beside.put("c", {}));
  CHECK(beside.take_missing().size() == 1);
  CHECK(beside.is_nothing_listed());
  known.list("x");
  CHECK(known.is_nothing_listed());  // what is full holds no names either
  CHECK(beside.put("d", {}));
  CHECK_FALSE(beside.is_full());
}
