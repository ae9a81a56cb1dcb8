#include <algorithm>

#include <kubist/data/page_buffer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/util/text.hpp>

#include "fetch.hpp"
#include "get_run.hpp"
#include "get_table_options.hpp"

namespace kubist::cli {
namespace {

using util::ErrorKind;

class TableRun {
 public:
  TableRun(const GetRun& run, const Targets& targets)
      : m_run(run), m_targets(targets), m_writer(run.out) {}

  util::Result<> run() {
    for (const Target& target : m_targets.list) {
      const auto printed = print_target(target);
      if (!printed) {
        m_errors.push_back(printed.error());
        if (printed.error().kind == ErrorKind::cancelled) {
          break;
        }
      }
    }
    m_writer.flush();
    if (!m_writer.used() && m_errors.empty() && !m_run.options.ignore_not_found) {
      report_nothing();
    }
    return combined(std::move(m_errors));
  }

 private:
  util::Result<> print_target(const Target& target) {
    ServerTable table(m_writer,
                      table_options(m_run.options, target.resource, m_targets.list.size() > 1));
    if (m_run.options.sorter) {
      table.sort_by(*m_run.options.sorter);
    }
    table.before_first([this] {
      const bool separate = m_writer.used() && !m_run.options.no_headers;
      m_writer.forget_widths();
      if (separate) {
        m_run.out.write("\n");
      }
    });
    KUBIST_CHECK(target.names.empty() ? print_collection(target, table)
                                      : print_named(target, table));
    return table.finish();
  }

  util::Result<> print_collection(const Target& target, ServerTable& table) {
    KUBIST_TRY(const auto end,
               m_run.client.list_pages(
                   target.resource, target.ns, table_list_options(m_run.options),
                   [&](const data::PageBuffer& page) { return table.print(page); }, m_run.stop));
    if (end.inconsistent) {
      m_run.log.warn("the list took longer than the server keeps it: pages are of different times");
    }
    return {};
  }

  util::Result<> print_named(const Target& target, ServerTable& table) {
    std::vector<kube::ApiCall> calls;
    const kube::TableObjects objects = table_list_options(m_run.options).table_objects;
    for (const std::string& name : target.names) {
      calls.push_back(kube::get(target.resource, target.ns, name, m_run.options.subresource));
      calls.back().accept = kube::k_accept_table;
      if (const std::string_view wanted = kube::to_query(objects); !wanted.empty()) {
        calls.back().query.emplace_back("includeObject", wanted);
      }
    }
    return each_named(m_run, calls, m_errors,
                      [&](const data::PageBuffer& page) { return table.print(page); });
  }

  void report_nothing() {
    const bool one_namespace =
        std::all_of(m_targets.list.begin(), m_targets.list.end(),
                    [](const Target& target) { return target.resource.namespaced; }) &&
        !m_run.options.all_namespaces;
    m_run.log.line(one_namespace ? util::cat("No resources found in ", m_run.ns, " namespace.")
                                 : std::string("No resources found"));
  }

  const GetRun& m_run;
  const Targets& m_targets;
  TableWriter m_writer;
  std::vector<util::Error> m_errors;
};

}  // namespace

ServerTableOptions table_options(const GetOptions& options, const kube::ApiResource& resource,
                                 bool several_kinds) {
  ServerTableOptions table;
  table.wide = options.format.wide();
  table.no_headers = options.no_headers;
  table.with_namespace = options.all_namespaces && resource.namespaced;
  table.show_labels = options.show_labels;
  table.with_event = options.watch_events && (options.watch || options.watch_only);
  table.label_columns = options.label_columns;
  if (several_kinds || options.show_kind) {
    table.kind_prefix =
        util::lower(resource.kind) + (resource.group.empty() ? "" : ".") + resource.group;
  }
  return table;
}

kube::ListOptions table_list_options(const GetOptions& options) {
  kube::ListOptions list = options.list_options();
  list.form = kube::Form::table;
  const bool metadata = options.all_namespaces || options.show_labels ||
                        !options.label_columns.empty() || options.watch || options.watch_only;
  list.table_objects = options.sorter ? kube::TableObjects::whole
                       : metadata     ? kube::TableObjects::metadata
                                      : kube::TableObjects::none;
  return list;
}

util::Result<> get_tables(const GetRun& run, const Targets& targets) {
  return TableRun(run, targets).run();
}

util::Result<> combined(std::vector<util::Error> errors) {
  if (errors.empty()) {
    return {};
  }
  return util::fail(data::combine_errors(std::move(errors), "the objects asked for"));
}

}  // namespace kubist::cli
