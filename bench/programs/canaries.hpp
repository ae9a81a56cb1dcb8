#pragma once
#include <cstddef>
#include <functional>
#include <string>

/// One look at `count` canaries in the middle of their rollout, but for what is asked of others:
/// policies with the state of the look before, the release's next state, and its status. `kubist`:
/// empty for the built-in default policy, else the program whose children evaluate a policy in
/// Jsonnet. What it returns is one look; it ends the program where something is wrong.
std::function<void()> look_at_canaries(std::size_t count, const std::string& kubist);

/// Ends the program with exit code 1 and the message on stderr.
[[noreturn]] void die(const std::string& message);
