#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include <kubist/kube/client.hpp>
#include <kubist/kube/room.hpp>

namespace kubist::apply {

/// Takes room for a live object that is kept, where that is counted (null: it is not).
inline util::Result<> reserve(kube::Reservation* reservation, const data::Json& live) {
  return reservation != nullptr ? reservation->take(live) : util::Result<>();
}

/// How to send one of many calls; called when its turn comes, so that bodies do not pile up.
using MakeCall = std::function<kube::ApiCall(std::size_t tag)>;
/// Takes one outcome on the caller's thread; a value sends the call again after that delay.
using TakeReply = std::function<std::optional<std::chrono::milliseconds>(
    std::size_t tag, util::Result<kube::Reply> reply)>;

/// Sends a call for each tag, in order, many at once (the client's governor decides how many), and
/// returns when all are answered. On stop nothing further is sent: reads in flight are
/// cancelled, writes are too after 15 s. The tags that were not sent, or were to be sent again, are
/// returned.
std::vector<std::size_t> run_calls(kube::Client& client, const std::vector<std::size_t>& tags,
                                   const MakeCall& make, const TakeReply& take,
                                   const std::stop_token& stop);

}  // namespace kubist::apply
