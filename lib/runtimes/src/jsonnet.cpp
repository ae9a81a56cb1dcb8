#include <deque>
#include <mutex>
#include <unordered_map>

#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/runtimes/jsonnet.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "jsonnet_request.hpp"

namespace kubist::runtimes {

using util::cat;
using util::ErrorKind;
using Steady = std::chrono::steady_clock;
using Outputs = util::Result<std::vector<std::string>>;

namespace {

std::string key_of(const std::string& source, const std::string& input) {
  return util::sha256_raw(cat(source.size(), ":", source, input));
}

/// Splits the child's answer, a JSON list, into one text per input.
Outputs split_outputs(const std::string& text, std::size_t expected, const std::string& name) {
  data::ReadOptions options;
  options.max_depth += 1;  // the list
  options.big_integers = data::BigIntegers::as_float;
  options.keep_source = false;
  const auto list = data::parse_json(text, name, options);
  if (!list || !list->is_array() || list->size() != expected) {
    return util::fail(ErrorKind::internal,
                      cat(name, ": the Jsonnet process returned invalid output"));
  }
  std::vector<std::string> outputs;
  outputs.reserve(expected);
  for (const data::Json& value : *list) {
    outputs.push_back(data::to_json(value));
  }
  return outputs;
}

util::Result<> read_check(const ChildResult& result, const std::string& name) {
  if (util::trim(result.out) != "true") {
    return util::fail(ErrorKind::invalid, cat(name, ": the source is not a function"),
                      "write function(list) list { ... }");
  }
  return {};
}

}  // namespace

struct Jsonnet::State {
  explicit State(JsonnetOptions given) : options(std::move(given)) {}

  JsonnetOptions options;
  std::mutex mutex;
  std::unordered_map<std::string, std::string> kept;
  std::deque<std::string> oldest;
  std::size_t bytes = 0;  ///< of what is kept

  std::optional<std::string> find(const std::string& key) {
    std::lock_guard lock(mutex);
    auto found = kept.find(key);
    return found == kept.end() ? std::nullopt : std::optional(found->second);
  }

  void keep(const std::string& key, const std::string& output) {
    std::lock_guard lock(mutex);
    if (options.max_cached == 0 || output.size() > options.max_cached_bytes / 64 ||
        !kept.emplace(key, output).second) {
      return;
    }
    oldest.push_back(key);
    bytes += output.size();
    while (oldest.size() > options.max_cached || bytes > options.max_cached_bytes) {
      const auto dropped = kept.extract(oldest.front());
      bytes -= dropped.mapped().size();
      oldest.pop_front();
    }
  }

  util::Result<ChildResult> run(const JsonnetRequest& request, const std::stop_token& stop,
                                const std::string& project = {}) const {
    ChildCommand command;
    command.program = options.program;
    command.args = options.args;
    command.limits = options.limits;
    command.project = project;
    command.input = write_request(request);
    KUBIST_TRY(auto result, run_child(command, stop));
    result.stderr_tail = correct_columns(result.stderr_tail, request.name);
    // libjsonnet's own words when malloc fails, before it aborts.
    if (result.stderr_tail.find("memory allocation error") != std::string::npos) {
      result.limit = LimitHit::memory;
    }
    return result;
  }
};

namespace {

/// One call: some inputs of one definition that have no kept answer.
class Call {
 public:
  using Run = std::function<util::Result<ChildResult>(const JsonnetRequest&)>;
  Call(const std::string& name, const std::string& source, std::span<const std::string> inputs,
       const JsonnetOptions& options, Run run, std::vector<Answer>& answers)
      : m_name(name),
        m_source(source),
        m_inputs(inputs),
        m_options(options),
        m_run(std::move(run)),
        m_answers(answers),
        m_give_up(Steady::now() + options.limits.wall) {}

  void answer(const std::vector<std::size_t>& wanted) {
    std::size_t size = std::max<std::size_t>(m_options.max_batch, 1);
    for (std::size_t at = 0; at < wanted.size(); at += size) {
      auto end = std::min(at + size, wanted.size());
      batch({wanted.data() + at, end - at}, true);
    }
  }

