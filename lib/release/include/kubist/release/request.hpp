#pragma once
#include <string>
#include <string_view>

#include <kubist/engine/executor.hpp>

namespace kubist::release {

/// Annotation kubist.io/request of a release or an experiment ("VERB@ID") where nobody has answered
/// it; else empty.
std::string pending_request(const engine::Node& release);
/// Its VERB.
std::string_view verb_of(std::string_view request);

/// The answer to it: done, with what came of it, or refused, for what it meets means nothing to it.
/// `what` is "the release is Paused".
engine::HandledRequest answered(const std::string& request, bool done, const std::string& message,
                                std::string_view what);

}  // namespace kubist::release
