#include "output/run_html.hpp"

#include <algorithm>

#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "output/run_report.hpp"
#include "output/tree_lines.hpp"
#include "output/weight_chart.hpp"
#include "report/html.hpp"
#include "report/report.hpp"

namespace kubist::cli {

using engine::NodeReport;
using engine::NodeState;
using util::cat;

namespace {

using FractionalSeconds = std::chrono::duration<double>;
using Spans = std::vector<NodeCourse::Span>;

std::string_view node_class(const NodeReport& node) {
  return node.state == NodeState::failed               ? "failed"
         : node.state == NodeState::done && node.ready ? "ready"
                                                       : "waiting";
}

/// The time that the picture of a run has.
struct TimeAxis {
  NodeCourse::Time begin;
  double whole = 0;  ///< seconds, more than none
  double at(NodeCourse::Time time) const {
    return std::clamp(FractionalSeconds(time - begin).count() / whole, 0.0, 1.0);
  }
};

/// From the first that these nodes did: other runs may have begun before.
TimeAxis time_axis(const executors::Run& run, const RunRecord::Courses& courses) {
  NodeCourse::Time begin = NodeCourse::Time::max();
  NodeCourse::Time end = NodeCourse::Time::min();
  for (const auto& [name, course] : courses) {
    for (const NodeCourse::Span& span : course.runs) {
      begin = std::min(begin, span.from);
      end = std::max(end, span.until == NodeCourse::Time::max() ? span.from : span.until);
    }
  }
  const double spans = begin < end ? FractionalSeconds(end - begin).count() : 0;
  return {begin, std::max({FractionalSeconds(run.report.took).count(), spans, 0.001})};
}

std::string span_rectangles(const Spans& spans, const TimeAxis& axis, std::string_view kind) {
  std::string drawn;
  for (const NodeCourse::Span& span : spans) {
    const double from = axis.at(span.from);
    // One that is short is seen, too.
    drawn += cat("<rect class=\"", kind, "\" x=\"", html_number(100 * from), "%\" width=\"",
                 html_number(std::max(100 * (axis.at(span.until) - from), 0.4)),
                 "%\" y=\"0\" height=\"100%\"/>");
  }
  return drawn;
}

std::string node_bar(const NodeCourse& course, const TimeAxis& axis) {
  if (course.runs.empty()) {
    return "<span></span>";
  }
  const double begin = axis.at(course.runs.front().from) * axis.whole;
  return cat("<svg class=\"bar\" role=\"img\" aria-label=\"began after ", html_number(begin),
             " s\">", span_rectangles(course.runs, axis, "work"),
             span_rectangles(course.waits, axis, "wait"), "</svg>");
}

std::string html_waits(const NodeCourse& course, const TimeAxis& axis) {
  std::string list;
  for (const NodeCourse::Span& wait : course.waits) {
    const double seconds = (axis.at(wait.until) - axis.at(wait.from)) * axis.whole;
    list += html_element("li", "", cat(html_number(seconds), " s: ", wait.message));
  }
  return list.empty() ? "" : cat("<p>Waited for</p>\n<ul>\n", list, "</ul>\n");
}

std::string html_policies(const NodeReport& node) {
  std::string list;
  for (const engine::PolicyTrace& policy : node.policies) {
    const std::string why = policy.error ? policy.error->message : policy.message;
    list += html_element("li", "",
                         cat(policy.name, ": ", policy.outcome, why.empty() ? "" : ", ", why));
  }
  return list.empty() ? "" : cat("<p>Policies</p>\n<ul>\n", list, "</ul>\n");
}

/// Each write with what it changed. A run may write an object several times: the first write has
/// the first change.
std::string html_writes(const NodeReport& node, const NodeCourse& course) {
  std::vector<NodeCourse::Changed> left = course.changes;
  std::string list;
  for (const engine::Write& write : node.writes) {
    const auto found = std::find_if(left.begin(), left.end(), [&](const auto& change) {
      return change.object == write.object && change.cluster == write.cluster;
    });
    const std::string words = xml_text(engine::to_string(write));
    const std::string diff = found == left.end() ? std::string() : found->diff;
    list +=
        diff.empty() ? cat("<p>", words, "</p>\n") : html_details("write", words, html_diff(diff));
    if (found != left.end()) {
      left.erase(found);
    }
  }
  return list.empty() ? "" : cat("<p>Wrote</p>\n", list);
}

std::string html_left_behind(const NodeReport& node) {
  std::string list;
  for (const std::string& left : node.left_behind) {
    list += html_element("li", "", left);
  }
  return list.empty() ? "" : cat("<p>Left behind</p>\n<ul>\n", list, "</ul>\n");
}

std::string html_row(const TreeLine& line, const NodeReport& node, const NodeCourse& course,
                     const TimeAxis& axis) {
  const std::string state = node.ready || node.reason.empty()
                                ? std::string(state_word(node))
                                : cat(state_word(node), ": ", node.reason);
  const std::string shown = cat(
      "<div class=\"line\">", html_element("span", "name", line.label),
      html_element("span", node_class(node), state),
      html_element("span", "took", cat(html_number(FractionalSeconds(node.took).count()), " s")),
      node_bar(course, axis), "</div>");
  const std::string more =
      cat(html_element("pre", "", node.message), html_waits(course, axis), html_policies(node),
          html_writes(node, course), html_left_behind(node));
  return more.empty() ? cat("<div class=\"row\">", shown, "</div>\n")
                      : html_details("row", shown, cat("<div class=\"more\">\n", more, "</div>\n"));
}

std::string run_facts(const executors::Run& run) {
  const engine::RunInfo& info = run.report.run;
  return cat("<p class=\"facts\">Run ", xml_text(info.id), ", begun at ",
             util::format_time(info.started_at), ", ", xml_text(info.cause),
             info.dry ? ". A dry run: nothing was written" : "", ".</p>\n",
             html_element("p", "facts", summary_line(run.report)));
}

}  // namespace

std::string run_html(const executors::Run& run, const RunRecord::Courses& courses,
                     const std::vector<data::Json>& releases) {
  const TimeAxis axis = time_axis(run, courses);
  std::string charts;
  for (const data::Json& release : releases) {
    charts += html_release(release);
  }
  std::string tree = run_facts(run);
  for (const TreeLine& line : tree_of(run)) {
    const auto course = courses.find(engine::to_string((*run.graph)[line.id]));
    tree += html_row(line, *run.report.find(line.id),
                     course == courses.end() ? NodeCourse() : course->second, axis);
  }
  return cat(html_section("Releases", charts), html_section("The tree", tree));
}

}  // namespace kubist::cli
