#include "output/document.hpp"

#include <kubist/data/json_text.hpp>
#include <kubist/data/yaml_writer.hpp>

#include "output/object_printer.hpp"

namespace kubist::cli {

Flag document_flag(std::string_view help, std::string_view initial,
                   std::vector<std::string_view> others) {
  others.insert(others.begin(),
                {"json", "yaml", "jsonpath=", "jsonpath-as-json=", "jsonpath-file="});
  return choice_flag("output", 'o', "FORMAT", help, initial, std::move(others));
}

util::Result<bool> print_document(Context& context, const data::Json& document) {
  const std::string text = context.arguments().text("output");
  if (text == "json" || text == "yaml") {
    context.out().write(text == "json" ? data::to_kubectl_json(document) : data::to_yaml(document));
    return true;
  }
  if (!text.starts_with("jsonpath")) {
    return false;
  }
  KUBIST_TRY(const OutputFormat format, parse_output_format(text));
  const auto printer = make_object_printer(format, context.out(), {.shape = OutputShape::single});
  KUBIST_CHECK(printer->print({.raw = data::to_json(document)}));
  KUBIST_CHECK(printer->finish());
  return true;
}

}  // namespace kubist::cli
