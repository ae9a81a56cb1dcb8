#include <csignal>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kubist/util/process_mark.hpp>
#include <kubist/util/text.hpp>

using namespace kubist;

TEST_CASE("process mark: one that runs has not ended, one that was killed has, also as a zombie") {
  CHECK_FALSE(util::process_mark(::getpid()).empty());
  CHECK_FALSE(util::has_ended(util::process_mark(::getpid())));
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const std::string mark = util::process_mark(child);
  CHECK_FALSE(util::has_ended(mark));
  ::kill(child, SIGSTOP);
  CHECK_FALSE(util::has_ended(mark));
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  CHECK(util::has_ended(mark));
  ::waitpid(child, nullptr, 0);
  CHECK(util::has_ended(mark));
  CHECK(util::process_mark(child).empty());
}

TEST_CASE("process mark: a process id that is another's now has ended; of elsewhere nobody knows") {
  const std::string mark = util::process_mark(::getpid());
  const auto parts = util::split(mark, '/');
  REQUIRE(parts.size() == 5);
  const auto with = [&](std::size_t part, const std::string& text) {
    auto other = parts;
    other[part] = text;
    return util::join(other, "/");
  };
  CHECK(util::has_ended(with(4, "1")));
  CHECK_FALSE(util::has_ended(with(0, "another boot")));
  CHECK_FALSE(util::has_ended(with(1, "another-host")));
  CHECK_FALSE(util::has_ended(with(2, "pid:[1]")));
  for (const char* pid : {"", "0", "-1", "x", "99999999999999999999", "4294967297"}) {
    CHECK_FALSE(util::has_ended(with(3, pid)));
  }
  CHECK_FALSE(util::has_ended(with(4, "")));
  CHECK_FALSE(util::has_ended(mark + "/more"));
  CHECK_FALSE(util::has_ended(""));
}
