#include <functional>
#include <unordered_map>

#include <kubist/data/document.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/page_buffer.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/watch.hpp>
#include <kubist/util/text.hpp>

#include "get_run.hpp"
#include "get_table_options.hpp"
#include "output/object_printer.hpp"

namespace kubist::cli {
namespace {

using kube::WatchEventType;
using util::ErrorKind;

/// Which version of which object has been printed: after an expired watch, the new listing repeats
/// all of them. Hashes are enough, and small.
class Seen {
 public:
  /// Is this version new? Remembers it.
  bool update(std::string_view uid, std::string_view version) {
    const std::size_t hash = std::hash<std::string_view>{}(version);
    const auto [entry, added] = m_versions.try_emplace(std::hash<std::string_view>{}(uid), hash);
    return added || std::exchange(entry->second, hash) != hash;
  }
  void forget(std::string_view uid) { m_versions.erase(std::hash<std::string_view>{}(uid)); }

 private:
  std::unordered_map<std::size_t, std::size_t> m_versions;
};

std::string_view event_name(WatchEventType type) {
  switch (type) {
    case WatchEventType::deleted:
      return "DELETED";
    case WatchEventType::modified:
      return "MODIFIED";
    default:
      return "ADDED";
  }
}

/// What the two forms of output have to do for a watch.
class WatchOutput {
 public:
  virtual ~WatchOutput() = default;
  virtual util::Result<> page(const data::PageBuffer& page, bool print) = 0;
  virtual util::Result<> end_of_list() = 0;
  virtual util::Result<> event(const kube::WatchEvent& event) = 0;
  bool any = false;  ///< has the listing found anything?
};

class TableOutput final : public WatchOutput {
 public:
  TableOutput(const GetRun& run, const Target& target)
      : m_writer(run.out), m_table(m_writer, table_options(run.options, target.resource, false)) {
    if (run.options.sorter && !run.options.watch_only) {
      m_table.sort_by(*run.options.sorter);
    }
  }
  util::Result<> page(const data::PageBuffer& page, bool print) override {
    return m_table.print(page, "ADDED", [&](const data::ListItem& object) {
      any = true;
      return m_seen.update(object.uid, object.resource_version) && print;
    });
  }
  util::Result<> end_of_list() override {
    KUBIST_CHECK(m_table.finish());
    m_writer.flush();
    return {};
  }
  util::Result<> event(const kube::WatchEvent& event) override {
    m_page.clear();
    m_page.append(event.object);
    const bool deleted = event.type == WatchEventType::deleted;
    KUBIST_CHECK(m_table.print(m_page, event_name(event.type), [&](const data::ListItem& object) {
      const bool news = m_seen.update(object.uid, object.resource_version);
      if (deleted) {
        m_seen.forget(object.uid);
      }
      return news || deleted;
    }));
    m_writer.flush();
    return {};
  }

 private:
  TableWriter m_writer;
  ServerTable m_table;
  data::PageBuffer m_page;
  Seen m_seen;
};

class ObjectOutput final : public WatchOutput {
 public:
  ObjectOutput(const GetRun& run, const Target& target)
      : m_resource(target.resource),
        m_api_version(target.resource.api_version()),
        m_events(run.options.watch_events),
        m_names(run.options.format.kind == OutputFormat::Kind::name),
        m_lines(run.options.format.kind == OutputFormat::Kind::json),
        m_managed_fields(run.options.show_managed_fields),
        m_out(run.out),
        m_printer(make_object_printer(
            run.options.format, run.out,
            {OutputShape::stream, run.options.no_headers, run.options.show_managed_fields,
             run.options.allow_missing_keys})) {}

  util::Result<> page(const data::PageBuffer& page, bool print) override {
    KUBIST_CHECK(m_reader.read(page, [&](const data::ListItem& item) -> util::Result<> {
      any = true;
      const bool news = m_seen.update(item.uid, item.resource_version);
      return news && print ? show("ADDED", item.raw, item.name, !item.kind.empty())
                           : util::Result<>();
    }));
    return {};
  }
  util::Result<> end_of_list() override { return {}; }
  util::Result<> event(const kube::WatchEvent& event) override {
    const bool news = m_seen.update(event.uid, event.resource_version);
    const bool deleted = event.type == WatchEventType::deleted;
    if (deleted) {
      m_seen.forget(event.uid);
    }
    // Objects found by a new listing may lack their kind, those of events have it.
    return news || deleted ? show(event_name(event.type), event.object, event.name,
                                  event.type != WatchEventType::listed)
                           : util::Result<>();
  }

