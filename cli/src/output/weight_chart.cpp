#include "output/weight_chart.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <kubist/data/pointer.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "output/canary_lines.hpp"
#include "report/html.hpp"
#include "report/report.hpp"

namespace kubist::cli {

using data::Json;
using util::cat;

namespace {

constexpr double k_chart_left = 50, k_chart_right = 630, k_chart_top = 12, k_chart_bottom = 168,
                 k_chart_height = 200;

double weight_height(double weight) {
  return k_chart_bottom - (k_chart_bottom - k_chart_top) * weight / 100;
}

/// A change of a release.
struct WeightChange {
  std::chrono::system_clock::time_point at;
  double weight = 0;
  bool back = false;  ///< it did not go on
  std::string words;
  double x = 0;
};

/// Those of its last attempt, each at its place between the first and the last.
std::vector<WeightChange> weight_changes(const Json& release) {
  const Json& history = data::array_at(release, {"status", "history"});
  std::vector<WeightChange> all;
  for (const Json& entry : history) {
    const auto at = util::parse_time(data::string_at(entry, {"at"}));
    if (!at ||
        data::int_at(entry, {"attempt"}, 1) != data::int_at(history.back(), {"attempt"}, 1)) {
      continue;
    }
    const std::string state(data::string_at(entry, {"state"}));
    const auto weight = std::clamp<std::int64_t>(data::int_at(entry, {"weight"}), 0, 100);
    std::string words = cat(data::string_at(entry, {"at"}), "  ", state, " at ", weight, " %");
    for (const char* field : {"reason", "message"}) {
      const std::string_view more = data::string_at(entry, {field});
      words += more.empty() ? "" : cat(", ", more);
    }
    all.push_back({*at, static_cast<double>(weight),
                   state == "RolledBack" || state == "Aborted" || state == "Failed",
                   std::move(words)});
  }
  const double whole =
      all.empty() ? 0 : std::chrono::duration<double>(all.back().at - all.front().at).count();
  for (WeightChange& each : all) {
    const double part = std::chrono::duration<double>(each.at - all.front().at).count();
    each.x = k_chart_left +
             (k_chart_right - k_chart_left) * (whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0);
  }
  return all;
}

std::string chart_label(double x, double y, std::string_view anchor, std::string_view text) {
  return cat("<text x=\"", html_number(x), "\" y=\"", html_number(y), "\" text-anchor=\"", anchor,
             "\">", xml_text(text), "</text>\n");
}

std::string chart_frame(const std::vector<WeightChange>& changes) {
  std::string drawn;
  for (const int weight : {0, 50, 100}) {
    const std::string y = html_number(weight_height(weight));
    drawn +=
        cat("<line class=\"grid\" x1=\"", html_number(k_chart_left), "\" x2=\"",
            html_number(k_chart_right), "\" y1=\"", y, "\" y2=\"", y, "\"/>\n",
            chart_label(k_chart_left - 6, weight_height(weight) + 4, "end", cat(weight, " %")));
  }
  drawn += chart_label(k_chart_left, k_chart_height - 10, "start",
                       util::format_time(changes.front().at));
  return changes.size() == 1 ? drawn
                             : cat(drawn, chart_label(k_chart_right, k_chart_height - 10, "end",
                                                      util::format_time(changes.back().at)));
}

std::string weight_chart(const std::vector<WeightChange>& changes) {
  std::string path;
  std::string points;
  for (const WeightChange& each : changes) {
    const std::string x = html_number(each.x);
    const std::string y = html_number(weight_height(each.weight));
    path += path.empty() ? cat('M', x, ' ', y) : cat('H', x, 'V', y);
    points += cat("<circle class=\"", each.back ? "failed" : "passed", "\" cx=\"", x, "\" cy=\"", y,
                  "\" r=\"4\"><title>", xml_text(each.words), "</title></circle>\n");
  }
  return cat("<svg class=\"chart\" viewBox=\"0 0 640 ", html_number(k_chart_height),
             "\" role=\"img\" aria-label=\"weight over time\">\n", chart_frame(changes),
             "<path class=\"weight\" d=\"", path, "\"/>\n", points, "</svg>\n");
}

}  // namespace

std::string html_release(const Json& release) {
  const auto changes = weight_changes(release);
  std::string words;
  for (const WeightChange& each : changes) {
    words += cat(each.words, '\n');
  }
  return cat(html_element("h3", "",
                          cat("CanaryRelease/", data::string_at(release, {"metadata", "namespace"}),
                              '/', data::string_at(release, {"metadata", "name"}))),
             changes.empty() ? "" : weight_chart(changes),
             html_element("pre", "", canary_lines(release)),
             words.empty() ? "" : html_details("", "Each change", html_element("pre", "", words)));
}

}  // namespace kubist::cli
