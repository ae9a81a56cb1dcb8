#include "follow.hpp"

#include <kubist/util/text.hpp>

#include "output/live.hpp"

namespace kubist::cli {

using data::Json;
using util::cat;

util::Result<Json> follow(Context& context, kube::Client& client, const Following& what,
                          const util::Deadline& deadline) {
  std::stop_source over;
  const std::stop_callback outer(deadline.token(), [&] { over.request_stop(); });
  Live live(context.out(), context.out_is_terminal() ? terminal_columns : nullptr);
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
      live.show(what.text(last));
    }
    if (gone || (seen && what.is_over(last))) {
      over.request_stop();
    }
    return {};
  };
  KUBIST_CHECK(kube::watch(client, what.watch, handle, over.get_token()));
  const std::string& kind = what.watch.resource.kind;
  if (gone) {
    return util::fail(util::ErrorKind::not_found,
                      cat(kind, ' ', what.watch.name, " in ", what.watch.ns, " does not exist"));
  }
  if (!seen || !what.is_over(last)) {
    return deadline.cut_short(cat(kind, '/', what.watch.name, " goes on"));
  }
  return last;
}

}  // namespace kubist::cli
