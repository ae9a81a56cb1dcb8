#include <kubist/data/document.hpp>
#include <kubist/data/json_stream.hpp>

#include "fetch.hpp"
#include "get_run.hpp"
#include "output/object_printer.hpp"

namespace kubist::cli {
namespace {

using util::ErrorKind;

class ObjectRun {
 public:
  ObjectRun(const GetRun& run, const Targets& targets)
      : m_run(run),
        m_targets(targets),
        m_printer(make_object_printer(
            run.options.format, run.out,
            {targets.single ? OutputShape::single : OutputShape::list, run.options.no_headers,
             run.options.show_managed_fields, run.options.allow_missing_keys})) {}

  util::Result<> run() {
    for (const Target& target : m_targets.list) {
      const auto printed = target.names.empty() ? collection(target) : named(target);
      if (!printed) {
        m_errors.push_back(printed.error());
        if (printed.error().kind == ErrorKind::cancelled || m_output_failed) {
          break;
        }
      }
    }
    const bool nothing = m_count == 0 && (m_targets.single || m_run.options.ignore_not_found);
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

  util::Result<> collection(const Target& target) {
    kube::ListOptions list = m_run.options.list_options();
    const bool names_only =
        m_run.options.format.kind == OutputFormat::Kind::name && !m_run.options.sorter;
    if (names_only) {
      list.form = kube::Form::metadata;
    }
    data::ListReader reader;
    KUBIST_TRY(const auto end,
               m_run.client.list_pages(
                   target.resource, target.ns, list,
                   [&](const data::PageBuffer& page) -> util::Result<> {
                     KUBIST_CHECK(reader.read(page, [&](const data::ListItem& item) {
                       return take(target.resource, item);
                     }));
                     return {};
                   },
                   m_run.stop));
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
    return each_named(m_run, calls, m_errors, [&](const data::PageBuffer& page) {
      return reader.read_object(
          page, [&](const data::ListItem& item) { return take(target.resource, item); });
    });
  }

  util::Result<> take(const kube::ApiResource& resource, const data::ListItem& item) {
    ++m_count;
    if (m_run.options.sorter) {
      KUBIST_TRY(const auto value,
                 data::parse_json(item.raw, "the object", {.keep_source = false}));
      KUBIST_TRY(auto key, m_run.options.sorter->key(value));
      m_held.push_back({std::string(item.raw), std::string(item.name), &resource,
                        !item.kind.empty(), std::move(key)});
      return {};
    }
    return print(resource, item.raw, item.name, !item.kind.empty());
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
  const Targets& m_targets;
  std::unique_ptr<ObjectPrinter> m_printer;
  std::vector<util::Error> m_errors;
  std::vector<Held> m_held;
  const kube::ApiResource* m_resource = nullptr;
  std::string m_api_version;
  std::size_t m_count = 0;
  bool m_output_failed = false;
};

}  // namespace

util::Result<> get_objects(const GetRun& run, const Targets& targets) {
  return ObjectRun(run, targets).run();
}

}  // namespace kubist::cli
