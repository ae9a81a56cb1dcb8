#include <kubist/data/pointer.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/kube/namespaces.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "item/failure.hpp"
#include "item/job.hpp"
#include "item/session.hpp"
#include "item/watcher.hpp"
#include "manifest/manifest_drift.hpp"
#include "run/home.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

/// The end of one item that is being deleted. One thread; resumes what another kubist began.
class ItemRemoval {
 public:
  ItemRemoval(World& world, Session& session, Item item, const Deployer& deployer,
              const RemoveItemOptions& options)
      : m_world(world),
        m_session(session),
        m_item(std::move(item)),
        m_deployer(deployer),
        m_options(options),
        m_ran(!session.status().value("providerStatus", Json::object()).empty()) {}

  util::Result<ItemOutcome> run() {
    auto place = find_place(m_world, m_item);
    if (!place && !stopped() && (unwanted() || m_options.abandon)) {
      leave("what it keeps at its target", place.error().message);
      return let_go(false, "Abandoned");
    }
    KUBIST_CHECK(take_up(place));
    if (!place) {
      return fail(failure_of(place.error(), "Prepare"));
    }
    m_job.remove = true;
    m_job.place = *std::move(place);
    fill_job(m_session, m_world, m_job);
    const bool needed = removal_of(m_item, m_deployer, m_options).needed && !skip_in_terminating();
    if (needed) {
      KUBIST_TRY(auto unfinished, uninstall());
      if (unfinished) {
        return *std::move(unfinished);
      }
    }
    KUBIST_TRY(auto unfinished, clean_up());
    return unfinished ? *std::move(unfinished) : let_go(needed, "Removed");
  }

 private:
  /// Nobody wants anything undone, or there was never a run to undo.
  bool unwanted() const { return skipped() || !m_ran; }
  bool skipped() const { return m_options.skip_uninstall || m_item.without_uninstall; }

  /// An error after a stop may be the stop's own: nothing is let go for it.
  bool stopped() const { return m_world.stop.stop_requested(); }

  bool skip_in_terminating() {
    if (!m_deployer.runs_pods()) {
      return false;
    }
    const Place& place =
        m_job.place;  // whose client at home may be a project's: it has no namespaces
    const auto& there = place.cluster.empty() ? m_world.home : place.client;
    for (const auto& [client, ns] :
         {std::pair(m_world.home, m_item.ns), std::pair(there, place.ns)}) {
      if (kube::takes_no_objects(*client, ns, m_world.stop)) {
        m_note = cat("its run at deletion was skipped: namespace ", ns, " is being deleted");
        return true;
      }
    }
    return false;
  }

  void leave(std::string_view what, std::string_view why) {
    if (m_ran) {
      m_left_behind.push_back(cat("DeployItem ", m_item.ns, '/', m_item.name, ": ", what));
      m_note = cat(what, " was left behind: ", why);
    }
  }

  util::Result<> take_up(const util::Result<Place>& place) {
    const Json before = m_session.status();
    const bool resume = is_taken_up(before) &&
                        data::string_at(before, {"phase"}).find("Delet") != std::string_view::npos;
    if (resume) {
      return {};
    }
    Json caught = Json::object();
    if (place && job_pending(before) && !skipped()) {
      auto told = m_deployer.catch_up(m_world, m_item, *place);
      if (!told && !m_options.abandon) {
        return util::fail(told.error());
      }
      caught = told ? *std::move(told) : caught;
    }
    const std::string id = util::random_uuid();
    KUBIST_CHECK(m_session.write_status([&](Json status) {
      status = taken_up(triggered(std::move(status), id, m_world.clock->now()), m_item.generation,
                        true, m_world.clock->now());
      if (!caught.empty()) {
        status["providerStatus"].update(caught);
      }
      return status;
    }));
    KUBIST_TRY(m_item, m_session.item());
    return {};
  }

  /// The job that the deployer needs. An outcome where the item's removal ends here for now.
  util::Result<std::optional<ItemOutcome>> uninstall() {
    Progress end;
    if (auto imports =
            m_deployer.runs_pods() ? read_imports(m_world, m_item) : util::Result<Json>(Json())) {
      m_job.imports = *std::move(imports);
      KUBIST_TRY(end, drive(m_world, m_session, m_deployer, m_job, m_options.wait));
    } else {
      end = failure_of(imports.error(), "Prepare");
    }
    if (is_over(m_session.status(), m_job.id)) {
      return as_it_stands(m_session, true);
    }
    if (end.state == Progress::State::running) {
      return outcome_of(m_session, end.state, true, end.reason, end.message);
    }
    if (end.log) {
      KUBIST_CHECK(keep_log(m_world, m_item, m_job.id, *end.log));
    }
    if (end.state == Progress::State::failed) {
      static_cast<void>(m_deployer.stop(m_world, m_item, m_job));
      if (!m_options.abandon || stopped()) {
        return fail(std::move(end));
      }
      leave("what its run at deletion should have removed", end.message);
    }
    return std::nullopt;
  }

