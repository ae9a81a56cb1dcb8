#include "askable_status.hpp"

#include <kubist/kube/watch.hpp>
#include <kubist/util/deadline.hpp>
#include <kubist/util/text.hpp>

#include "output/document.hpp"
#include "output/live.hpp"

namespace kubist::cli {

using data::Json;
using util::cat;

namespace {

/// Shows each change until it is over; then as it is. Not_found: it does not exist, or no more. Cut
/// short by the deadline: timeout or cancelled.
util::Result<Json> follow(Context& context, const Arguments& arguments, const Askable& what,
                          const StatusView& view) {
  const util::Deadline deadline(arguments.duration("timeout"), context.stop());
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  const engine::Key key = asked_key(what, ns, arguments.words().front());
  std::stop_source over;
  const std::stop_callback outer(deadline.token(), [&] { over.request_stop(); });
  Live live(context.out(), context.out_redraws() ? terminal_columns : nullptr);
  Json last = Json::object();
  bool gone = false;
  bool seen = false;
  const auto handle = [&](const kube::WatchEvent& event) -> util::Result<> {
    if (event.type == kube::WatchEventType::relisted) {
      gone = !seen;
    }
    gone = gone || event.type == kube::WatchEventType::deleted;
    if (!gone && event.type != kube::WatchEventType::bookmark && !event.object.empty()) {
      seen = true;
      KUBIST_TRY(last, event.json());
      live.show(view.lines(last));
    }
    if (gone || (seen && what.is_over(last))) {
      over.request_stop();
    }
    return {};
  };
  kube::WatchOptions watch;
  watch.resource = resource_of(what);
  watch.ns = ns;
  watch.name = key.name;
  KUBIST_CHECK(kube::watch(*client, watch, handle, over.get_token()));
  if (gone) {
    return util::fail(util::ErrorKind::not_found,
                      cat(what.kind, ' ', key.name, " in ", ns, " does not exist"));
  }
  if (!seen || !what.is_over(last)) {
    return deadline.cut_short(cat(what.kind, '/', key.name, " goes on"));
  }
  return last;
}

util::Result<int> run_status(Context& context, const Arguments& arguments, const Askable& what,
                             const StatusView& view) {
  if (arguments.boolean("watch")) {
    if (arguments.given("output")) {
      return util::fail(util::ErrorKind::usage,
                        cat("--watch shows ", view.watched, ": leave --output out"));
    }
    KUBIST_TRY(const Json last, follow(context, arguments, what, view));
    return what.exit_code(last);
  }
  KUBIST_TRY(const Json found, get_asked(context, arguments, what));
  KUBIST_TRY(const bool printed, print_document(context, view.json(found)));
  if (!printed) {
    context.out().write(view.lines(found));
  }
  return what.exit_code(found);
}

}  // namespace

CommandSpec status_command(const Askable& what, const StatusView& view, std::string_view path,
                           std::string_view summary, std::string_view details,
                           std::vector<Example> examples) {
  return {.path = path,
          .group = "Releases and traffic",
          .summary = summary,
          .details = details,
          .arguments = "NAME",
          .min_words = 1,
          .max_words = 1,
          .completes = what.completes,
          .flags = {document_flag(),
                    {"watch", 'w', FlagKind::boolean, "", "show each change until it has ended"},
                    {"timeout", 0, FlagKind::duration, "DURATION",
                     "with -w: end after this long with exit code 3; 0 means no limit", "0s"}},
          .examples = std::move(examples),
          .run = [&what, view](Context& context, const Arguments& arguments) {
            return run_status(context, arguments, what, view);
          }};
}

}  // namespace kubist::cli
