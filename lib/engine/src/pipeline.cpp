#include <kubist/data/json_patch.hpp>
#include <kubist/data/memory.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/engine/pipeline.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "policy_uses.hpp"
#include "spec_check.hpp"

namespace kubist::engine {

using util::cat;
using util::ErrorKind;

bool PolicyWorld::gathers(const Node& /*node*/) const { return false; }
void PolicyWorld::gather(const Node& /*node*/, const std::vector<PolicyUse>& /*uses*/) {}

util::Result<Json> PolicyWorld::metrics(const Node& /*node*/, const PolicyDefinition& definition,
                                        const Json& parameters) {
  if (metrics_of(definition, parameters).empty()) {
    return Json::object();
  }
  return util::fail(
      ErrorKind::invalid,
      cat("policy ", definition.name, " declares metrics, and no metrics source is configured"), "",
      "NoMetricsSource");
}

util::Result<std::vector<Json>> PolicyWorld::observed(const Node& /*node*/) {
  return std::vector<Json>{};
}

util::Result<std::vector<Json>> PolicyWorld::approvals(const Node& /*node*/) {
  return std::vector<Json>{};
}

util::Result<Json> PolicyWorld::call(const Node& /*node*/, const RequestedCall& call) {
  return Json{{"reason", k_reason_not_due}, {"message", cat("nobody calls ", call.call.name)}};
}

namespace {

/// The object as one of its targets sees it.
Json object_of(const Node& node) {
  Json object = *node.object;
  object["status"] = node.status();
  return object;
}

/// About how much of inputs is there at the same time. Each has its resource to itself, and an
/// object may have 1 MB and hundreds of targets.
constexpr std::size_t k_inputs_at_once = std::size_t{64} << 20U;

/// One node on its way through its policies.
struct Passage {
  const Node* node = nullptr;
  PolicyVerdict verdict;
};

/// The runs of one definition.
struct Batch {
  std::shared_ptr<const PolicyDefinition> definition;
  std::vector<Passage*> passages;
};

const Json* previous_entry(const Node& node, std::size_t index) {
  const Json& entries = data::array_at(node.status(), {"policies"});
  const std::string& name = node.policies[index].name;
  auto named = [&](const Json& entry) { return data::string_at(entry, {"name"}) == name; };
  if (index < entries.size() && named(entries[index])) {
    return &entries[index];
  }
  auto found = std::find_if(entries.begin(), entries.end(), named);
  return found == entries.end() ? nullptr : &*found;
}

void fail_passage(Passage& passage, util::Error error, const std::string& policy) {
  PolicyTrace& trace = passage.verdict.trace.back();
  Json entry = {{"name", policy}, {"outcome", "Failed"}, {"message", error.message}};
  std::size_t index = passage.verdict.trace.size() - 1;
  if (const Json* before = previous_entry(*passage.node, index);
      before && before->contains("state")) {
    entry["state"] = (*before)["state"];
  }
  passage.verdict.status_policies.push_back(std::move(entry));
  trace.error = error;
  trace.outcome = "Failed";
  trace.message = error.message;
  passage.verdict.error = util::with_default_reason(
      util::with_context(std::move(error), cat("policy ", policy)), "PolicyFailed");
}

class Pipeline {
 public:
  Pipeline(const Graph& graph, const PolicyCatalog& catalog, PolicyWorld& world, const RunInfo& run,
           std::chrono::system_clock::time_point now, const std::stop_token& stop,
           const PipelineOptions& options)
      : m_graph(graph),
        m_catalog(catalog),
        m_world(world),
        m_run(run),
        m_now(now),
        m_stop(stop),
        m_options(options) {}

  std::vector<PolicyVerdict> run(std::span<const NodeId> nodes) {
    std::vector<Passage> passages;
    passages.reserve(nodes.size());
    std::size_t longest = 0;
    for (NodeId id : nodes) {
      Passage& passage = passages.emplace_back();
      passage.node = &m_graph[id];
      passage.verdict.spec = {passage.node->object, &passage.node->spec()};
      passage.verdict.status_policies = Json::array();
      longest = std::max(longest, m_graph[id].policies.size());
    }
    for (std::size_t index = 0; index < longest; ++index) {
      for (const Batch& batch : batches(passages, index)) {
        run_batch(batch, index);
      }
    }
    std::vector<PolicyVerdict> verdicts;
    verdicts.reserve(passages.size());
    for (Passage& passage : passages) {
      finish(passage);
      verdicts.push_back(std::move(passage.verdict));
    }
    return verdicts;
  }

