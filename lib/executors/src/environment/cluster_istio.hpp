#pragma once
#include "world/work.hpp"

namespace kubist::executors {

/// The Cluster's spec.istio: looks at its Istio, installs it where the mode says so and the Project
/// grants it, and adds to the alignment what came of it: condition IstioReady and status.istio, and
/// where the mode asks for more than is there, an outcome that lets the cluster's children go on:
/// they do not need it, or wait by themselves. Nothing is asked where the mode is Ignore. Errors:
/// cancelled.
util::Result<> align_istio(const Connection& connection, Work& work, engine::Alignment& alignment);

}  // namespace kubist::executors
