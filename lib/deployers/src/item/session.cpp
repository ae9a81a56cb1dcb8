#include "item/session.hpp"

#include <kubist/data/json_patch.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/upstream.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "item/requests.hpp"

namespace kubist::deployers {
namespace {

constexpr int k_tries = 5;

std::string at(const Json& object, std::string_view field) {
  return std::string(data::string_at(object, {"metadata", field}));
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

Json Session::status() const {
  return from_upstream_status(m_object.value("status", Json::object()));
}

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
  if (m_world->may_write) {
    KUBIST_CHECK(m_world->may_write());
    KUBIST_CHECK(reload());
  }
  m_locked = true;
  return is_over(status(), job);
}

util::Result<> Session::write_status(const std::function<Json(Json status)>& change) {
  for (int attempt = 1;; ++attempt) {
    const Json before = status();
    Json after = change(before);
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
    auto written = merge(
        *m_world, {*m_world->home, ""}, deploy_items(), at(m_object, "namespace"),
        at(m_object, "name"),
        {{"metadata", {{"resourceVersion", at(m_object, "resourceVersion")}}}, {"status", patch}},
        "status");
    if (written) {
      m_object = *std::move(written);
      m_locked = true;
      return {};
    }
    if (written.error().http_status != 409 || attempt == k_tries) {
      return util::fail(written.error());
    }
    KUBIST_CHECK(reload());
    if (job_pending(before) &&
        data::string_at(status(), {"jobID"}) != data::string_at(before, {"jobID"})) {
      return util::fail(written.error());  // somebody asked for another job meanwhile
    }
  }
}

util::Result<> Session::patch_finalizers(const Json& operations) {
  if (m_world->may_write) {
    KUBIST_CHECK(m_world->may_write());
  }
  kube::ApiCall call =
      kube::patch(deploy_items(), at(m_object, "namespace"), at(m_object, "name"),
                  kube::PatchType::json, operations, {.field_manager = m_world->field_manager});
  call.permit = m_world->permit;
  KUBIST_TRY(m_object, m_world->home->json(call));
  if (m_world->on_write) {
    m_world->on_write({"patch",
                       util::cat("landscaper.gardener.cloud/v1alpha1 DeployItem/",
                                 at(m_object, "namespace"), "/", at(m_object, "name")),
                       ""});
  }
  return {};
}

util::Result<> Session::drop_annotation(std::string_view name) {
  KUBIST_TRY(m_object, merge(*m_world, {*m_world->home, ""}, deploy_items(),
                             at(m_object, "namespace"), at(m_object, "name"),
                             {{"metadata", {{"annotations", {{std::string(name), Json()}}}}}}));
  return {};
}

util::Result<> Session::add_finalizer() {
  for (int attempt = 1;; ++attempt) {
    const resources::ObjectView view(m_object);
    if (view.has_finalizer(k_finalizer)) {
      return {};
    }
    Json operations = Json::array({{{"op", "test"},
                                    {"path", "/metadata/resourceVersion"},
                                    {"value", view.resource_version()}}});
    if (view.finalizers().empty()) {
      operations.push_back(
          {{"op", "add"}, {"path", "/metadata/finalizers"}, {"value", Json::array({k_finalizer})}});
    } else {
      operations.push_back(
          {{"op", "add"}, {"path", "/metadata/finalizers/-"}, {"value", k_finalizer}});
    }
    auto added = patch_finalizers(operations);
    // 422: the test failed, somebody else was faster.
    const bool changed =
        !added && (added.error().http_status == 409 || added.error().http_status == 422);
    if (!changed || attempt == k_tries) {
      return added;
    }
    KUBIST_CHECK(reload());
  }
}

util::Result<> Session::drop_finalizer() {
  const auto all = resources::ObjectView(m_object).finalizers();
  const auto found = std::find(all.begin(), all.end(), k_finalizer);
  if (found == all.end()) {
    return {};
  }
  const std::string path = util::cat("/metadata/finalizers/", found - all.begin());
  auto dropped =
      patch_finalizers(Json::array({{{"op", "test"}, {"path", path}, {"value", k_finalizer}},
                                    {{"op", "remove"}, {"path", path}}}));
  if (!dropped && dropped.error().kind == util::ErrorKind::not_found) {
    return {};
  }
  return dropped;
}

}  // namespace kubist::deployers
