#pragma once
#include <kubist/engine/node.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::engine {

/// Calls `read`, which reads a part of the node. What it throws makes that node unreadable: no
/// object ends the run of the others.
template <class Read>
void read_part(Node& node, Read&& read) {
  if (const auto done = util::guarded(read); !done) {
    node.make_unreadable(util::with_reason(
        util::with_context(done.error(), util::cat(to_string(node), " cannot be read")),
        "Unreadable"));
  }
}

}  // namespace kubist::engine
