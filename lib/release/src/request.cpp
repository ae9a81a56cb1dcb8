#include <kubist/data/pointer.hpp>
#include <kubist/release/request.hpp>
#include <kubist/util/text.hpp>

namespace kubist::release {

std::string pending_request(const engine::Node& release) {
  std::string request = release.annotation(resources::k_request_annotation);
  return request == data::string_at(release.status(), {"handledRequest", "request"}) ? std::string()
                                                                                     : request;
}

std::string_view verb_of(std::string_view request) { return request.substr(0, request.find('@')); }

engine::HandledRequest answered(const std::string& request, bool done, const std::string& message,
                                std::string_view what) {
  return done ? engine::HandledRequest{request, "Done", message}
              : engine::HandledRequest{request, "Refused", util::cat("means nothing while ", what)};
}

}  // namespace kubist::release
