#pragma once
#include <kubist/notify/post.hpp>

namespace kubist::notify {

/// A core Event about the node of one message, the same whenever it is made. Those of
/// cluster-scoped objects live in `default`, as the API asks. REQUIRES: there is such a message.
engine::Json event_of(const Batch& batch, std::size_t at);

}  // namespace kubist::notify
