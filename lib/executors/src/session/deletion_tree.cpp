#include <algorithm>

#include <kubist/apply/wait.hpp>
#include <kubist/executors/removal.hpp>
#include <kubist/util/deadline.hpp>
#include <kubist/util/text.hpp>

#include "session/deletion_parts.hpp"

namespace kubist::executors {

namespace {

using apply::ObjectResult;
using apply::Target;
using kube::DryRun;
using util::cat;

/// Without a timeout only gone is gone.
constexpr std::chrono::hours k_no_limit{24 * 365};

class TreeRemoval {
 public:
  TreeRemoval(kube::Client& home, const DeletionOptions& options, const DeletionHooks& hooks,
              const std::stop_token& stop)
      : m_home(home),
        m_options(options),
        m_hooks(hooks),
        m_dry(options.remove.dry_run != DryRun::none),
        m_deadline(options.remove.timeout, stop) {}

  util::Result<TreeDeletion> run(const std::vector<Target>& tree,
                                 const std::vector<Target>& others) {
    find_others(others);
    request(tree);
    const bool runs = m_options.wait_tree || m_dry;
    if (runs && !m_requested.empty()) {
      KUBIST_CHECK(run_engine());
    }
    if (runs && !m_dry && m_gone) {
      KUBIST_CHECK(await_finalizers());
    }
    KUBIST_CHECK(delete_others());
    return TreeDeletion{std::move(m_report), m_gone};
  }

 private:
  /// What is not there to begin with is said so now: later it may have gone with its namespace.
  void find_others(const std::vector<Target>& others) {
    if (others.empty()) {
      return;
    }
    apply::RemoveOptions look = m_options.remove;
    look.dry_run = DryRun::client;
    look.on_result = nullptr;
    for (ObjectResult& result :
         apply::remove_set(m_home, others, look, m_deadline.token()).results) {
      if (result.ok()) {
        m_others.push_back(others[result.index]);
      } else {
        take(std::move(result));
      }
    }
  }

  void take(ObjectResult result) {
    if (!result.ok()) {
      m_options.remove.on_result(result);
    }
    m_report.results.push_back(std::move(result));
  }

  void request(const std::vector<Target>& tree) {
    apply::RemoveOptions options = m_options.remove;
    options.on_result = nullptr;
    for (ObjectResult& result :
         request_removal(m_home, tree, options, m_deadline.token()).results) {
      if (result.outcome == apply::Outcome::deleted) {
        const auto target = std::find_if(tree.begin(), tree.end(), [&](const Target& one) {
          return one.resource.kind == result.ref.kind && one.ns == result.ref.ns &&
                 one.name == result.ref.name;
        });
        m_requested.push_back(
            {result.ref, {target->resource, target->ns, target->name, result.uid}});
        if (!m_options.wait_tree && !m_dry) {
          m_hooks.on_gone(result.ref);
        }
      }
      take(std::move(result));
    }
  }

  util::Result<> run_engine() {
    ReconcileOptions options = m_options.run;
    for (const Requested& requested : m_requested) {
      options.selection.push_back(requested.key);
    }
    options.ignore_missing = true;
    options.mode = engine::Mode::remove;
    options.dry_run = m_options.remove.dry_run;
    options.settle = k_no_limit;
    KUBIST_TRY(const auto session, m_hooks.open());
    KUBIST_TRY(const Run run, session->run(options, m_hooks.observer, m_deadline.token()));
    m_gone = m_hooks.on_run(run);
    if (run.report.stopped) {
      skip_others();
      return stopped(run.report.summary.nodes - run.report.summary.removed + m_others.size());
    }
    for (const Requested& requested : m_requested) {
      if (m_gone) {
        m_hooks.on_gone(requested.key);
      }
    }
    return {};
  }

  tl::unexpected<util::Error> stopped(std::size_t left) const {
    return m_deadline.cut_short(
        cat(left, left == 1 ? " object is" : " objects are", " not deleted yet"),
        "Run it again, or 'kubist reconcile': it goes on where this one ended.");
  }

  /// kubist has let go of its objects; somebody else may still hold them.
  util::Result<> await_finalizers() {
    std::vector<apply::Awaited> awaited;
    for (const Requested& requested : m_requested) {
      awaited.push_back(requested.object);
    }
    const apply::WaitOptions wait{
        .timeout = {}, .events = false, .on_progress = m_options.remove.on_progress};
    const auto left = apply::wait_gone(m_home, awaited, wait, m_deadline.token());
    for (const apply::NotReady& one : left) {
      m_hooks.log(cat("not deleted: ", resources::to_string(one.ref), ": ", one.message));
    }
    return left.empty() ? util::Result<>{} : stopped(left.size());
  }

  void skip_others() {
    for (const Target& target : m_others) {
      ObjectResult result;
      result.ref = {target.resource.group, target.resource.kind, target.ns, target.name};
      result.message = "what is left of the tree may need it";
      take(std::move(result));
    }
  }

  util::Result<> delete_others() {
    if (!m_gone) {
      skip_others();
      return {};
    }
    apply::RemoveOptions options = m_options.remove;
    options.ignore_not_found = true;
    options.wait = m_options.wait_tree && options.wait;
    options.on_result = [this](const ObjectResult& result) {
      ObjectResult told = result;
      if (result.ok()) {  // also what has gone with its namespace
        told.outcome = apply::Outcome::deleted;
      }
      m_options.remove.on_result(told);
    };
    m_report.append(apply::remove_set(m_home, m_others, options, m_deadline.token()));
    if (m_report.stopped && m_deadline.passed()) {
      return stopped(m_report.not_ready.size() + m_report.count(apply::Outcome::skipped));
    }
    return {};
  }

  struct Requested {
    engine::Key key;
    apply::Awaited object;
  };

  kube::Client& m_home;
  const DeletionOptions& m_options;
  const DeletionHooks& m_hooks;
  const bool m_dry;
  util::Deadline m_deadline;
  std::vector<Target> m_others;  ///< those that are there
  std::vector<Requested> m_requested;
  bool m_gone = true;
  apply::Report m_report;
};

}  // namespace

util::Result<TreeDeletion> delete_tree(kube::Client& home, const std::vector<Target>& tree,
                                       const std::vector<Target>& others,
                                       const DeletionOptions& options, const DeletionHooks& hooks,
                                       const std::stop_token& stop) {
  if (options.remove.propagation == kube::Propagation::orphan) {
    return util::fail(util::ErrorKind::usage, "--cascade=orphan is not for kubist's own objects",
                      "Set spec.deletionPolicy: Orphan on what is to stay.");
  }
  return TreeRemoval(home, options, hooks, stop).run(tree, others);
}

}  // namespace kubist::executors
