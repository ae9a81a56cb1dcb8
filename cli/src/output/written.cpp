#include "written.hpp"

#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "../dry_run.hpp"
#include "document.hpp"
#include "object_printer.hpp"

namespace kubist::cli {

Flag written_flag() {
  return document_flag("print the objects: name, json, yaml or jsonpath=TEMPLATE", "", {"name"});
}

util::Result<> print_written(Context& context, const data::Json& object, std::string_view operation,
                             kube::DryRun dry_run) {
  const resources::ObjectView view(object);
  const std::string output = context.arguments().text("output");
  if (output.empty()) {
    context.out().write(util::cat(object_name(view.api_version(), view.kind(), view.name()), ' ',
                                  operation, dry_run_suffix(dry_run), '\n'));
  } else {
    KUBIST_TRY(const OutputFormat format, parse_output_format(output));
    KUBIST_CHECK(print_objects({object}, format, context.out(), {.shape = OutputShape::single}));
  }
  context.out().flush();
  return {};
}

}  // namespace kubist::cli
