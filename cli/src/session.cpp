#include "session.hpp"

#include <unistd.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

std::string identity() {
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  const std::string user = util::environment("USER");
  return util::cat(user.empty() ? std::to_string(::getuid()) : user, '@', host, '/',
                   util::random_uuid().substr(0, 8));
}

}  // namespace

util::Result<std::unique_ptr<executors::Session>> open_session(Context& context) {
  KUBIST_TRY(const auto client, context.client());
  executors::Session::Options options;
  options.identity = identity();
  options.clients = context.client_options();
  return executors::Session::open(client, options, context.stop());
}

executors::ReconcileOptions run_options(const Arguments& arguments) {
  executors::ReconcileOptions options;
  options.abandon = arguments.boolean("abandon");
  options.skip_uninstall = arguments.boolean("without-uninstall");
  options.parallelism = static_cast<std::size_t>(std::max(1LL, arguments.number("parallelism")));
  options.lock_timeout = arguments.duration("lock-timeout");
  return options;
}

Flag run_report_flag(std::string_view fallback) {
  return {"report",
          0,
          FlagKind::text,
          "FORM",
          "print the run: text, json, junit or github",
          fallback,
          Completes::choices,
          {},
          {"text", "json", "junit", "github"}};
}

}  // namespace kubist::cli