 private:
  void batch(std::span<const std::size_t> wanted, bool first) {
    auto error = attempt(wanted);
    if (!error) {
      return;
    }
    bool hopeless = wanted.size() == 1 || error->kind == ErrorKind::cancelled ||
                    error->kind == ErrorKind::internal || Steady::now() >= m_give_up;
    if (!hopeless && first) {
      if (auto broken = check()) {  // the source itself: no input can succeed
        error = std::move(broken);
        hopeless = true;
      }
    }
    if (hopeless) {
      for (std::size_t i : wanted) {
        m_answers[i].output = util::fail(*error);
        m_answers[i].stderr_tail = m_tail;
      }
      return;
    }
    auto half = wanted.size() / 2;
    batch(wanted.first(half), false);
    batch(wanted.subspan(half), false);
  }

  std::optional<util::Error> attempt(std::span<const std::size_t> wanted) {
    JsonnetRequest request{JsonnetRequest::Mode::call, m_name, m_source, "["};
    for (std::size_t i : wanted) {
      request.inputs += request.inputs.size() > 1 ? "," : "";
      request.inputs += m_inputs[i];
    }
    request.inputs += "]";
    auto result = run(request);
    if (!result) {
      return result.error();
    }
    auto outputs = split_outputs(result->out, wanted.size(), m_name);
    if (!outputs) {
      return outputs.error();
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      m_answers[wanted[i]].output = std::move((*outputs)[i]);
      m_answers[wanted[i]].stderr_tail = result->stderr_tail;
    }
    return std::nullopt;
  }

  std::optional<util::Error> check() {
    auto result = run({JsonnetRequest::Mode::check, m_name, m_source, "[]"});
    util::Result<> checked =
        result ? read_check(*result, m_name) : util::Result<>(util::fail(result.error()));
    return checked ? std::nullopt : std::optional(checked.error());
  }

  util::Result<ChildResult> run(const JsonnetRequest& request) {
    KUBIST_TRY(auto result, m_run(request));
    m_tail = result.stderr_tail;
    if (!result.ok()) {
      return util::fail(child_error(result, m_name, m_options.limits));
    }
    return result;
  }

  const std::string& m_name;
  const std::string& m_source;
  std::span<const std::string> m_inputs;
  const JsonnetOptions& m_options;
  Run m_run;
  std::vector<Answer>& m_answers;
  Steady::time_point m_give_up;
  std::string m_tail;
};

}  // namespace

Jsonnet::Jsonnet(JsonnetOptions options) : m_state(std::make_unique<State>(std::move(options))) {}
Jsonnet::~Jsonnet() = default;

std::vector<Answer> Jsonnet::call(const std::string& name, const std::string& source,
                                  std::span<const std::string> inputs, const std::stop_token& stop,
                                  const std::string& project) {
  std::vector<Answer> answers(inputs.size(), Answer{std::string(), {}, false});
  std::vector<std::string> keys;
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    keys.push_back(key_of(source, inputs[i]));
    if (auto kept = m_state->find(keys[i])) {
      answers[i] = {std::move(*kept), {}, true};
    } else {
      wanted.push_back(i);
    }
  }
  if (wanted.empty()) {
    return answers;
  }
  auto run = [&](const JsonnetRequest& request) { return m_state->run(request, stop, project); };
  Call(name, source, inputs, m_state->options, run, answers).answer(wanted);
  for (std::size_t i : wanted) {
    if (answers[i].output) {
      m_state->keep(keys[i], *answers[i].output);
    }
  }
  return answers;
}

util::Result<> Jsonnet::check(const std::string& name, const std::string& source,
                              const std::stop_token& stop) {
  KUBIST_TRY(auto result, m_state->run({JsonnetRequest::Mode::check, name, source, "[]"}, stop));
  if (!result.ok()) {
    return util::fail(child_error(result, name, m_state->options.limits));
  }
  return read_check(result, name);
}

}  // namespace kubist::runtimes
