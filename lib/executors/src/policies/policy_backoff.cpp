#include "policies/policy_backoff.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include <kubist/resources/object.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using engine::PolicyAnswer;
using engine::PolicyDefinition;
using util::cat;

namespace {

constexpr std::chrono::seconds k_first{30};
constexpr std::chrono::seconds k_longest_wait = std::chrono::minutes(10);

class Backoff final : public engine::PolicyRuntime {
 public:
  Backoff(std::shared_ptr<engine::PolicyRuntime> runtime, const util::Clock& clock)
      : m_runtime(std::move(runtime)), m_clock(clock) {}

  std::vector<PolicyAnswer> evaluate(const PolicyDefinition& definition,
                                     std::span<const Json> inputs,
                                     const std::stop_token& stop) override {
    std::vector<PolicyAnswer> answers(
        inputs.size(), {util::fail(util::ErrorKind::cancelled, "it was not asked"), "", false});
    std::vector<std::size_t> due;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (const auto waiting = waiting_error(key_of(definition, inputs[i]))) {
        answers[i].output = util::fail(*waiting);
      } else {
        due.push_back(i);
      }
    }
    if (due.size() == inputs.size()) {
      answers = m_runtime->evaluate(definition, inputs, stop);
    } else if (!due.empty()) {
      std::vector<Json> asked;
      for (const std::size_t i : due) {
        asked.push_back(inputs[i]);
      }
      auto got = m_runtime->evaluate(definition, asked, stop);
      for (std::size_t i = 0; i < due.size(); ++i) {
        answers[due[i]] = std::move(got[i]);
      }
    }
    for (const std::size_t i : due) {
      remember(key_of(definition, inputs[i]), answers[i]);
    }
    return answers;
  }

 private:
  struct Late {
    std::chrono::system_clock::time_point until;
    std::chrono::seconds wait{0};
    util::Error error;
  };

  static std::string key_of(const PolicyDefinition& definition, const Json& input) {
    const resources::ObjectView view(input["items"][0]);
    return cat(definition.origin, '/', definition.ns, '/', definition.name, '/',
               std::hash<std::string>{}(definition.source), '/', view.kind(), '/', view.ns(), '/',
               view.name());
  }

  std::optional<util::Error> waiting_error(const std::string& key) {
    const std::lock_guard lock(m_mutex);
    const auto found = m_late.find(key);
    return found != m_late.end() && m_clock.now() < found->second.until
               ? std::optional(found->second.error)
               : std::nullopt;
  }

  void remember(const std::string& key, PolicyAnswer& answer) {
    const std::lock_guard lock(m_mutex);
    if (answer.output || answer.output.error().kind != util::ErrorKind::timeout) {
      m_late.erase(key);
      return;
    }
    std::erase_if(m_late, [now = m_clock.now()](const auto& each) {
      return each.second.until + k_longest_wait < now;
    });
    Late& late = m_late[key];
    late.wait = late.wait.count() == 0 ? k_first : std::min(2 * late.wait, k_longest_wait);
    late.until = m_clock.now() + late.wait;
    answer.output.error().message +=
        cat(" (it is asked again after ", util::go_duration(late.wait), ')');
    late.error = answer.output.error();
  }

  std::shared_ptr<engine::PolicyRuntime> m_runtime;
  const util::Clock& m_clock;
  std::mutex m_mutex;
  std::map<std::string, Late> m_late;  ///< guarded by m_mutex
};

}  // namespace

std::shared_ptr<engine::PolicyRuntime> with_backoff(std::shared_ptr<engine::PolicyRuntime> runtime,
                                                    const util::Clock& clock) {
  return std::make_shared<Backoff>(std::move(runtime), clock);
}

}  // namespace kubist::executors
