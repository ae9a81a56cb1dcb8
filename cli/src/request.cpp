#include "request.hpp"

#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/deadline.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "output/progress_lines.hpp"
#include "session.hpp"

namespace kubist::cli {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

util::Result<std::string> ask(kube::Client& client, const Askable& what, const engine::Key& key,
                              const std::string& verb, const std::stop_token& stop) {
  KUBIST_CHECK(get_asked(client, what, key, stop));
  const std::string request = cat(verb, '@', util::random_uuid());
  const Json patch{
      {"metadata", {{"annotations", {{std::string(resources::k_request_annotation), request}}}}}};
  KUBIST_CHECK(kube::Writer().patch({client}, resource_of(what), key.ns, key.name,
                                    kube::PatchType::merge, patch));
  return request;
}

}  // namespace

util::Result<int> run_request(Context& context, const Arguments& arguments, const Askable& what,
                              const std::string& verb) {
  KUBIST_TRY(const std::string ns, context.ns());
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const auto session, open_session(context));
  const util::Deadline deadline(arguments.duration("timeout"), context.stop());
  const bool wait = arguments.boolean("wait");
  int code = k_ok;
  for (const std::string& word : arguments.words()) {
    const engine::Key key = asked_key(what, ns, word);
    KUBIST_TRY(const std::string request, ask(*client, what, key, verb, deadline.token()));
    executors::ReconcileOptions options;
    options.selection = {key};
    options.lock_timeout = arguments.duration("lock-timeout");
    options.own_rights = arguments.boolean("own-rights");
    options.beside = options.own_rights ? executors::Beside::wait : executors::Beside::hand_over;
    options.settle = wait ? std::chrono::hours(24 * 365) : std::chrono::milliseconds(0);
    ProgressLines observer(context.log());
    KUBIST_TRY(const auto run, session->run(options, observer, deadline.token()));
    warn(context, run);
    KUBIST_TRY(const Json object, get_asked(*client, what, key, context.stop()));
    const Json* handled = data::find_path(object, {"status", "handledRequest"});
    const bool answered = handled && data::string_at(*handled, {"request"}) == request;
    if (answered && data::string_at(*handled, {"outcome"}) == "Refused") {
      return util::fail(
          ErrorKind::invalid,
          cat(verb, " of ", what.kind, '/', key.name, ": ", data::string_at(*handled, {"message"})),
          cat("See 'kubist ", what.command, " status ", key.name, " -n ", ns, "'."));
    }
    context.out().write(cat(what.line(object), '\n'));
    if (!answered || (wait && deadline.passed())) {
      return deadline.cut_short(cat(what.kind, '/', key.name, " goes on"),
                                "A kubist that watches sees to it; or run the command again.");
    }
    code = wait ? std::max(code, what.exit_code(object)) : code;
  }
  return code;
}

CommandSpec request_command(const Askable& what, std::string_view path, std::string_view summary,
                            std::string_view details, Example example) {
  const std::string verb(path.substr(path.find(' ') + 1));
  return {.path = path,
          .group = "Releases and traffic",
          .summary = summary,
          .details = details,
          .arguments = "NAME...",
          .min_words = 1,
          .max_words = -1,
          .completes = what.completes,
          .flags = {{"wait", 0, FlagKind::boolean, "",
                     "go on until it has ended; exit code 4 where a release was rolled back"},
                    {"timeout", 0, FlagKind::duration, "DURATION",
                     "end after this long with exit code 3; 0 means no limit", "0s"},
                    {"lock-timeout", 0, FlagKind::duration, "DURATION",
                     "wait this long for another kubist on the same project", "20s"},
                    own_rights_flag()},
          .examples = {example},
          .run = [&what, verb](Context& context, const Arguments& arguments) {
            return run_request(context, arguments, what, verb);
          }};
}

}  // namespace kubist::cli
