#include <kubist/notify/event.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::notify {

using data::Json;
using util::cat;

Json event_of(const Batch& batch, std::size_t at) {
  const Message& message = batch.messages[at];
  const std::string ns = message.node.ns.empty() ? "default" : message.node.ns;
  const std::string now = util::format_time(batch.time);
  const bool bad = message.level >= Level::warning;
  return {{"apiVersion", "v1"},
          {"kind", "Event"},
          {"metadata",
           {{"name", cat(message.node.name.substr(0, 200), '.',
                         util::sha256_hex(cat(batch.id, at)).substr(0, 16))},
            {"namespace", ns},
            {"annotations", {{std::string(k_run_annotation), batch.run}}}}},
          {"involvedObject",
           {{"apiVersion", cat(message.node.group, "/v1alpha1")},
            {"kind", message.node.kind},
            {"namespace", message.node.ns},
            {"name", message.node.name},
            {"uid", message.uid}}},
          {"type", bad ? "Warning" : "Normal"},
          {"reason", message.reason},
          {"message", message.text.substr(0, 1024)},
          {"source", {{"component", "kubist"}}},
          {"reportingComponent", "kubist"},
          {"firstTimestamp", now},
          {"lastTimestamp", now},
          {"count", 1}};
}

}  // namespace kubist::notify
