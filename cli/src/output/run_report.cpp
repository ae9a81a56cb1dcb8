#include "output/run_report.hpp"

#include <algorithm>
#include <cstdio>

#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/util/text.hpp>

#include "output/set_documents.hpp"

namespace kubist::cli {

using engine::NodeReport;
using engine::NodeState;
using engine::Report;
using util::cat;

namespace {

constexpr int k_green = 32;
constexpr int k_red = 31;
constexpr int k_yellow = 33;

std::string seconds(std::chrono::nanoseconds took) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.2fs", std::chrono::duration<double>(took).count());
  return buffer;
}

int state_color(const NodeReport& node) {
  if (node.state == NodeState::failed) {
    return k_red;
  }
  return node.state == NodeState::done && node.ready ? k_green : k_yellow;
}

std::string writes_text(const NodeReport& node) {
  const std::size_t count = node.writes.size();
  return count == 0 ? "" : cat(count, count == 1 ? " write" : " writes");
}

}  // namespace

std::string_view state_word(const NodeReport& node) {
  if (node.state == NodeState::done && node.mode == engine::Mode::remove) {
    return node.ready ? "Removed" : "Removing";
  }
  if (node.state == NodeState::done) {
    return node.ready ? "Ready" : "NotReady";
  }
  switch (node.state) {
    case NodeState::failed:
      return "Failed";
    case NodeState::blocked:
      return "Blocked";
    default:
      return "Skipped";
  }
}

std::string summary_line(const Report& report) {
  const auto& sum = report.summary;
  std::string text = cat(sum.nodes, " nodes: ", sum.ready, " ready");
  const std::pair<std::size_t, const char*> parts[] = {
      {sum.removed, "removed"}, {sum.not_ready, "not ready"}, {sum.failed, "failed"},
      {sum.blocked, "blocked"}, {sum.suspended, "suspended"}, {sum.not_started, "not started"}};
  for (const auto& [count, word] : parts) {
    if (count > 0) {
      text += cat(", ", count, ' ', word);
    }
  }
  return text + cat("; ", sum.writes, sum.writes == 1 ? " write" : " writes", " in ",
                    seconds(report.took));
}

void print_left_behind(const executors::Run& run, Sink& out) {
  for (const NodeReport& node : run.report.nodes) {
    for (const std::string& left : node.left_behind) {
      out.write(util::printable(
          cat("left behind by ", engine::to_string((*run.graph)[node.id]), ": ", left, '\n')));
    }
  }
}

std::vector<TreeLine> tree_of(const executors::Run& run) {
  std::vector<bool> include(run.graph->size(), false);
  for (const NodeReport& node : run.report.nodes) {
    include[node.id] = true;
  }
  return draw_tree(*run.graph, run.report.roots, &include);
}

void print_run(const executors::Run& run, bool color, Sink& out) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::vector<int>> colors;
  for (const TreeLine& line : tree_of(run)) {
    const NodeReport& node = *run.report.find(line.id);
    rows.push_back({line.label, std::string(state_word(node)), node.ready ? "" : node.reason,
                    writes_text(node), seconds(node.took), node.message});
    colors.push_back({0, state_color(node), 0, 0, 2, 0});
  }
  out.write(layout(rows, colors, color));
  print_left_behind(run, out);
  out.write(summary_line(run.report) + '\n');
}

namespace {

bool is_failure(const NodeReport& node) {
  return node.state == NodeState::failed || (node.state == NodeState::done && !node.ready);
}

/// Of the node, or of the nearest one above it that comes from a file.
util::SourcePos place_of(const executors::Run& run, engine::NodeId id, const Places& places) {
  for (; id != engine::k_no_node; id = (*run.graph)[id].parent) {
    if (const auto found = places.find((*run.graph)[id].key); found != places.end()) {
      return found->second;
    }
  }
  return {};
}

ReportCase node_case(const executors::Run& run, const NodeReport& node, const Places& places) {
  ReportCase entry;
  entry.group = node.key.kind;
  entry.name = engine::to_string((*run.graph)[node.id]);
  entry.pos = place_of(run, node.id, places);
  entry.took = node.took;
  entry.in_parts = true;
  entry.message = node.message;
  if (is_failure(node)) {
    entry.state = node.state == NodeState::failed ? CaseState::failed : CaseState::waiting;
    entry.reason = node.reason;
  } else if (node.state != NodeState::done) {
    entry.state = CaseState::skipped;
    entry.reason = node.reason;
    entry.message = node.message.empty() ? node.reason : node.message;
  }
  return entry;
}

/// What fails a run beside its nodes.
void add_troubles(const executors::Run& run, std::vector<ReportCase>& cases) {
  const auto add = [&](std::string reason, std::string message) {
    cases.push_back({.group = {},
                     .name = {},
                     .pos = {},
                     .state = CaseState::failed,
                     .reason = std::move(reason),
                     .message = std::move(message),
                     .details = {}});
  };
  for (const std::string& denied : run.denied) {
    add("Denied", denied);
  }
  if (run.incomplete) {
    add("Incomplete", util::join(run.warnings, "\n"));
  }
  const auto errors = run.report.status_errors();
  std::transform(errors.begin(), errors.end(), std::back_inserter(cases), error_case);
  if (run.report.stopped) {
    add("Stopped", cat(run.report.summary.not_started, " nodes were not started"));
  }
}

void add_places(const executors::Run& run, const Places& places,
                const std::vector<engine::NodeId>& ids, data::Json& nodes) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    add_position(nodes[i], place_of(run, ids[i], places));
    if (const auto& below = run.report.find(ids[i])->children; !below.empty()) {
      add_places(run, places, below, nodes[i]["children"]);
    }
  }
}

}  // namespace

data::Json run_json(const executors::Run& run, const Places& places) {
  data::Json document = engine::to_json(run.report);
  add_places(run, places, run.report.roots, document["nodes"]);
  return document;
}

RunReport run_report(const executors::Run& run, const Places& places) {
  RunReport made;
  for (const NodeReport& node : run.report.nodes) {
    made.cases.push_back(node_case(run, node, places));
  }
  add_troubles(run, made.cases);
  made.text = [&run] {
    StringSink text;
    print_run(run, false, text);
    return text.text();
  };
  made.json = [&] { return data::to_indented_json(run_json(run, places)); };
  return made;
}

int exit_code_of(const Report& report) {
  bool conflict = false;
  bool denied = false;
  bool rolled_back = false;
  for (const NodeReport& node : report.nodes) {
    if (node.state != NodeState::failed) {
      continue;
    }
    const auto kind = node.error ? node.error->kind : util::ErrorKind::internal;
    if (node.rolled_back) {
      rolled_back = true;
    } else if (kind == util::ErrorKind::conflict) {
      conflict = true;
    } else if (kind == util::ErrorKind::denied) {
      denied = true;
    } else {
      return k_error;
    }
  }
  if (rolled_back) {
    return k_rolled_back;
  }
  if (conflict || denied) {
    return conflict ? k_conflict : k_denied;
  }
  if (const auto errors = report.status_errors(); !errors.empty()) {
    return exit_code(errors.front().kind);
  }
  return report.summary.not_ready + report.summary.blocked > 0 ? k_not_ready : k_ok;
}

int exit_code_of(const executors::Run& run) {
  return run.denied.empty() && !run.incomplete ? exit_code_of(run.report) : k_error;
}

}  // namespace kubist::cli
