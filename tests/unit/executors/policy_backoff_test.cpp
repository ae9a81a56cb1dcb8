#include "policies/policy_backoff.hpp"

#include <doctest/doctest.h>

#include "support/fake_clock.hpp"

using namespace kubist;
using data::Json;
using engine::PolicyAnswer;

namespace {

/// Takes too long for resources named "slow" as long as it is told so.
class Hanging final : public engine::PolicyRuntime {
 public:
  std::vector<PolicyAnswer> evaluate(const engine::PolicyDefinition&, std::span<const Json> inputs,
                                     const std::stop_token&) override {
    std::vector<PolicyAnswer> answers;
    for (const Json& input : inputs) {
      const std::string name = input["items"][0]["metadata"]["name"];
      asked.push_back(name);
      answers.push_back(
          hangs && name == "slow"
              ? PolicyAnswer{util::fail(util::ErrorKind::timeout, "took long"), "", false}
              : PolicyAnswer{input, "", false});
    }
    return answers;
  }
  bool hangs = true;
  std::vector<std::string> asked;
};

Json input(const std::string& name) {
  return {{"items", Json::array({{{"kind", "CanaryRelease"},
                                  {"metadata", {{"name", name}, {"namespace", "shop"}}}}})}};
}

}  // namespace

TEST_CASE("policy backoff: who took too long is asked again later, and the others at once") {
  using namespace std::chrono_literals;
  auto hanging = std::make_shared<Hanging>();
  testing::FakeClock clock;
  const auto runtime = executors::with_backoff(hanging, clock);
  engine::PolicyDefinition definition;
  definition.name = "own";
  definition.source = "first";
  const std::vector<Json> inputs{input("slow"), input("fine")};
  const auto ask = [&] {
    hanging->asked.clear();
    return runtime->evaluate(definition, inputs, {});
  };
  CHECK_FALSE(ask()[0].output);
  CHECK(hanging->asked.size() == 2);

  const auto again = ask();
  CHECK(hanging->asked == std::vector<std::string>{"fine"});
  REQUIRE_FALSE(again[0].output);
  CHECK(again[0].output.error().kind == util::ErrorKind::timeout);
  CHECK(again[0].output.error().message.find("it is asked again after 30s") != std::string::npos);
  CHECK(*again[1].output == inputs[1]);

  for (const auto wait : {30s, 60s, 120s}) {
    clock.advance(wait - 1s);
    ask();
    CHECK(hanging->asked.size() == 1);
    clock.advance(1s);
    ask();
    CHECK(hanging->asked.size() == 2);
  }
  definition.source = "second";  // somebody mended it, or tried to
  ask();
  CHECK(hanging->asked.size() == 2);
  hanging->hangs = false;
  clock.advance(30s);
  CHECK(ask()[0].output);
  hanging->hangs = true;
  ask();
  clock.advance(30s);  // it begins with the first wait again
  ask();
  CHECK(hanging->asked.size() == 2);

  definition.source = "third";
  clock.advance(60s + 10min + 1s);
  ask();
  definition.source = "second";  // forgotten meanwhile
  ask();
  clock.advance(30s);
  ask();
  CHECK(hanging->asked.size() == 2);
}