 private:
  std::vector<Batch> batches(std::vector<Passage>& passages, std::size_t index) {
    std::vector<Batch> batches;
    std::map<const PolicyDefinition*, std::size_t> place;
    for (Passage& passage : passages) {
      if (index >= passage.node->policies.size() || passage.verdict.error) {
        continue;
      }
      const auto& call = passage.node->policies[index];
      passage.verdict.trace.push_back({});
      passage.verdict.trace.back().name = call.name;
      passage.verdict.trace.back().imposed_by = call.imposed_by;
      auto definition = find(passage, call);
      if (!definition) {
        fail_passage(passage, definition.error(), call.name);
        continue;
      }
      auto [it, added] = place.emplace(definition->get(), batches.size());
      if (added) {
        batches.push_back({*definition, {}});
      }
      batches[it->second].passages.push_back(&passage);
    }
    return batches;
  }

  void run_batch(const Batch& batch, std::size_t index) {
    std::vector<Passage*> passages;
    std::vector<Json> inputs;
    std::size_t memory = 0;
    const auto evaluate_them = [&] {
      if (!inputs.empty()) {
        evaluate(*batch.definition, passages, inputs, index);
      }
      passages.clear();
      inputs.clear();
      memory = 0;
    };
    for (Passage* passage : batch.passages) {
      // What one node's objects make break is no other node's, of another project perhaps.
      auto input = util::guarded([&] { return prepare(*passage, *batch.definition, index); });
      if (!input) {
        fail_passage(*passage, input.error(), passage->node->policies[index].name);
        continue;
      }
      memory += data::memory_of(*input);
      passages.push_back(passage);
      inputs.push_back(*std::move(input));
      if (memory >= k_inputs_at_once) {
        evaluate_them();
      }
    }
    evaluate_them();
  }

  util::Result<std::shared_ptr<const PolicyDefinition>> find(Passage& passage,
                                                             const resources::NamedCall& call) {
    KUBIST_TRY(auto definition, m_catalog.find(*passage.node, call));
    KUBIST_CHECK(check_kind(*definition, passage.node->key.kind));
    passage.verdict.trace.back().name = definition->name;
    passage.verdict.trace.back().origin = definition->origin;
    return definition;
  }

  util::Result<Json> prepare(Passage& passage, const PolicyDefinition& definition,
                             std::size_t index) {
    const Node& node = *passage.node;
    PolicyInput input;
    const resources::NamedCall& call = node.policies[index];
    input.settings = settings_for(m_graph, node.id, call);
    KUBIST_TRY(input.parameters, resolve_parameters(definition, call.parameters, input.settings));
    KUBIST_TRY(input.metrics, m_world.metrics(node, definition, input.parameters));
    KUBIST_TRY(input.observed, m_world.observed(node));
    input.resource = resource_for_policies(node.selected ? object_of(node) : *node.object);
    input.resource["spec"] = *passage.verdict.spec;
    if (definition.wants_approvals) {
      KUBIST_TRY(auto approvals, m_world.approvals(node));
      std::move(approvals.begin(), approvals.end(), std::back_inserter(input.observed));
    }
    if (const Json* before = previous_entry(node, index); before && before->contains("state")) {
      input.state = (*before)["state"];
    }
    if (const auto known = m_options.answers.find(node.id); known != m_options.answers.end()) {
      const auto own = known->second.find(index);
      input.answers = own != known->second.end() ? own->second : Json();
    }
    input.decision = passage.verdict.decision;
    input.now = m_now;
    input.run_id = m_run.id;
    input.attempt = node.status_summary.failures + 1;
    input.seed = util::sha256_hex(cat(m_run.id, "/", node.uid, "/", index)).substr(0, 16);
    return make_policy_input(definition, std::move(input));
  }

  void evaluate(const PolicyDefinition& definition, std::span<Passage* const> passages,
                std::span<Json> inputs, std::size_t index) {
    auto begin = std::chrono::steady_clock::now();
    std::vector<PolicyAnswer> answers = call_runtime(definition, inputs);
    auto share = (std::chrono::steady_clock::now() - begin) / static_cast<long>(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Passage& passage = *passages[i];
      passage.verdict.trace.back().took = share;
      const auto taken =
          util::guarded([&] { take_answer(passage, definition, index, inputs[i], answers[i]); });
      if (!taken) {
        fail_passage(passage, taken.error(), definition.name);
      }
    }
  }

  /// As many answers as inputs. A bug in a runtime fails whose input it meets: after an exception
  /// each input is asked by itself.
  std::vector<PolicyAnswer> call_runtime(const PolicyDefinition& definition,
                                         std::span<const Json> inputs) {
    util::Result<std::vector<PolicyAnswer>> all =
        util::guarded([&] { return definition.runtime->evaluate(definition, inputs, m_stop); });
    std::vector<PolicyAnswer> answers;
    if (all) {
      answers.swap(*all);
    } else if (inputs.size() > 1) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        answers.push_back(std::move(call_runtime(definition, inputs.subspan(i, 1)).front()));
      }
    }
    const auto none =
        all ? util::make_error(ErrorKind::internal, "its runtime gave no answer") : all.error();
    answers.resize(inputs.size(), PolicyAnswer{util::fail(none), {}});
    return answers;
  }

