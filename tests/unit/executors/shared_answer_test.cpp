#include "world/shared_answer.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using namespace kubist;
using executors::BadAnswers;
using executors::SharedAnswer;
using executors::SharedAnswers;

namespace {

/// Fails each time.
struct Failing {
  util::Result<int> operator()() const {
    ++asked;
    return util::fail(util::ErrorKind::unavailable, "not now");
  }
  mutable int asked = 0;
};

util::Result<int> five() { return 5; }

}  // namespace

TEST_CASE("shared answer: a good one holds for a run, a bad one until somebody asks again") {
  SharedAnswer<int> answer;
  const Failing fails;
  CHECK(!answer.get(1, fails));
  CHECK(!answer.get(1, fails));
  CHECK(fails.asked == 2);
  CHECK(*answer.get(1, five) == 5);
  CHECK(*answer.get(1, fails) == 5);
  CHECK(fails.asked == 2);
  CHECK(!answer.get(2, fails));  // another run
  answer.forget();
  CHECK(*answer.get(2, five) == 5);
  answer.forget();
  CHECK(!answer.get(2, fails));
}

TEST_CASE("shared answer: a bad one that is kept is not asked for again") {
  SharedAnswer<int, BadAnswers::kept> answer;
  const Failing fails;
  CHECK(!answer.get(1, fails));
  CHECK(!answer.get(1, five));
  CHECK(fails.asked == 1);
  CHECK(*answer.get(2, five) == 5);
}

TEST_CASE("shared answer: each key has its own, and nobody asks twice for the same") {
  SharedAnswers<std::string, int> answers;
  CHECK(!answers.last("a"));
  std::atomic<int> asked = 0;
  const auto count = [&]() -> util::Result<int> { return ++asked; };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] { static_cast<void>(answers.get("a", count)); });
    }
  }
  CHECK(**answers.last("a") == 1);
  CHECK(!answers.last("b"));
  CHECK(*answers.get("b", count) == 2);
  CHECK(*answers.get("a", count) == 1);
}
