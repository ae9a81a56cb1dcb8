#include "item/session.hpp"

#include <kubist/data/json_patch.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/upstream.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {
namespace {

constexpr int k_tries = 5;

std::string at(const Json& object, std::string_view field) {
  return std::string(data::string_at(object, {"metadata", field}));
}

/// Exports are the user's own words.
void show_texts(const World& world, Json& status) {
  for (auto& [field, value] : status.items()) {
    if (world.shown && field != "exports") {
      data::change_strings(value, world.shown);
    }
  }
}

bool has_failed(const Json& status) {
  const auto phase = data::string_at(status, {"phase"});
  return phase == phase::k_failed || phase == phase::k_delete_failed;
}

}  // namespace

util::Result<Session> Session::open(World& world, const std::string& ns, const std::string& name) {
  KUBIST_TRY(Json object, world.home->json(kube::get(deploy_items(), ns, name), world.stop));
  return Session(world, std::move(object));
}

util::Result<Item> Session::item() const {
  const resources::ObjectView view(m_object);
  if (m_generation != 0 && view.generation() != m_generation) {
    return util::fail(
        util::ErrorKind::conflict,
        util::cat("DeployItem ", view.ns(), "/", view.name(), " was changed meanwhile"), "",
        std::string(k_item_changed));
  }
  return parse_item(m_object);
}

Json Session::status() const { return from_upstream_status(sound_status(m_object)); }

util::Result<> Session::reload() {
  KUBIST_TRY(m_object, m_world->home->json(kube::get(deploy_items(), at(m_object, "namespace"),
                                                     at(m_object, "name"))));
  return {};
}

util::Result<bool> Session::see_whether_over(const std::string& job) {
  KUBIST_CHECK(reload());
  if (is_over(status(), job) || m_locked) {
    return is_over(status(), job);
  }
  if (const auto& before = m_world->writer.rules().before) {
    KUBIST_CHECK(before());
    KUBIST_CHECK(reload());
  }
  m_locked = true;
  return is_over(status(), job);
}

util::Result<> Session::write_status(const std::function<Json(Json status)>& change) {
  for (int attempt = 1;; ++attempt) {
    const Json before = status();
    Json after = change(before);
    show_texts(*m_world, after);
    if (m_world->stop.stop_requested() && has_failed(after) && !has_failed(before)) {
      return util::fail(
          util::ErrorKind::cancelled,
          util::cat("stopped before the end of DeployItem ", at(m_object, "namespace"), "/",
                    at(m_object, "name"), " was known"));
    }
    if (m_world->settings.foreign_crd) {
      after = to_upstream_status(std::move(after));
    }
    const Json patch = data::make_merge_patch(m_object.value("status", Json::object()), after);
    if (patch.empty()) {
      return {};
    }
    auto written = m_world->writer.with_manager("kubist-status")
                       .patch({*m_world->home}, deploy_items(), at(m_object, "namespace"),
                              at(m_object, "name"), kube::PatchType::merge,
                              {{"metadata", {{"resourceVersion", at(m_object, "resourceVersion")}}},
                               {"status", patch}},
                              {.subresource = "status"});
    if (written) {
      take(*std::move(written));
      m_locked = true;
      return {};
    }
    if (!kube::is_conflict(written.error()) || attempt == k_tries) {
      return util::fail(written.error());
    }
    KUBIST_CHECK(reload());
    if (job_pending(before) &&
        data::string_at(status(), {"jobID"}) != data::string_at(before, {"jobID"})) {
      return util::fail(written.error());  // somebody asked for another job meanwhile
    }
  }
}

util::Result<> Session::drop_annotation(std::string_view name) {
  KUBIST_TRY(Json left, m_world->writer.patch(
                            {*m_world->home}, deploy_items(), at(m_object, "namespace"),
                            at(m_object, "name"), kube::PatchType::merge,
                            {{"metadata", {{"annotations", {{std::string(name), Json()}}}}}}));
  take(std::move(left));
  return {};
}

/// What a write has left.
void Session::take(Json written) {
  m_object = std::move(written);
  if (m_world->wrote) {
    m_world->wrote(m_object);
  }
}

util::Result<> Session::set_finalizer(bool present) {
  KUBIST_TRY(auto left, m_world->writer.set_finalizer(
                            {*m_world->home}, deploy_items(), at(m_object, "namespace"),
                            at(m_object, "name"), k_finalizer, present, std::optional(m_object)));
  const bool gone = !left;
  if (!gone) {
    take(*std::move(left));
  }
  if (!present || (!gone && resources::ObjectView(m_object).has_finalizer(k_finalizer))) {
    return {};
  }
  return util::fail(gone ? util::ErrorKind::not_found : util::ErrorKind::conflict,
                    util::cat("DeployItem ", at(m_object, "namespace"), "/", at(m_object, "name"),
                              gone ? " is gone" : " is being deleted", ", so that nothing is run"));
}

}  // namespace kubist::deployers