  void take_answer(Passage& passage, const PolicyDefinition& definition, std::size_t index,
                   Json& input, PolicyAnswer& answer) {
    PolicyTrace& trace = passage.verdict.trace.back();
    trace.stderr_tail = answer.stderr_tail;
    trace.cached = answer.cached;
    auto output = answer.output ? read_policy_output(input, *answer.output)
                                : util::Result<PolicyOutput>(util::fail(answer.output.error()));
    if (output) {
      if (auto valid = check_spec(passage.node->key, passage.node->spec(), output->spec); !valid) {
        output = util::fail(valid.error());
      } else if (!output->calls.empty() && definition.origin != k_built_in) {
        output = util::fail(ErrorKind::invalid, "it has status.calls: only built-in policies call",
                            "", "PolicyFailed");
      }
    }
    if (m_options.keep_trace) {
      trace.input = std::move(input);
      trace.output = answer.output ? std::move(*answer.output) : Json();
    }
    if (!output) {
      fail_passage(passage, output.error(), definition.name);
      return;
    }
    accept(passage, index, *output);
  }

  void accept(Passage& passage, std::size_t index, PolicyOutput& output) {
    PolicyVerdict& verdict = passage.verdict;
    PolicyTrace& trace = verdict.trace.back();
    std::vector<std::string> messages;
    for (const PolicyMessage& result : output.results) {
      messages.push_back(result.message);
    }
    trace.message = util::join(messages, "; ");
    trace.outcome = output.outcome.empty() ? "Succeeded" : output.outcome;
    trace.results = std::move(output.results);
    Json entry = {{"name", passage.node->policies[index].name}, {"outcome", trace.outcome}};
    if (!trace.message.empty()) {
      entry["message"] = trace.message;
    }
    const Json* before = previous_entry(*passage.node, index);
    if (output.state) {
      if (!output.state->is_null()) {
        entry["state"] = std::move(*output.state);
      }
    } else if (before && before->contains("state")) {
      entry["state"] = (*before)["state"];
    }
    verdict.status_policies.push_back(std::move(entry));
    if (output.requeue_after &&
        (!verdict.requeue_after || *output.requeue_after < *verdict.requeue_after)) {
      verdict.requeue_after = output.requeue_after;
    }
    for (PolicyCall& call : output.calls) {
      verdict.calls.push_back({index, std::move(call)});
    }
    if (output.hold && !verdict.hold) {
      verdict.hold = true;
      verdict.hold_message = trace.message.empty() ? cat("held by policy ", trace.name)
                                                   : cat(trace.name, ": ", trace.message);
    }
    if (output.decision) {
      output.decision->by = trace.name;
      verdict.decision = verdict.decision ? more_cautious(*verdict.decision, *output.decision)
                                          : *std::move(output.decision);
    }
    set_spec(verdict, std::move(output.spec));
  }

  void set_spec(PolicyVerdict& verdict, Json spec) {
    if (spec == *verdict.spec) {
      return;
    }
    if (!m_last_spec || spec != *m_last_spec) {
      m_last_spec = std::make_shared<const Json>(std::move(spec));
    }
    verdict.spec = m_last_spec;
  }

  static void finish(Passage& passage) {
    const Node& node = *passage.node;
    PolicyVerdict& verdict = passage.verdict;
    // Policies that did not run keep what they last said.
    for (std::size_t i = verdict.status_policies.size(); i < node.policies.size(); ++i) {
      const Json* before = previous_entry(node, i);
      verdict.status_policies.push_back(before ? *before : Json{{"name", node.policies[i].name}});
    }
    verdict.changed = *verdict.spec != node.spec();
  }

  const Graph& m_graph;
  const PolicyCatalog& m_catalog;
  PolicyWorld& m_world;
  const RunInfo& m_run;
  std::chrono::system_clock::time_point m_now;
  const std::stop_token& m_stop;
  const PipelineOptions& m_options;
  /// What a policy has last made: of an object's targets it most often makes the same.
  std::shared_ptr<const Json> m_last_spec;
};

}  // namespace

std::vector<PolicyVerdict> run_policies(const Graph& graph, std::span<const NodeId> nodes,
                                        const PolicyCatalog& catalog, PolicyWorld& world,
                                        const RunInfo& run,
                                        std::chrono::system_clock::time_point now,
                                        const std::stop_token& stop,
                                        const PipelineOptions& options) {
  return Pipeline(graph, catalog, world, run, now, stop, options).run(nodes);
}

Json effective_difference(const Json& spec, const Json& effective) {
  return data::make_merge_patch(spec, effective);
}

}  // namespace kubist::engine
