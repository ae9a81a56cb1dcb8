#include <mutex>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/engine/report.hpp>
#include <kubist/resources/secret_mask.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/document.hpp"
#include "output/tree_lines.hpp"
#include "selection.hpp"
#include "session.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using engine::NodeReport;
using util::cat;

/// Without the values of Secrets that the executor keeps.
Json masked(Json list) {
  if (Json* items = data::find_path(list, {"items"}); items != nullptr && items->is_array()) {
    for (Json& item : *items) {
      item = resources::masked_pair(item, item).first;
    }
  }
  return list;
}

/// What was asked of the functions of one node, in order: each virtual cluster, each look.
class Calls {
 public:
  void add(const engine::PolicyTrace& trace) {
    const std::lock_guard lock(m_mutex);
    m_calls.push_back({{"executor", trace.name},
                       {"input", masked(trace.input)},
                       {"output", masked(trace.output)},
                       {"stderr", trace.stderr_tail}});
  }
  const Json& all() const { return m_calls; }

 private:
  std::mutex m_mutex;
  Json m_calls = Json::array();
};

/// All below the node: the trace is about one.
std::vector<engine::NodeId> below(const executors::Run& run,
                                  const std::vector<engine::NodeId>& selected) {
  std::vector<engine::NodeId> children;
  for (const engine::NodeId id : selected) {
    const auto& own = (*run.graph)[id].children;
    children.insert(children.end(), own.begin(), own.end());
  }
  return children;
}

Json to_json(const NodeReport& node) {
  Json json{{"kind", node.key.kind},
            {"name", node.key.name},
            {"reason", node.reason},
            {"message", node.message},
            {"writes", Json::array()}};
  if (!node.key.ns.empty()) {
    json["namespace"] = node.key.ns;
  }
  for (const engine::Write& write : node.writes) {
    json["writes"].push_back(engine::to_string(write));
  }
  return json;
}

void print(const Json& all, Context& context) {
  for (const Json& node : all["nodes"]) {
    const std::string message = util::printable(node["message"].get<std::string>());
    context.out().write(cat(node["kind"].get<std::string>(), '/', node["name"].get<std::string>(),
                            ": ", node["reason"].get<std::string>(), message.empty() ? "" : ": ",
                            message, '\n'));
    for (const Json& write : node["writes"]) {
      context.out().write(cat("  would ", util::printable(write.get<std::string>()), '\n'));
    }
  }
  for (const Json& call : all["calls"]) {
    context.out().write(cat("executor ", call["executor"].get<std::string>(), " answered:\n"));
    for (const std::string& line : util::split(data::to_yaml(call["output"]), '\n')) {
      context.out().write(cat("  ", util::printable(line), '\n'));
    }
  }
}

util::Result<int> run_executor_trace(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto keys, read_selection(context, arguments.words()));
  if (keys.size() > 1) {
    return util::fail(util::ErrorKind::usage, "executor trace takes one resource");
  }
  KUBIST_TRY(const auto session, open_session(context));
  Calls calls;
  executors::ReconcileOptions options;
  options.selection = keys;
  options.dry_run = kube::DryRun::client;
  options.settle = std::chrono::milliseconds(0);
  options.left_out = below;
  options.traces_function = [&](const engine::Key& key, const engine::PolicyTrace& trace) {
    if (key == keys[0]) {
      calls.add(trace);
    }
  };
  engine::Observer observer;
  KUBIST_TRY(const executors::Run run, session->run(options, observer, context.stop()));
  warn(context, run);
  Json all{{"nodes", Json::array()}, {"calls", calls.all()}};
  int code = k_ok;
  for (const NodeReport& node : run.report.nodes) {
    if (node.key == keys[0]) {
      all["nodes"].push_back(to_json(node));
      code = node.error ? exit_code(node.error->kind) : code;
    }
  }
  KUBIST_TRY(const bool printed, print_document(context, all));
  if (!printed) {
    print(all, context);
  }
  return code;
}

}  // namespace

CommandSpec executor_trace_command() {
  return {
      .path = "executor trace",
      .group = "Policies",
      .summary = "Run the executor of a resource as a dry run and show what it answers",
      .details =
          "The resource's policies run first, then its executor, as they would in a run now; what "
          "is below it is left out. Nothing is written. Of a custom executor the whole answer is "
          "shown. With -o json or yaml its input, too: it can be recorded for 'kubist executor "
          "test' and 'kubist executor run'.",
      .arguments = "KIND NAME | KIND/NAME",
      .min_words = 1,
      .max_words = 2,
      .completes = Completes::resource_names,
      .flags = {document_flag()},
      .examples = {{"What would be made for this cluster?",
                    "kubist executor trace cluster/eu -n shop"}},
      .run = run_executor_trace};
}

}  // namespace kubist::cli
