#include "output/run_page.hpp"

#include <kubist/util/deadline.hpp>
#include <kubist/util/threads.hpp>

#include "askable.hpp"
#include "output/run_html.hpp"
#include "report/reports.hpp"

namespace kubist::cli {

namespace {

constexpr std::chrono::seconds k_reads{10};  // all releases together

/// One that is gone, or cannot be read in time, has no picture.
std::vector<data::Json> releases_of(Context& context, const executors::Run& run) {
  std::vector<data::Json> releases;
  const util::Deadline deadline(k_reads, context.stop());
  for (const engine::NodeReport& node : run.report.nodes) {
    const auto client = context.client();
    if (node.key.kind == canary().kind && client && !deadline.token().stop_requested()) {
      if (auto release = get_asked(**client, canary(), node.key, deadline.token())) {
        releases.push_back(*std::move(release));
      }
    }
  }
  return releases;
}

}  // namespace

RunPage::RunPage(Context& context) : m_context(context), m_wanted(context.reports().has("html")) {}

std::unique_ptr<engine::Observer> RunPage::follow(executors::ReconcileOptions& options,
                                                  std::unique_ptr<engine::Observer> observer) {
  if (!m_wanted) {
    return observer;
  }
  // The write has been made: what fails here is no error of its node.
  options.changes = [this](const engine::Node& node, const deployers::Change& change) {
    static_cast<void>(util::guarded([&] { m_record.changed(node, change); }));
  };
  return m_record.beside(std::move(observer));
}

void RunPage::add_to(RunReport& report, const executors::Run& run) {
  if (!m_wanted) {
    return;
  }
  std::vector<std::string> names;
  for (const engine::NodeReport& node : run.report.nodes) {
    names.push_back(engine::to_string((*run.graph)[node.id]));
  }
  report.html = [&run, courses = m_record.take(names), releases = releases_of(m_context, run)] {
    return run_html(run, courses, releases);
  };
}

}  // namespace kubist::cli
