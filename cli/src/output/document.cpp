#include "output/document.hpp"

#include <kubist/data/json_text.hpp>
#include <kubist/data/yaml_writer.hpp>

namespace kubist::cli {

Flag document_flag(std::string_view help, std::string_view initial,
                   std::vector<std::string_view> others) {
  others.insert(others.begin(), {"json", "yaml"});
  return {"output",           'o', FlagKind::text,   "FORMAT", help, initial,
          Completes::choices, {},  std::move(others)};
}

bool print_document(Context& context, const data::Json& document) {
  const std::string format = context.arguments().text("output");
  if (format != "json" && format != "yaml") {
    return false;
  }
  context.out().write(format == "json" ? data::to_kubectl_json(document) : data::to_yaml(document));
  return true;
}

}  // namespace kubist::cli
