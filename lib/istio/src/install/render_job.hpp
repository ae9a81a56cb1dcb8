#pragma once
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/istio/render.hpp>

// The pure part of render().
namespace kubist::istio {

inline constexpr std::string_view k_render_container = "render";

/// The Job, without a name of its own yet.
data::Json render_job(const Rendering& rendering);

/// How its pod stands.
struct RenderPod {
  enum class State { running, succeeded, failed };
  State state = State::running;
  std::string reason;   ///< why it waits, or how it failed, for people
  bool exited = false;  ///< failed by the program itself: its last lines say why
};
RenderPod read_render_pod(const data::Json& pod);

/// The last lines of a log, for an error.
std::string last_lines(std::string_view log);

/// Is that the whole of what a program printed? Pod logs are cut and rotated between lines or
/// within one. Invalid: nothing, no end of the last line, a first line that continues another.
util::Result<> check_whole(std::string_view log, const Rendering& rendering);

}  // namespace kubist::istio
