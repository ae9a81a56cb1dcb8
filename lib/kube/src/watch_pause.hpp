#pragma once
#include <chrono>

#include <kubist/util/error.hpp>

namespace kubist::kube {

/// Will trying again help? What the server says about the request itself stays as it is.
bool may_pass(const util::Error& error);

/// How long a watch waits before it asks again, having asked so often without success; `unit` is in
/// [0, 1). A right or a kind may be given back at any time, and a refusal costs next to nothing:
/// such a watch asks every 8 s at least, one whose server does not answer every 20 s.
std::chrono::milliseconds watch_pause(const util::Error& error, int failures, double unit);

}  // namespace kubist::kube
