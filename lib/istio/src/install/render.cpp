#include <kubist/istio/bundle.hpp>
#include <kubist/istio/render.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/text.hpp>

#include "install/render_job.hpp"

namespace kubist::istio {

using data::Json;
using resources::ObjectView;
using util::cat;
using util::ErrorKind;

namespace {

constexpr std::chrono::milliseconds k_render_interval{300};

/// One Job, from its creation to its deletion.
class RenderRun {
 public:
  RenderRun(kube::Client& client, const Rendering& rendering, const std::stop_token& stop)
      : m_client(client), m_rendering(rendering), m_stop(stop) {}

  /// Deletes the Job, whatever came of it.
  ~RenderRun() {
    if (!m_uid.empty()) {
      if (const auto deleted = m_rendering.writer.remove({m_client}, kube::well_known::jobs(),
                                                         m_rendering.ns, m_name, m_uid);
          !deleted) {
        tell(cat("Job ", m_rendering.ns, '/', m_name,
                 " cannot be deleted and goes by itself: ", deleted.error().message));
      }
    }
  }
  RenderRun(const RenderRun&) = delete;
  RenderRun& operator=(const RenderRun&) = delete;

  /// What it printed, as far as its log has it.
  util::Result<std::string> run() {
    if (m_rendering.writer.dry()) {
      return util::fail(ErrorKind::invalid,
                        cat("a dry run makes no Job that renders ", source_name(m_rendering)),
                        "Run it without the dry run, or name manifests that are rendered already.");
    }
    KUBIST_TRY(const Json job, m_rendering.writer.create({m_client}, kube::well_known::jobs(),
                                                         render_job(m_rendering)));
    m_name = ObjectView(job).name();
    m_uid = ObjectView(job).uid();
    tell(cat("Job ", m_rendering.ns, '/', m_name, " renders ", source_name(m_rendering)));
    KUBIST_TRY(const std::string pod, await_pod());
    return settled_log(pod);
  }

 private:
  /// The name of the pod, once its program has ended well.
  util::Result<std::string> await_pod() {
    const auto end = util::system_clock().monotonic() + m_rendering.timeout;
    std::string seen;
    for (;;) {
      KUBIST_TRY(const std::optional<Json> pod, find_pod());
      std::string waits_for = "no pod was made for it";
      if (pod) {
        seen = ObjectView(*pod).name();
        const RenderPod state = read_render_pod(*pod);
        if (state.state == RenderPod::State::succeeded) {
          return seen;
        }
        if (state.state == RenderPod::State::failed) {
          return util::fail(failure(seen, state));
        }
        waits_for = state.reason;
      } else if (!seen.empty()) {
        return fail(ErrorKind::unavailable, cat("pod ", seen, " was deleted"), "Run it again.");
      } else {
        KUBIST_CHECK(check_creation());
      }
      if (waits_for != m_told) {
        tell(m_told = waits_for);
      }
      if (util::system_clock().monotonic() > end) {
        return fail(ErrorKind::timeout,
                    cat("Job ", m_rendering.ns, '/', m_name, " did not finish within ",
                        m_rendering.timeout.count(), " s: ", waits_for),
                    "Can the image be pulled, and is there a node for its pod?");
      }
      if (!util::sleep_for(k_render_interval, m_stop)) {
        return fail(ErrorKind::cancelled, "stopped", "");
      }
    }
  }

  util::Result<std::optional<Json>> find_pod() {
    kube::ListOptions options;
    options.label_selector = cat("job-name=", m_name);
    KUBIST_TRY(auto pods, m_client.list(kube::well_known::pods(), m_rendering.ns, options, m_stop));
    return pods.items.empty() ? std::nullopt : std::optional<Json>(std::move(pods.items.front()));
  }

  /// A quota or an admission refuses pods: only the Job's events say so.
  util::Result<> check_creation() {
    kube::ListOptions options;
    options.field_selector = cat("involvedObject.uid=", m_uid, ",reason=FailedCreate");
    const auto events = m_client.list(kube::well_known::events(), m_rendering.ns, options, m_stop);
    if (!events || events->items.empty()) {
      return {};
    }
    return fail(ErrorKind::denied, events->items.back().value("message", "its pod was refused"),
                "Choose another namespace for it.");
  }

  util::Error failure(const std::string& pod, const RenderPod& state) {
    std::string lines;
    if (state.exited) {
      kube::LogOptions options;
      options.tail_lines = 20;
      kube::ApiCall call = kube::pod_log(m_rendering.ns, pod, options);
      call.max_body = k_max_bundle_bytes;
      const auto log = m_client.run(call, m_stop);
      lines = log ? last_lines(log->body) : "";
    }
    return problem(state.exited ? ErrorKind::invalid : ErrorKind::unavailable,
                   cat(state.reason, lines.empty() ? "" : cat(":\n", lines)),
                   state.exited ? "Are the arguments those of the image's program?"
                                : "Is the image's name right, and may the nodes pull it?");
  }

  /// What a container printed last may reach its log after its end. It need not be whole.
  util::Result<std::string> settled_log(const std::string& pod) {
    constexpr int k_most_readings = 100;  // a busy node takes its time
    constexpr int k_still = 10;           // readings after which nothing comes any more
    kube::LogOptions options;
    options.container = k_render_container;
    options.limit_bytes = static_cast<std::int64_t>(k_max_bundle_bytes) + 1;
    kube::ApiCall call = kube::pod_log(m_rendering.ns, pod, options);
    call.max_body = 2 * k_max_bundle_bytes;
    std::optional<std::string> before;
    int same = 0;
    for (int reading = 0; reading < k_most_readings; ++reading) {
      KUBIST_TRY(kube::Reply log, m_client.run(call, m_stop));
      same = log.body == before ? same + 1 : 0;
      if (same == k_still || (same > 0 && check_whole(log.body, m_rendering))) {
        return std::move(log.body);
      }
      before = std::move(log.body);
      if (!util::sleep_for(k_render_interval, m_stop)) {
        return fail(ErrorKind::cancelled, "stopped", "");
      }
    }
    return fail(ErrorKind::unavailable, cat("the log of pod ", pod, " was never the same twice"),
                "Run it again.");
  }

  void tell(std::string_view text) const {
    if (m_rendering.on_progress) {
      m_rendering.on_progress(cat("rendering: ", text));
    }
  }

  util::Error problem(ErrorKind kind, std::string_view why, std::string hint) const {
    return util::make_error(kind,
                            cat("Job ", m_rendering.ns, '/', m_name, ", which renders ",
                                source_name(m_rendering), ": ", why),
                            std::move(hint));
  }
  tl::unexpected<util::Error> fail(ErrorKind kind, std::string_view why, std::string hint) const {
    return util::fail(problem(kind, why, std::move(hint)));
  }

  kube::Client& m_client;
  const Rendering& m_rendering;
  const std::stop_token& m_stop;
  std::string m_name, m_uid, m_told;
};

}  // namespace

util::Result<std::string> render(kube::Client& client, const Rendering& rendering,
                                 const std::stop_token& stop) {
  // Where a node is busy its runtime drops what a program printed last: the shim of containerd
  // waits 2 s for it.
  constexpr int k_tries = 3;
  for (int tries = 1;; ++tries) {
    KUBIST_TRY(std::string log, RenderRun(client, rendering, stop).run());
    const auto whole = check_whole(log, rendering);
    if (whole) {
      return log;
    }
    if (tries == k_tries) {
      return util::fail(whole.error());
    }
    if (rendering.on_progress) {
      rendering.on_progress(cat("rendering again: ", whole.error().message));
    }
  }
}

}  // namespace kubist::istio
