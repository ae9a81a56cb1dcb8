#include <kubist/data/pointer.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "reference/pages.hpp"
#include "reference/schema_lines.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;

/// As Sphinx and GitHub name a heading: "spec.metrics.prometheus" -> "spec-metrics-prometheus".
std::string anchor(const std::string& path) {
  return util::replace_all(util::lower(path), ".", "");
}

std::string rule_lines(const Json& schema) {
  std::string text;
  for (const Json& rule : data::array_at(schema, {"x-kubernetes-validations"})) {
    if (const auto message = data::string_at(rule, {"message"}); !message.empty()) {
      text += md_paragraph("- ", cat(md_text(message), message.ends_with('.') ? "" : "."), 2);
    }
  }
  return text.empty() ? "" : cat("\nRules:\n\n", text);
}

/// The section of an object's fields, and those of the objects below it.
void add_section(const std::string& path, const Json& field, std::string& text) {
  const Json& schema = *fields_below(field);
  text +=
      cat("\n## ", path, "\n\n", md_paragraph("", md_text(data::string_at(field, {"description"}))),
          '\n', field_lines(schema, [&](const std::string& name) {
            return cat('#', anchor(cat(path, '.', name)));
          }));
  text += rule_lines(field);
  for (const auto& [name, below] : data::object_at(schema, {"properties"}).items()) {
    if (fields_below(below) != nullptr) {
      add_section(cat(path, '.', name), below, text);
    }
  }
}

std::string columns_text(const Json& crd) {
  std::vector<std::string> columns;
  for (const Json& column :
       data::array_at(crd["spec"]["versions"][0], {"additionalPrinterColumns"})) {
    columns.push_back(std::string(data::string_at(column, {"name"})));
  }
  return util::join(columns, ", ");
}

constexpr std::string_view k_schema_source = "lib/resources/crds";

Page kind_page(const resources::Kind& kind) {
  const Json& crd = *resources::crd(kind.group, kind.name);
  const Json& schema = *resources::schema(kind.group, kind.name);
  std::string text = md_head(kind.name, k_schema_source);
  text += cat('\n', md_paragraph("", md_text(data::string_at(schema, {"description"}))), '\n');
  text += cat("- API version: ", md_code(resources::api_version(kind)),
              "\n- Names: ", md_code(kind.plural), ", ", md_code(kind.short_name));
  for (const std::string_view word : kind.words) {
    text += word.empty() ? "" : cat(", ", md_code(word));
  }
  text += cat("\n- Scope: ", kind.namespaced ? "in a namespace" : "the cluster", '\n');
  text += kind.parent.empty() ? "" : cat("- Above it in the tree: ", kind.parent, '\n');
  text += cat("- Columns of `kubist get`: ", columns_text(crd), '\n', rule_lines(schema));
  for (const char* part : {"spec", "status"}) {
    if (const Json* field = data::find_path(schema, {"properties", part});
        field != nullptr && fields_below(*field) != nullptr) {
      add_section(part, *field, text);
    }
  }
  return {cat("kinds/", util::lower(kind.name), ".md"), text};
}

}  // namespace

std::vector<Page> kind_pages() {
  std::vector<Page> pages;
  std::vector<std::string> entries;
  std::string index = md_head("Kinds", k_schema_source);
  index +=
      "\nThe kinds that `kubist init` installs. `kubist explain KIND` prints the same as these "
      "pages.\n\n";
  for (const resources::Kind& kind : resources::kinds()) {
    pages.push_back(kind_page(kind));
    entries.push_back(util::lower(kind.name));
    index += md_paragraph(
        "- ",
        cat('[', kind.name, "](", entries.back(), ".md): ",
            md_text(data::string_at(*resources::schema(kind.group, kind.name), {"description"}))),
        2);
  }
  pages.push_back(md_index("kinds", index, entries));
  return pages;
}

}  // namespace kubist::cli
