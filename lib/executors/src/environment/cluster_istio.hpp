#pragma once
#include <memory>

#include "world/work.hpp"

namespace kubist::executors {

/// The Cluster's spec.istio: looks at its Istio, installs it where the mode says so and the Project
/// grants it, and adds to the alignment what came of it: condition IstioReady and status.istio, and
/// where the mode asks for more than is there, an outcome that lets the cluster's children go on:
/// they do not need it, or wait by themselves. Gives what was seen of it. Null: the mode is Ignore,
/// where nothing is asked, or not all questions were answered. Errors: cancelled.
util::Result<std::shared_ptr<const istio::Evidence>> align_istio(const Connection& connection,
                                                                 Work& work,
                                                                 engine::Alignment& alignment);

}  // namespace kubist::executors
