#include <chrono>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/istio/check.hpp>
#include <kubist/util/text.hpp>

#include "../istio_flags.hpp"
#include "../output/document.hpp"
#include "../output/table.hpp"
#include "../output/tree_lines.hpp"
#include "../several_contexts.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using istio::Verdict;
using util::cat;

// Foreign text on one line: what a server says must not look like lines of ours.
std::string one_line(std::string_view text) {
  return util::replace_all(util::replace_all(util::printable(text), "\n", " "), "\t", " ");
}

int color_of(const istio::Report& report) {
  constexpr int k_red = 31;
  constexpr int k_green = 32;
  constexpr int k_yellow = 33;
  if (report.verdict == Verdict::healthy) {
    return k_green;
  }
  return report.ready || report.verdict == Verdict::installing ? k_yellow : k_red;
}

Table revisions_of(const istio::Report& report) {
  Table table{{"REVISION", "NAMESPACE", "VERDICT", "VERSION", "READY", "MODE", "NAMESPACES",
               "PROXIES", "TAGS", "INSTALLER"},
              {}};
  for (const istio::RevisionReport& each : report.revisions) {
    const auto text = [](const std::string& value) {
      return value.empty() ? "-" : one_line(value);
    };
    table.rows.push_back(
        {text(each.name), text(each.ns), std::string(istio::to_string(each.verdict)),
         text(each.version), cat(each.ready_replicas, '/', each.wanted_replicas),
         each.ambient ? "ambient" : "sidecar", cat(each.namespaces.size()), cat(each.proxies),
         text(util::join(each.tags, ",")), text(each.installer)});
  }
  return table;
}

void print_findings(const istio::Report& report, Sink& out) {
  for (const istio::Finding& finding : report.findings) {
    out.write(
        cat('\n', istio::to_string(finding.verdict), ": ", one_line(finding.code),
            finding.revision.empty() ? "" : cat(" (revision ", one_line(finding.revision), ')'),
            "\n  ", one_line(finding.evidence), '\n'));
    if (!finding.next.empty()) {
      out.write(cat("  next: ", one_line(finding.next), '\n'));
    }
  }
}

/// `name`: of the context; empty where there is one.
void print_text(const std::string& name, const istio::Report& report, Context& context) {
  Sink& out = context.out();
  out.write(cat(name.empty() ? "Istio: " : cat("Istio on ", one_line(name), ": "),
                paint(istio::to_string(report.verdict), color_of(report), context.out_color()),
                ", ", one_line(istio::summary(report)), "\n"));
  if (!report.revisions.empty()) {
    out.write("\n");
    print_table(out, revisions_of(report));
  }
  print_findings(report, out);
  if (!report.notes.empty()) {
    out.write("\n");
  }
  for (const std::string& note : report.notes) {
    out.write(cat("note: ", one_line(note), '\n'));
  }
}

int exit_code_of(const istio::Report& report) {
  switch (report.verdict) {
    case Verdict::healthy:
    case Verdict::outdated:
      return k_ok;
    case Verdict::remote:
      return report.ready ? k_ok : k_not_ready;
    case Verdict::unknown:
      return k_error;
    default:
      return k_not_ready;
  }
}

using Reports = std::vector<std::pair<std::string, istio::Report>>;  // by context

data::Json document_of(const Reports& reports, bool several) {
  data::Json all{{"contexts", data::Json::array()}};
  for (const auto& [name, report] : reports) {
    if (!several) {
      return istio::to_json(report);
    }
    all["contexts"].push_back({{"context", name}, {"report", istio::to_json(report)}});
  }
  return all;
}

/// Unknown is worse than any verdict.
int worst_of(const Reports& reports) {
  int worst = k_ok;
  for (const auto& [name, report] : reports) {
    const int code = exit_code_of(report);
    worst = worst == k_error || code == k_ok ? worst : code;
  }
  return worst;
}

util::Result<int> run_istio_check(Context& context, const Arguments& arguments) {
  istio::Scope scope;
  scope.revision = arguments.text("revision");
  if (context.ns_given()) {
    KUBIST_TRY(scope.ns, context.ns());
  }
  KUBIST_TRY(const istio::SupportTable support, support_of(arguments));
  istio::GatherOptions options;
  options.timeout = arguments.duration("timeout");
  options.probe = arguments.boolean("probe");
  KUBIST_TRY(const bool several, asks_contexts(arguments));
  Reports reports;
  KUBIST_TRY(auto errors, in_each_context(context, [&](const std::string& name) -> util::Result<> {
               KUBIST_TRY(const auto client, context.client());
               KUBIST_TRY(istio::Report report,
                          istio::check(*client, scope, support, options, context.stop()));
               reports.emplace_back(name, std::move(report));
               return {};
             }));
  KUBIST_TRY(const bool printed, print_document(context, document_of(reports, several)));
  for (const auto& [name, report] : reports) {
    if (!printed) {
      print_text(name, report, context);
    }
  }
  KUBIST_TRY(const int code, end_of_contexts(std::move(errors)));
  return code == k_ok ? worst_of(reports) : code;
}

}  // namespace

CommandSpec istio_check_command() {
  return {
      .path = "istio check",
      .group = "Istio",
      .summary = "Say whether Istio is installed and works, and what to do if not",
      .details =
          "It checks CRDs, webhooks, control planes, their Services, rights and configuration, the "
          "labels of namespaces and the versions of proxies. It also lets the API server call the "
          "webhook that checks configuration, with a server dry run that it must refuse. Nothing "
          "is written.\n\n"
          "The verdict is the first that applies: unknown (a question was not answered: never the "
          "same as absent), absent, leftover, remote, partial, installing, unhealthy, degraded, "
          "outdated, healthy. Each reason has a code for programs, the evidence, and what to do "
          "next. Of several revisions those count that some namespace uses.\n\n"
          "Exits with 0 for healthy, outdated and a remote control plane that answers, 1 for "
          "unknown, 3 for all else. With -n only control planes in that namespace count.",
      .flags = {contexts_flag(),
                {"revision", 0, FlagKind::text, "REVISION",
                 "only this revision or revision tag counts"},
                supported_flag(),
                {"probe", 0, FlagKind::boolean, "", "try the webhook with a server dry run",
                 "true"},
                {"timeout", 0, FlagKind::duration, "DURATION",
                 "what has not answered by then counts as not known; 0 means no limit", "10s"},
                document_flag()},
      .examples = {{"Look at the cluster of another context", "kubist istio check --context prod"},
                   {"Only the verdict", "kubist istio check -o json | jq -r .verdict"}},
      .run = run_istio_check};
}

}  // namespace kubist::cli
