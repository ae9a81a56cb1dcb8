// What a watch holds while much changes for a long time: no more at the end than at the beginning.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "soak.hpp"
#include "support.hpp"

namespace {

using namespace faults;
using namespace it;
using kubist::util::cat;
using Clock = std::chrono::steady_clock;

/// Of a process: resident memory in kB, and open files.
std::pair<long, long> size_of(pid_t pid) {
  const auto status = kubist::util::read_file(cat("/proc/", pid, "/status"));
  REQUIRE(status);
  const auto at = status->find("VmRSS:");
  REQUIRE(at != std::string::npos);
  long files = 0;
  for ([[maybe_unused]] const auto& each :
       std::filesystem::directory_iterator(cat("/proc/", pid, "/fd"))) {
    ++files;
  }
  return {std::atol(status->c_str() + at + 6), files};
}

}  // namespace

TEST_CASE("soak: memory and files are flat at 50 changes a second" * doctest::skip()) {
  World world("soakflat");
  const std::string project = world.name();
  make_place(world);
  Background watch({"reconcile", "Project/" + project, "--watch"});
  REQUIRE(eventually([&] { return condition(vc(project, "dev"), "Ready") == "True"; }));
  const auto change = [&](std::chrono::seconds time) {
    const auto start = Clock::now();
    int changes = 0;
    for (auto at = start; at < start + time; at += std::chrono::milliseconds(20)) {
      std::this_thread::sleep_until(at);
      patch("home", "kvc", "dev", project, kubist::kube::PatchType::merge,
            {{"spec", {{"labels", {{"tier", cat("t", changes++)}}}}}});
    }
    return changes;
  };
  change(std::chrono::seconds(10));
  const auto before = size_of(watch.pid());
  const int changes = change(soak_time() / 2);
  const auto after = size_of(watch.pid());
  MESSAGE(changes, " changes; kB and files ", before.first, " and ", before.second, ", then ",
          after.first, " and ", after.second);
  CHECK(after.first <= before.first * 5 / 4 + 4096);
  CHECK(after.second <= before.second + 8);
  CHECK(eventually([&] {
    return label(world.name("dev"), "tier") ==
           kubist::data::string_at(*vc(project, "dev"), {"spec", "labels", "tier"});
  }));
  watch.signal(SIGTERM);
  CHECK(watch.wait(20) == 143);
}
