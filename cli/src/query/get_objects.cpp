#include <kubist/data/document.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "../several_contexts.hpp"
#include "fetch.hpp"
#include "get_run.hpp"
#include "output/object_printer.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::ErrorKind;

/// Is exactly one object named, of one cluster?
bool names_one(const GetRun& run) {
  return !run.options.contexts && run.parts.front().targets.single;
}

class ObjectRun {
 public:
  explicit ObjectRun(const GetRun& run)
      : m_run(run),
        m_single(names_one(run)),
        m_printer(make_object_printer(
            run.options.format, run.out,
            {m_single ? OutputShape::single : OutputShape::list, run.options.no_headers,
             run.options.show_managed_fields, run.options.allow_missing_keys})),
        m_errors(run.errors) {}

  util::Result<> run() {
    for (const GetPart& part : m_run.parts) {
      m_part = &part;
      if (!print_part()) {
        break;
      }
    }
    const bool nothing = m_count == 0 && (m_single || m_run.options.ignore_not_found);
    // A failed request prints no list of what it did not bring.
    if (!nothing && !(m_count == 0 && !m_errors.empty()) && !m_output_failed) {
      if (const auto finished = finish(); !finished) {
        m_errors.push_back(finished.error());
      }
    }
    return combined(std::move(m_errors));
  }

 private:
  struct Held {
    std::string raw;
    std::string name;
    const kube::ApiResource* resource;
    bool typed;
    SortKey key;
  };

  /// False: it ends the command.
  bool print_part() {
    for (const Target& target : m_part->targets.list) {
      const auto printed = target.names.empty() ? collection(target) : named(target);
      if (!printed && (!note(printed.error()) || m_output_failed)) {
        return false;
      }
    }
    return true;
  }

  /// False: the command was stopped.
  bool note(const util::Error& error) {
    const std::string& context = m_part->context;
    m_errors.push_back(context.empty() ? error
                                       : util::with_context(error, util::cat("context ", context)));
    return error.kind != ErrorKind::cancelled;
  }

  util::Result<> collection(const Target& target) {
    kube::ListOptions list = m_run.options.list_options();
    const bool names_only =
        m_run.options.format.kind == OutputFormat::Kind::name && !m_run.options.sorter;
    if (names_only) {
      list.form = kube::Form::metadata;
    }
    const auto each = [&](const data::ListItem& item) { return take(target.resource, item); };
    KUBIST_TRY(const auto end,
               m_part->client->list_items(target.resource, target.ns, list, each, m_run.stop));
    if (end.inconsistent) {
      m_run.log.warn("the list took longer than the server keeps it: pages are of different times");
    }
    return {};
  }

  util::Result<> named(const Target& target) {
    std::vector<kube::ApiCall> calls;
    for (const std::string& name : target.names) {
      calls.push_back(kube::get(target.resource, target.ns, name, m_run.options.subresource));
    }
    data::ListReader reader;
    std::vector<util::Error> errors;
    const auto printed =
        each_named(m_run, *m_part->client, calls, errors, [&](const data::PageBuffer& page) {
          return reader.read_object(
              page, [&](const data::ListItem& item) { return take(target.resource, item); });
        });
    for (const util::Error& error : errors) {
      note(error);
    }
    return printed;
  }

  util::Result<> take(const kube::ApiResource& resource, const data::ListItem& item) {
    ++m_count;
    std::string marked;
    std::string_view raw = item.raw;
    if (!m_part->context.empty()) {
      KUBIST_TRY(Json object, data::parse_json(item.raw, "the object", {.keep_source = false}));
      resources::set_annotation(object, k_context_annotation, m_part->context);
      marked = data::to_json(object);
      raw = marked;
    }
    if (m_run.options.sorter) {
      KUBIST_TRY(const auto value, data::parse_json(raw, "the object", {.keep_source = false}));
      KUBIST_TRY(auto key, m_run.options.sorter->key(value));
      m_held.push_back({std::string(raw), std::string(item.name), &resource, !item.kind.empty(),
                        std::move(key)});
      return {};
    }
    return print(resource, raw, item.name, !item.kind.empty());
  }

  util::Result<> print(const kube::ApiResource& resource, std::string_view raw,
                       std::string_view name, bool typed) {
    if (&resource != m_resource) {
      m_resource = &resource;
      m_api_version = resource.api_version();
    }
    auto printed = m_printer->print({raw, m_api_version, resource.kind, name, typed});
    m_output_failed = !printed;
    return printed;
  }

  util::Result<> finish() {
    if (m_run.options.sorter) {
      std::vector<const SortKey*> keys;
      for (const Held& held : m_held) {
        keys.push_back(&held.key);
      }
      KUBIST_TRY(const auto order, m_run.options.sorter->order(keys));
      for (const std::size_t index : order) {
        const Held& held = m_held[index];
        KUBIST_CHECK(print(*held.resource, held.raw, held.name, held.typed));
      }
    }
    return m_printer->finish();
  }

  const GetRun& m_run;
  const bool m_single;
  std::unique_ptr<ObjectPrinter> m_printer;
  std::vector<util::Error> m_errors;
  std::vector<Held> m_held;
  const GetPart* m_part = nullptr;
  const kube::ApiResource* m_resource = nullptr;
  std::string m_api_version;
  std::size_t m_count = 0;
  bool m_output_failed = false;
};

}  // namespace

util::Result<> get_objects(const GetRun& run) { return ObjectRun(run).run(); }

}  // namespace kubist::cli
