#include <algorithm>
#include <utility>

#include <kubist/data/page_buffer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/util/text.hpp>

#include "fetch.hpp"
#include "get_run.hpp"
#include "get_table_options.hpp"

namespace kubist::cli {
namespace {

using util::ErrorKind;

/// The same kind of each part that has it: one table.
struct KindOfParts {
  kube::ApiResource resource;
  std::size_t repeat;  ///< which one of its part: TYPE/NAME words may come back to a kind
  std::vector<std::pair<const GetPart*, const Target*>> places;
};

std::vector<KindOfParts> kinds_of(const std::vector<GetPart>& parts) {
  std::vector<KindOfParts> kinds;
  for (const GetPart& part : parts) {
    for (const Target& target : part.targets.list) {
      const auto repeat = static_cast<std::size_t>(
          std::count_if(part.targets.list.data(), &target,
                        [&](const Target& before) { return before.resource == target.resource; }));
      const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const KindOfParts& kind) {
        return kind.resource == target.resource && kind.repeat == repeat;
      });
      auto& places = found == kinds.end()
                         ? kinds.emplace_back(KindOfParts{target.resource, repeat, {}}).places
                         : found->places;
      places.emplace_back(&part, &target);
    }
  }
  return kinds;
}

class TableRun {
 public:
  explicit TableRun(const GetRun& run)
      : m_run(run), m_kinds(kinds_of(run.parts)), m_writer(run.out), m_errors(run.errors) {}

  util::Result<> run() {
    for (const KindOfParts& kind : m_kinds) {
      if (!print_kind(kind)) {
        break;
      }
    }
    m_writer.flush();
    if (!m_writer.used() && m_errors.empty() && !m_run.options.ignore_not_found) {
      report_nothing();
    }
    return combined(std::move(m_errors));
  }

 private:
  /// False: the command was stopped.
  bool print_kind(const KindOfParts& kind) {
    ServerTable table(m_writer, table_options(m_run.options, kind.resource, m_kinds.size() > 1));
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
    for (const auto& [part, target] : kind.places) {
      table.of_context(part->context);
      const auto printed = print_target(*part, *target, table);
      if (!printed && !take(printed.error(), part->context)) {
        return false;
      }
    }
    const auto finished = table.finish();
    return finished || take(finished.error(), "");
  }

  /// False: it ends the command.
  bool take(const util::Error& error, const std::string& context) {
    m_errors.push_back(context.empty() ? error
                                       : util::with_context(error, util::cat("context ", context)));
    return error.kind != ErrorKind::cancelled;
  }

  util::Result<> print_target(const GetPart& part, const Target& target, ServerTable& table) {
    return target.names.empty() ? print_collection(part, target, table)
                                : print_named(part, target, table);
  }

  util::Result<> print_collection(const GetPart& part, const Target& target, ServerTable& table) {
    KUBIST_TRY(const auto end,
               part.client->list_pages(
                   target.resource, target.ns, table_list_options(m_run.options),
                   [&](const data::PageBuffer& page) { return table.print(page); }, m_run.stop));
    if (end.inconsistent) {
      m_run.log.warn("the list took longer than the server keeps it: pages are of different times");
    }
    return {};
  }

  util::Result<> print_named(const GetPart& part, const Target& target, ServerTable& table) {
    std::vector<kube::ApiCall> calls;
    const kube::TableObjects objects = table_list_options(m_run.options).table_objects;
    for (const std::string& name : target.names) {
      calls.push_back(kube::get(target.resource, target.ns, name, m_run.options.subresource));
      calls.back().accept = kube::k_accept_table;
      if (const std::string_view wanted = kube::to_query(objects); !wanted.empty()) {
        calls.back().query.emplace_back("includeObject", wanted);
      }
    }
    std::vector<util::Error> errors;
    const auto printed =
        each_named(m_run, *part.client, calls, errors,
                   [&](const data::PageBuffer& page) { return table.print(page); });
    for (const util::Error& error : errors) {
      take(error, part.context);
    }
    return printed;
  }

  void report_nothing() {
    const bool one_namespace =
        m_run.parts.size() == 1 && !m_run.options.all_namespaces &&
        std::all_of(m_kinds.begin(), m_kinds.end(),
                    [](const KindOfParts& kind) { return kind.resource.namespaced; });
    m_run.log.line(one_namespace
                       ? util::cat("No resources found in ", m_run.parts.front().ns, " namespace.")
                       : std::string("No resources found"));
  }

  const GetRun& m_run;
  const std::vector<KindOfParts> m_kinds;
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
  table.with_context = options.contexts;
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

util::Result<> get_tables(const GetRun& run) { return TableRun(run).run(); }

util::Result<> combined(std::vector<util::Error> errors) {
  if (errors.empty()) {
    return {};
  }
  return util::fail(data::combine_errors(std::move(errors), "the objects asked for"));
}

}  // namespace kubist::cli