  /// Pods, accounts and Secrets of the item at its place.
  util::Result<std::optional<ItemOutcome>> clean_up() {
    Watcher watcher(m_world.stop);
    while (true) {
      const auto cleaned = m_deployer.clean_up(m_world, m_item, m_job);
      if (!cleaned && m_options.abandon && !stopped()) {
        leave("its pods, accounts and Secrets at its target", cleaned.error().message);
        return std::nullopt;
      }
      if (!cleaned) {
        return util::fail(cleaned.error());
      }
      if (cleaned->state == Progress::State::done) {
        return std::nullopt;
      }
      if (!m_options.wait || stopped()) {
        return outcome_of(m_session, Progress::State::running, true, "CleanUp", cleaned->message);
      }
      if (m_world.progress) {
        m_world.progress(cleaned->message);
      }
      watcher.set(cleaned->watch);
      KUBIST_CHECK(watcher.wait({}));
    }
  }

  util::Result<ItemOutcome> fail(Progress failure) {
    failure.message += "; --without-uninstall deletes it and undoes nothing";
    KUBIST_CHECK(m_session.write_status([&](Json status) {
      return finished(std::move(status), true, failure, "", {}, m_world.clock->now());
    }));
    return outcome_of(m_session, Progress::State::failed, true, failure.reason, failure.message);
  }

  util::Result<ItemOutcome> let_go(bool ran, std::string reason) {
    KUBIST_CHECK(m_session.drop_finalizer());
    tell_gone(m_world, m_item);
    ItemOutcome outcome =
        outcome_of(m_session, Progress::State::done, ran, std::move(reason), m_note);
    outcome.left_behind = std::move(m_left_behind);
    return outcome;
  }

  World& m_world;
  Session& m_session;
  Item m_item;
  const Deployer& m_deployer;
  const RemoveItemOptions& m_options;
  bool m_ran;
  Job m_job;
  std::string m_note;  ///< what people should know of an item that has gone
  std::vector<std::string> m_left_behind;
};

}  // namespace

Uninstall removal_of(const Item& item, const Deployer& deployer, const RemoveItemOptions& options) {
  if (options.skip_uninstall || item.without_uninstall) {
    return {false, cat("runs nothing: ", options.skip_uninstall ? "--without-uninstall"
                                                                : "an annotation of it says so")};
  }
  const Json* ran = data::find_path(item.object, {"status", "providerStatus"});
  if (ran == nullptr || ran->empty()) {
    return {false, "runs nothing: it has never run"};
  }
  return deployer.uninstall(item);
}

std::string removal_text(const Json& deploy_item, const Settings& settings,
                         const RemoveItemOptions& options) {
  const auto item = parse_item(deploy_item);
  const Deployer* deployer = item ? find_deployer(item->type, settings) : nullptr;
  return cat("DeployItem ", data::string_at(deploy_item, {"metadata", "name"}), ' ',
             deployer == nullptr ? "runs nothing: its type is not one of kubist's"
                                 : removal_of(*item, *deployer, options).what);
}

util::Result<> request_item_deletion(World& world, const std::string& ns, const std::string& name,
                                     const std::string& uid) {
  KUBIST_TRY(const auto live, world.home->find(deploy_items(), ns, name, world.stop));
  if (live && data::string_at(*live, {"metadata", "deletionTimestamp"}).empty()) {
    KUBIST_CHECK(world.writer.remove({*world.home}, deploy_items(), ns, name, uid));
  }
  return {};
}

util::Result<ItemOutcome> remove_item(World& world, const std::string& ns, const std::string& name,
                                      const RemoveItemOptions& options) {
  auto opened = Session::open(world, ns, name);
  if (!opened && opened.error().kind == util::ErrorKind::not_found) {
    return ItemOutcome{};
  }
  KUBIST_TRY(Session session, std::move(opened));
  const auto item = session.item();
  const Deployer* deployer = item ? find_deployer(item->type, world.settings) : nullptr;
  if (deployer == nullptr) {
    // Foreign, or never runnable: nothing of ours is anywhere.
    KUBIST_CHECK(session.drop_finalizer());
    return outcome_of(session, Progress::State::done, false, "Removed", "");
  }
  auto removed = ItemRemoval(world, session, *item, *deployer, options).run();
  if (!removed && removed.error().kind == util::ErrorKind::not_found) {
    KUBIST_TRY(const auto live, world.home->find(deploy_items(), ns, name, world.stop));
    if (!live || data::string_at(*live, {"metadata", "uid"}) != item->uid) {
      return ItemOutcome{};  // another kubist has seen its removal to the end
    }
  }
  return removed;
}

}  // namespace kubist::deployers
