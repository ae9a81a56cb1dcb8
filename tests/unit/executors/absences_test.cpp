#include "world/absences.hpp"

#include <doctest/doctest.h>

using namespace kubist;
using namespace std::chrono_literals;
using executors::Absences;

namespace {

util::Error refused(int status, const std::string& message) {
  util::Error error = util::make_error(util::ErrorKind::forbidden, message);
  error.http_status = status;
  return error;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("absences: one line when a watch goes away, one when that lasts, one when it is back") {
  Absences absences;
  const Absences::Time start{};
  CHECK_FALSE(absences.next());
  absences.trouble("approvals.kubist.io", refused(403, "no right"), start);
  CHECK(absences.next() == start + 1s);
  CHECK(absences.take(start + 100ms).empty());
  CHECK(absences.take(start + 1s) ==
        Lines{"the watch of approvals.kubist.io is away, trying again: no right"});
  absences.trouble("approvals.kubist.io", refused(403, "no right"), start + 10s);
  CHECK(absences.take(start + 20s).empty());
  CHECK(absences.take(start + 30s) ==
        Lines{"the watch of approvals.kubist.io is still away after 30s, changes there are not "
              "noticed: no right"});
  CHECK_FALSE(absences.next());
  absences.back("approvals.kubist.io", start + 45s);
  CHECK(absences.take(absences.next().value()) ==
        Lines{"the watch of approvals.kubist.io is back after 45s"});
  CHECK_FALSE(absences.next());
}

TEST_CASE("absences: what is back within a second, and what is no more, is not told") {
  Absences absences;
  const Absences::Time start{};
  absences.trouble("a", refused(0, "connection lost"), start);
  absences.back("a", start + 500ms);
  absences.trouble("b", refused(403, "no"), start);
  absences.forget("b");
  absences.back("never away", start);
  CHECK_FALSE(absences.next());
  CHECK(absences.take(start + 1h).empty());
}

TEST_CASE("absences: watches that say the same at the same time share a line") {
  Absences absences;
  const Absences::Time start{};
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    absences.trouble(name, refused(403, std::string("no ") + name), start + 10ms);
  }
  absences.trouble("f", refused(404, "no such kind"), start);
  CHECK(absences.take(start + 1s) ==
        Lines{"the watches of a, b, c and 2 more are away, trying again: no a",
              "the watch of f is away, trying again: no such kind"});
  absences.back("a", start + 5s);
  absences.back("f", start + 5s + 100ms);
  CHECK(absences.take(start + 5s + 300ms) == Lines{"the watches of a, f are back after 5s"});
}

TEST_CASE("absences: a watch that goes again before it was told to be back never was") {
  Absences absences;
  const Absences::Time start{};
  absences.trouble("a", refused(403, "no"), start);
  CHECK(absences.take(start + 1s).size() == 1);
  absences.back("a", start + 4s);
  absences.trouble("a", refused(403, "no"), start + 4s + 100ms);
  CHECK(absences.take(start + 5s).empty());
  CHECK(absences.next() == start + 30s);
}

TEST_CASE("absences: who waits for a watch hears that it is back where it was away") {
  int returned = 0;
  const executors::Sight sight{nullptr, "shop"};
  Absences absences([](const std::string&) {},
                    [&](const executors::Sight& seen) { returned += seen.ns == "shop" ? 1 : 0; });
  // Not yet: its own thread tells what is due.
  const Absences::Time start = std::chrono::steady_clock::now() + 1h;
  absences.trouble("a", refused(0, "connection lost"), start);
  absences.back("a", start + 500ms, sight);
  CHECK(returned == 0);
  absences.trouble("a", refused(403, "no"), start);
  absences.take(start + 1s);
  absences.back("a", start + 4s, sight);
  CHECK(returned == 1);
}