 private:
  util::Result<> show(std::string_view event, std::string_view raw, std::string_view name,
                      bool typed) {
    if (!m_events || m_names) {
      return m_printer->print({raw, m_api_version, m_resource.kind, name, typed});
    }
    KUBIST_TRY(data::Json object, data::parse_json(raw, "the object", {.keep_source = false}));
    if (!typed) {
      object["apiVersion"] = m_api_version;
      object["kind"] = m_resource.kind;
    }
    if (!m_managed_fields) {
      data::erase_path(object, {"metadata", "managedFields"});
    }
    const std::string whole =
        util::cat(R"({"type":")", event, R"(","object":)", data::to_json(object), '}');
    if (m_lines) {
      m_out.write(util::cat(whole, '\n'));
      return {};
    }
    return m_printer->print({whole, m_api_version, m_resource.kind, name, true});
  }

  const kube::ApiResource& m_resource;
  std::string m_api_version;
  bool m_events;
  bool m_names;
  bool m_lines;  ///< one a line, as kubectl prints events
  bool m_managed_fields;
  Sink& m_out;
  std::unique_ptr<ObjectPrinter> m_printer;
  data::ListReader m_reader;
  Seen m_seen;
};

/// The listing that comes before the watch; gives the version to go on from.
util::Result<std::string> first_list(const GetRun& run, const Target& target,
                                     const kube::WatchOptions& watch, WatchOutput& output) {
  kube::ListOptions list =
      run.options.format.human() ? table_list_options(run.options) : run.options.list_options();
  list.max_objects = 0;
  if (!target.names.empty()) {
    list.field_selector = util::cat("metadata.name=", target.names[0]);
  }
  list.form = watch.form;
  KUBIST_TRY(const auto end, run.parts.front().client->list_pages(
                                 target.resource, target.ns, list,
                                 [&](const data::PageBuffer& page) {
                                   return output.page(page, !run.options.watch_only);
                                 },
                                 run.stop));
  KUBIST_CHECK(output.end_of_list());
  if (!output.any && !target.names.empty() && !run.options.ignore_not_found) {
    return util::fail(kube::no_object(target.resource, target.names[0]));
  }
  run.out.flush();
  return end.resource_version;
}

}  // namespace

util::Result<> get_watch(const GetRun& run) {
  const auto& [client, targets, context, ns] = run.parts.front();
  if (targets.list.size() != 1 || targets.list[0].names.size() > 1) {
    return util::fail(ErrorKind::usage,
                      "watch is only supported on one resource or one collection of resources");
  }
  const Target& target = targets.list[0];
  kube::WatchOptions options;
  options.resource = target.resource;
  options.ns = target.ns;
  options.name = target.names.empty() ? "" : target.names[0];
  options.label_selector = run.options.label_selector;
  options.field_selector = run.options.field_selector;
  std::unique_ptr<WatchOutput> output;
  if (run.options.format.human()) {
    options.form = kube::Form::table;
    output = std::make_unique<TableOutput>(run, target);
  } else {
    output = std::make_unique<ObjectOutput>(run, target);
    if (run.options.format.kind == OutputFormat::Kind::name) {
      options.form = kube::Form::metadata;
    }
  }
  KUBIST_TRY(options.resource_version, first_list(run, target, options, *output));
  options.on_trouble = [&](const util::Error& error) { run.log.trace(1, error.to_string()); };
  const auto on_event = [&](const kube::WatchEvent& event) -> util::Result<> {
    if (event.type != WatchEventType::bookmark && event.type != WatchEventType::relisted) {
      KUBIST_CHECK(output->event(event));
      run.out.flush();
    }
    if (run.out.closed()) {
      return util::fail(ErrorKind::cancelled, "nobody reads the output any more");
    }
    return {};
  };
  auto watched = kube::watch(*client, options, on_event, run.stop);
  return run.out.closed() ? util::Result<>() : watched;
}

}  // namespace kubist::cli
