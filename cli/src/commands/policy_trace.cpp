#include "output/policy_trace.hpp"

#include <filesystem>
#include <mutex>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/engine/made_items.hpp>
#include <kubist/engine/report.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/document.hpp"
#include "recorded_case.hpp"
#include "selection.hpp"
#include "session.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using engine::Node;
using engine::PolicyVerdict;
using util::cat;

Json to_json(const Node& node, const PolicyVerdict& verdict) {
  Json json{{"kind", node.key.kind}, {"name", node.key.name}, {"policies", Json::array()}};
  if (!node.key.ns.empty()) {
    json["namespace"] = node.key.ns;
  }
  for (const auto& trace : verdict.trace) {
    json["policies"].push_back(engine::to_json(trace));
  }
  if (verdict.changed && !verdict.error) {
    json["effective"] = engine::effective_difference(node.spec(), *verdict.spec);
  }
  if (verdict.hold) {
    json["hold"] = verdict.hold_message;
  }
  return json;
}

util::Result<> record(const executors::PolicyLook& look, const std::string& file,
                      Context& context) {
  std::string text;
  for (std::size_t i = 0; i < look.nodes.size(); ++i) {
    const std::string cases = recorded_cases(look.graph[look.nodes[i]], look.verdicts[i]);
    text += text.empty() || cases.empty() ? cases : cat("---\n", cases);
  }
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, error))) {
    return util::fail(util::ErrorKind::invalid, cat(file, " exists already"),
                      "Choose another name, or remove it.");
  }
  constexpr unsigned k_mode = 0600;  // an input may hold what others need not see
  KUBIST_CHECK(util::write_file(file, text, k_mode));
  context.log().line(cat("recorded in ", file, ": 'kubist policy test ", file,
                         " --definition FILE' runs it, with the files of custom policies"));
  return {};
}

struct ItemTrace {
  Node item;
  PolicyVerdict verdict;
};

/// What is imposed on the DeployItems that an Execution would make now: they are rendered by a dry
/// run, where nothing keeps its templates from it.
util::Result<std::vector<ItemTrace>> trace_items(executors::Session& session,
                                                 const executors::PolicyLook& look,
                                                 Context& context) {
  std::vector<ItemTrace> items;
  const Node& first = look.graph[look.nodes.front()];
  if (first.key.kind != "Execution" || engine::imposer_on_items(look.graph, first.id) == nullptr) {
    return items;
  }
  std::mutex mutex;
  executors::ReconcileOptions options;
  options.selection = {first.key};
  options.dry_run = kube::DryRun::client;
  options.settle = std::chrono::milliseconds(0);
  options.traces_item = [&](const engine::Key& execution, const Node& item,
                            const PolicyVerdict& verdict) {
    const std::scoped_lock lock(mutex);
    if (execution == first.key) {
      items.push_back({item, verdict});
    }
  };
  engine::Observer observer;
  KUBIST_TRY(const executors::Run run, session.run(options, observer, context.stop()));
  warn(context, run);
  return items;
}

util::Result<int> run_policy_trace(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto keys, read_selection(context, arguments.words()));
  if (keys.size() > 1) {
    return util::fail(util::ErrorKind::usage, "policy trace takes one resource");
  }
  KUBIST_TRY(const auto session, open_session(context));
  KUBIST_TRY(const auto look, session->trace_policies(keys[0], context.stop()));
  Json all{{"nodes", Json::array()}};
  int code = k_ok;
  for (std::size_t i = 0; i < look.nodes.size(); ++i) {
    all["nodes"].push_back(to_json(look.graph[look.nodes[i]], look.verdicts[i]));
    if (look.verdicts[i].error) {
      code = exit_code(look.verdicts[i].error->kind);
    }
  }
  KUBIST_TRY(const auto items, trace_items(*session, look, context));
  for (const ItemTrace& each : items) {
    all["items"].push_back(to_json(each.item, each.verdict));
    if (each.verdict.error && code == k_ok) {
      code = exit_code(each.verdict.error->kind);
    }
  }
  if (arguments.given("record")) {
    KUBIST_CHECK(record(look, arguments.text("record"), context));
  }
  KUBIST_TRY(const bool printed, print_document(context, all));
  if (printed) {
    return code;
  }
  for (std::size_t i = 0; i < look.nodes.size(); ++i) {
    print_policy_trace(look.graph[look.nodes[i]], look.verdicts[i], context.out_color(),
                       context.out());
  }
  for (const ItemTrace& each : items) {
    print_policy_trace(each.item, each.verdict, context.out_color(), context.out());
  }
  return code;
}

}  // namespace

CommandSpec policy_trace_command() {
  return {
      .path = "policy trace",
      .group = "Policies",
      .summary = "Run the policies of a resource as a dry run and show what each does",
      .details =
          "Each policy gets what it would get in a run now: the object as the previous policy left "
          "it, its parameters and settings, and the state that it returned last time. Nothing is "
          "written to the cluster. With -o json or yaml each policy's whole input and output are "
          "shown.\n\n"
          "Of an Execution also the policies that are imposed on the DeployItems that it makes, as "
          "far as they can be rendered without the exports of other items.\n\n"
          "--record writes them to a file as cases for 'kubist policy test': each expects the "
          "spec, "
          "the decision and the messages that the policy gave now. So a case from a cluster can be "
          "changed and run without one.",
      .arguments = "KIND NAME | KIND/NAME",
      .min_words = 1,
      .max_words = 2,
      .completes = Completes::resource_names,
      .flags = {document_flag(),
                {"record", 0, FlagKind::text, "FILE",
                 "write a case for 'kubist policy test' for each policy", "", Completes::files}},
      .examples = {{"Why does this namespace get that label?",
                    "kubist policy trace vc/dev -n shop"},
                   {"Take a case from a cluster and test it",
                    "kubist policy trace vc/dev -n shop --record dev.test.yaml && kubist policy "
                    "test dev.test.yaml policies/"}},
      .run = run_policy_trace};
}

}  // namespace kubist::cli
