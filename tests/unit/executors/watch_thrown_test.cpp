// What is thrown on --watch's own thread ends no watch, and costs no other node its turn.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>

#include "session/watches.hpp"
#include "watch_site.hpp"

using namespace site;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

/// How many more allocations of this thread succeed before one fails; negative: none does.
thread_local int t_left = -1;
/// Of which size these are; 0: of any that no list of Json has, since its destructor makes some.
thread_local std::size_t t_size = 0;

bool is_to_fail(std::size_t size) {
  const bool counts = t_size == 0 ? size % sizeof(data::Json) != 0 : size == t_size;
  return t_left >= 0 && counts && t_left-- == 0;
}

}  // namespace

void* operator new(std::size_t size) {
  void* made = is_to_fail(size) ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (made == nullptr) {
    throw std::bad_alloc();
  }
  return made;
}
void operator delete(void* made) noexcept { std::free(made); }
void operator delete(void* made, std::size_t) noexcept { std::free(made); }
#endif

namespace {

const std::string k_thrown = "unexpected: std::bad_alloc";

struct Labelled : Site {
  Labelled() {
    make_project("shop");
    virtual_cluster("shop", "near");
    settle();
  }
  void label(const std::string& tier) {
    virtual_cluster("shop", "near", {{"labels", {{"tier", tier}}}});
  }
  bool is_labelled(const std::string& tier) const {
    return namespace_at(home, "shop-near")["metadata"]["labels"].value("tier", "") == tier;
  }
};

}  // namespace

TEST_CASE("watch thrown: whatever hook throws, the loop goes on, and tells of it") {
  Labelled s;
  const auto fail = [](const auto&...) { throw std::bad_alloc(); };
  std::function<void(executors::WatchHooks&)> adjust;
  SUBCASE("of a run that begins") {
    adjust = [&](executors::WatchHooks& hooks) { hooks.starting = fail; };
  }
  SUBCASE("of a run that has ended") {
    adjust = [&](executors::WatchHooks& hooks) { hooks.finished = fail; };
  }
  SUBCASE("of a turn") {
    adjust = [&](executors::WatchHooks& hooks) { hooks.turned = fail; };
  }
  SUBCASE("all, and that of trouble") {
    adjust = [&](executors::WatchHooks& hooks) {
      hooks.starting = fail;
      hooks.finished = fail;
      hooks.turned = fail;
      hooks.trouble = [tell = hooks.trouble](const util::Error& error) {
        tell(error);
        throw std::bad_alloc();
      };
    };
  }
  Watch watch(s, {}, adjust);
  for (const char* tier : {"one", "two"}) {
    s.label(tier);
    CHECK(testing::comes_true([&] { return s.is_labelled(tier); }));
  }
  watch.end();
  CHECK(watch.ended);
  REQUIRE(!watch.troubles.empty());
  for (const std::string& trouble : watch.troubles) {
    CHECK(trouble.starts_with(k_thrown));
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("watch thrown: wherever in a turn its memory is not to be had, the loop goes on") {
  Labelled s;
  std::atomic<int> turns = 0, thrown = 0, after = -1;
  Watch watch(s, {}, [&](executors::WatchHooks& hooks) {
    hooks.turned = [&, armed = false](const executors::LoopState&) mutable {
      thrown += armed && t_left < 0 ? 1 : 0;
      armed = !armed && after >= 0;  // each other turn is to be a whole one
      t_left = armed ? after.load() : -1;
      ++turns;
    };
  });
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  for (int next = 0; next < 80; ++next) {
    after = next % 40;
    const int before = turns;
    s.label(cat("label-", next));
    REQUIRE(testing::comes_true([&] { return turns > before + 2; }));
  }
  after = -1;
  CHECK(thrown > 10);
  s.label("last");
  CHECK(testing::comes_true([&] { return s.is_labelled("last"); }));
  watch.end();
  CHECK(watch.ended);
}

TEST_CASE("watch thrown: what each turn throws is told once, and keeps no processor busy") {
  Labelled s;
  using Event = executors::Inbox::Events::value_type;
  constexpr int k_turns = 12;
  std::atomic<int> turns = 0;
  const auto began = std::chrono::steady_clock::now();
  Watch watch(s, {}, [&](executors::WatchHooks& hooks) {
    hooks.turned = [&](const executors::LoopState&) {
      t_size = 512 / sizeof(Event) * sizeof(Event);  // of an empty list of events
      t_left = ++turns <= k_turns ? 1 : -1;          // the turn's own has been made by then
    };
  });
  REQUIRE(testing::comes_true([&] { return turns > k_turns; }));
  CHECK(std::chrono::steady_clock::now() - began > std::chrono::milliseconds(500));
  s.label("last");
  CHECK(testing::comes_true([&] { return s.is_labelled("last"); }));
  watch.end();
  CHECK(watch.troubles.size() <= std::size_t(watch.finished) + 1);
  CHECK(watch.troubles.at(0).starts_with(k_thrown));
}
#endif
