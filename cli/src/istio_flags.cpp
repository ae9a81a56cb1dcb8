#include "istio_flags.hpp"

#include <kubist/util/text.hpp>

#include "error_text.hpp"

namespace kubist::cli {

using util::cat;

Flag supported_flag() {
  return {"supported",
          0,
          FlagKind::text,
          "FILE",
          "releases that are supported, as YAML or JSON, where the built-in table is out of date",
          "",
          Completes::files};
}

util::Result<istio::SupportTable> support_of(const Arguments& arguments) {
  const std::string file = arguments.text("supported");
  return file.empty() ? istio::built_in_support() : istio::read_support(file);
}

std::function<void(const apply::ObjectResult& result)> result_lines(Context& context,
                                                                    kube::DryRun dry_run) {
  return [&context, suffix = dry_run_suffix(dry_run)](const apply::ObjectResult& result) {
    const std::string why = result.outcome == apply::Outcome::kept
                                ? cat(" (", util::printable(result.message), ')')
                                : "";
    const std::string name =
        cat(util::printable(util::lower(result.ref.kind)), '/', util::printable(result.ref.name));
    context.out().write(cat(name, ' ', apply::to_string(result.outcome), why, suffix, '\n'));
    context.out().flush();
    if (result.error) {
      util::Error error = *result.error;
      error.pos = {};
      context.log().line(error_text(error, cat(name, ": ")));
    }
  };
}

}  // namespace kubist::cli
