#include "output/policy_trace.hpp"

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/engine/report.hpp>

#include "commands.hpp"
#include "output/document.hpp"
#include "selection.hpp"
#include "session.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using engine::Node;
using engine::PolicyVerdict;

Json to_json(const Node& node, const PolicyVerdict& verdict) {
  Json json{{"kind", node.key.kind}, {"name", node.key.name}, {"policies", Json::array()}};
  if (!node.key.ns.empty()) {
    json["namespace"] = node.key.ns;
  }
  for (const auto& trace : verdict.trace) {
    json["policies"].push_back(engine::to_json(trace));
  }
  if (verdict.changed && !verdict.error) {
    json["effective"] = engine::effective_difference(node.spec(), verdict.spec);
  }
  if (verdict.hold) {
    json["hold"] = verdict.hold_message;
  }
  return json;
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
  KUBIST_TRY(const bool printed, print_document(context, all));
  if (printed) {
    return code;
  }
  for (std::size_t i = 0; i < look.nodes.size(); ++i) {
    print_policy_trace(look.graph[look.nodes[i]], look.verdicts[i], context.out_color(),
                       context.out());
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
          "Each policy gets what it would get in a run now: the object as the former policy left "
          "it, its parameters and settings, and the state that it returned last time. Nothing is "
          "written. With -o json or yaml each policy's whole input and output are shown; the input "
          "can be recorded for 'kubist policy test' and 'kubist policy run'.",
      .arguments = "KIND NAME | KIND/NAME",
      .min_words = 1,
      .max_words = 2,
      .completes = Completes::resource_names,
      .flags = {document_flag()},
      .examples = {{"Why does this namespace get that label?",
                    "kubist policy trace vc/dev -n shop"}},
      .run = run_policy_trace};
}

}  // namespace kubist::cli
