#include "output/policy_trace.hpp"

#include <cstdio>

#include <kubist/data/pointer.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/resources/diff.hpp>
#include <kubist/util/text.hpp>

#include "output/tree_lines.hpp"

namespace kubist::cli {
namespace {

using engine::PolicyTrace;
using util::cat;

std::string milliseconds(std::chrono::nanoseconds took) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f ms",
                std::chrono::duration<double, std::milli>(took).count());
  return buffer;
}

std::string spec_yaml(const data::Json& list) {
  const data::Json* spec = data::find(list, "/items/0/spec");
  return spec == nullptr ? std::string() : data::to_yaml(*spec);
}

void print_indented(std::string_view text, Sink& out) {
  if (text.ends_with('\n')) {
    text.remove_suffix(1);
  }
  for (const std::string& line : util::split(text, '\n')) {
    out.write(cat("    ", util::printable(line), '\n'));
  }
}

std::string line_of(const engine::Decision& decision) {
  return cat(engine::to_string(decision.action),
             decision.reason.empty() ? "" : cat(" (", decision.reason, ')'),
             decision.message.empty() ? "" : ": ", decision.message);
}

void print_decision(const PolicyTrace& trace, Sink& out) {
  const data::Json* status = data::find(trace.output, "/functionConfig/status");
  const auto decision =
      status == nullptr ? std::nullopt : engine::read_decision(*status).value_or(std::nullopt);
  if (decision) {
    print_indented("decides: " + line_of(*decision), out);
  }
}

void print_one(const PolicyTrace& trace, std::size_t number, bool color, Sink& out) {
  constexpr int k_green = 32;
  constexpr int k_red = 31;
  const std::string origin = trace.origin.empty() ? "" : cat(" (", trace.origin, ')');
  const std::string by = trace.imposed_by.empty() ? "" : cat(", imposed by ", trace.imposed_by);
  out.write(cat("  ", number, ". ", trace.name, origin, by, ": ",
                paint(util::printable(trace.outcome), trace.error ? k_red : k_green, color), ", ",
                milliseconds(trace.took), trace.cached ? ", kept from an earlier run" : "", '\n'));
  if (trace.error) {
    print_indented(trace.error->to_string(), out);
  }
  for (const auto& result : trace.results) {
    print_indented(cat(result.severity, ": ", result.message,
                       result.field.empty() ? "" : cat(" (", result.field, ')')),
                   out);
  }
  if (!trace.stderr_tail.empty()) {
    out.write("    it printed:\n");
    print_indented(trace.stderr_tail, out);
  }
  if (!trace.error) {
    print_decision(trace, out);
    const std::string diff = resources::unified_diff(
        spec_yaml(trace.input), spec_yaml(trace.output), "spec before", "spec after");
    diff.empty() ? out.write("    spec unchanged\n") : print_indented(diff, out);
  }
}

}  // namespace

void print_policy_trace(const engine::Node& node, const engine::PolicyVerdict& verdict, bool color,
                        Sink& out) {
  const std::size_t count = node.policies.size();
  out.write(cat(engine::to_string(node), ": ", count, count == 1 ? " policy\n" : " policies\n"));
  for (std::size_t i = 0; i < verdict.trace.size(); ++i) {
    print_one(verdict.trace[i], i + 1, color, out);
  }
  if (verdict.trace.size() < count) {
    out.write(cat("  ", count - verdict.trace.size(), " more did not run\n"));
  }
  if (verdict.decision) {
    out.write(cat("  together: ", util::printable(line_of(*verdict.decision)), ", by ",
                  verdict.decision->by, '\n'));
  }
  if (verdict.hold) {
    out.write(cat("  the world is left as it is: ", util::printable(verdict.hold_message), '\n'));
  }
}

}  // namespace kubist::cli
