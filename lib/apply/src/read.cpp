#include <kubist/apply/read.hpp>
#include <kubist/kube/api_call.hpp>

#include "calls.hpp"

namespace kubist::apply {

using data::Json;

util::Result<std::vector<std::optional<Json>>> read_objects(kube::Client& client,
                                                            const std::vector<Lookup>& objects,
                                                            std::stop_token stop,
                                                            kube::Reservation* reservation) {
  std::vector<std::optional<Json>> found(objects.size());
  std::vector<std::size_t> tags(objects.size());
  for (std::size_t i = 0; i < tags.size(); ++i) {
    tags[i] = i;
  }
  std::optional<util::Error> problem;
  const auto take =
      [&](std::size_t tag,
          util::Result<kube::Reply> reply) -> std::optional<std::chrono::milliseconds> {
    auto object = reply ? reply->json() : util::Result<Json>(tl::unexpect, reply.error());
    if (auto room = object ? reserve(reservation, *object) : util::Result<>(); !room) {
      object = util::fail(std::move(room).error());
    }
    if (object) {
      (*object)["apiVersion"] = objects[tag].resource.api_version();
      (*object)["kind"] = objects[tag].resource.kind;
      found[tag] = *std::move(object);
    } else if (object.error().kind != util::ErrorKind::not_found && !problem) {
      problem = object.error();
    }
    return std::nullopt;
  };
  const auto unread = run_calls(
      client, tags,
      [&](std::size_t tag) {
        return kube::get(objects[tag].resource, objects[tag].ns, objects[tag].name);
      },
      take, stop);
  if (!problem && !unread.empty()) {
    problem = util::make_error(util::ErrorKind::cancelled, "stopped while objects were read");
  }
  if (problem) {
    return util::fail(*std::move(problem));
  }
  return found;
}

}  // namespace kubist::apply
