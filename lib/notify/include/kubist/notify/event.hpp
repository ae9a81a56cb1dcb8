#pragma once
#include <kubist/notify/post.hpp>

namespace kubist::notify {

/// The annotation of Events with the id of the run that made them.
inline constexpr std::string_view k_run_annotation = "kubist.io/run";

/// A core Event about the node of one message, the same whenever it is made. Those of
/// cluster-scoped objects live in `default`, as the API asks. REQUIRES: there is such a message.
engine::Json event_of(const Batch& batch, std::size_t at);

}  // namespace kubist::notify
