#include "object_printer.hpp"

#include <string>

#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/raw_format.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "custom_columns.hpp"

namespace kubist::cli {
namespace {

using data::Json;

/// The object's text with apiVersion and kind.
std::string_view typed_text(const PrintedObject& object, std::string& storage) {
  if (object.typed) {
    return object.raw;
  }
  const std::string_view rest = object.raw.substr(object.raw.find('{') + 1);
  storage = util::cat(R"({"apiVersion":")", object.api_version, R"(","kind":")", object.kind,
                      util::trim(rest) == "}" ? "\"" : "\",", rest);
  return storage;
}

class JsonPrinter final : public ObjectPrinter {
 public:
  JsonPrinter(Sink& out, const PrinterOptions& options)
      : m_out(out), m_shape(options.shape), m_format({!options.show_managed_fields}) {}

  util::Result<> print(const PrintedObject& object) override {
    const bool list = m_shape == OutputShape::list;
    m_text.clear();
    if (list) {
      m_text = m_any ? ",\n        " : k_begin;
    }
    m_any = true;
    data::JsonStyle style = data::k_kubectl_json;
    style.level = list ? 2 : 0;
    KUBIST_CHECK(m_format.json(typed_text(object, m_typed), m_text, style));
    if (!list) {
      m_text += '\n';
    }
    m_out.write(m_text);
    return {};
  }

  util::Result<> finish() override {
    if (m_shape == OutputShape::list) {
      m_out.write(m_any ? "\n    ],\n" : "{\n    \"apiVersion\": \"v1\",\n    \"items\": [],\n");
      m_out.write(
          "    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n"
          "    }\n}\n");
    }
    return {};
  }

 private:
  static constexpr const char* k_begin =
      "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        ";
  Sink& m_out;
  OutputShape m_shape;
  data::RawFormatter m_format;
  std::string m_text;
  std::string m_typed;
  bool m_any = false;
};

class YamlPrinter final : public ObjectPrinter {
 public:
  YamlPrinter(Sink& out, const PrinterOptions& options)
      : m_out(out), m_shape(options.shape), m_format({!options.show_managed_fields}) {}

  util::Result<> print(const PrintedObject& object) override {
    m_text.clear();
    if (m_shape == OutputShape::list) {
      m_text = m_any ? "" : "apiVersion: v1\nitems:\n";
      KUBIST_CHECK(m_format.yaml_item(typed_text(object, m_typed), 0, m_text));
    } else {
      m_text = m_any ? "---\n" : "";
      KUBIST_CHECK(m_format.yaml(typed_text(object, m_typed), m_text));
    }
    m_any = true;
    m_out.write(m_text);
    return {};
  }

  util::Result<> finish() override {
    if (m_shape == OutputShape::list) {
      m_out.write(m_any ? "" : "apiVersion: v1\nitems: []\n");
      m_out.write("kind: List\nmetadata:\n  resourceVersion: \"\"\n");
    }
    return {};
  }

 private:
  Sink& m_out;
  OutputShape m_shape;
  data::RawFormatter m_format;
  std::string m_text;
  std::string m_typed;
  bool m_any = false;
};

class NamePrinter final : public ObjectPrinter {
 public:
  explicit NamePrinter(Sink& out) : m_out(out) {}
  util::Result<> print(const PrintedObject& object) override {
    m_out.write(object_name(object.api_version, object.kind, object.name) + '\n');
    return {};
  }
  util::Result<> finish() override { return {}; }

 private:
  Sink& m_out;
};

/// Parses each object; a list is one value for the template.
class PathPrinter final : public ObjectPrinter {
 public:
  PathPrinter(const OutputFormat& format, Sink& out, const PrinterOptions& options)
      : m_out(out),
        m_path(*format.path),
        m_as_json(format.kind == OutputFormat::Kind::jsonpath_as_json),
        m_list(options.shape == OutputShape::list),
        m_missing(options.allow_missing_keys ? data::MissingKeys::allow
                                             : data::MissingKeys::error) {}

  util::Result<> print(const PrintedObject& object) override {
    KUBIST_TRY(Json value,
               data::parse_json(typed_text(object, m_typed), "the object", {.keep_source = false}));
    if (m_list) {
      m_items.push_back(std::move(value));
      return {};
    }
    return evaluate(value);
  }

  util::Result<> finish() override {
    if (!m_list) {
      return {};
    }
    Json list{{"apiVersion", "v1"}, {"kind", "List"}, {"metadata", {{"resourceVersion", ""}}}};
    list["items"] = std::move(m_items);
    return evaluate(list);
  }

 private:
  util::Result<> evaluate(const Json& value) {
    std::string text;
    if (m_as_json) {
      KUBIST_TRY(const auto found, m_path.find(value, m_missing, data::k_most_printed));
      Json values = Json::array();
      for (const Json* one : found.values()) {
        values.push_back(*one);
      }
      data::write_json(values, text, data::k_kubectl_json);
      text += '\n';
    } else {
      KUBIST_CHECK(m_path.print(value, text, m_missing));
    }
    m_out.write(text);
    return {};
  }

  Sink& m_out;
  const data::JsonPath& m_path;
  bool m_as_json;
  bool m_list;
  data::MissingKeys m_missing;
  std::string m_typed;
  Json m_items = Json::array();
};

}  // namespace

std::unique_ptr<ObjectPrinter> make_object_printer(const OutputFormat& format, Sink& out,
                                                   const PrinterOptions& options) {
  switch (format.kind) {
    case OutputFormat::Kind::json:
      return std::make_unique<JsonPrinter>(out, options);
    case OutputFormat::Kind::name:
      return std::make_unique<NamePrinter>(out);
    case OutputFormat::Kind::jsonpath:
    case OutputFormat::Kind::jsonpath_as_json:
      return std::make_unique<PathPrinter>(format, out, options);
    case OutputFormat::Kind::custom_columns:
      return std::make_unique<CustomColumnsPrinter>(format, out, options);
    default:
      return std::make_unique<YamlPrinter>(out, options);
  }
}

util::Result<> print_objects(const std::vector<Json>& objects, const OutputFormat& format,
                             Sink& out, const PrinterOptions& options) {
  const auto printer = make_object_printer(format, out, options);
  for (const Json& object : objects) {
    const resources::ObjectView view(object);
    const std::string raw = data::to_json(object);
    KUBIST_CHECK(
        printer->print({raw, view.api_version(), view.kind(), view.name(), !view.kind().empty()}));
  }
  return printer->finish();
}

std::string object_name(std::string_view api_version, std::string_view kind,
                        std::string_view name) {
  const std::string_view group = resources::group_of(api_version);
  return util::cat(util::lower(kind), group.empty() ? "" : ".", group, '/', name);
}

}  // namespace kubist::cli
