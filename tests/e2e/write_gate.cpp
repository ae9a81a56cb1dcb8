#include "write_gate.hpp"

#include <csignal>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "support/loopback_server.hpp"
#include "support/openssl.hpp"

namespace it {

using namespace kubist;

namespace {

constexpr const char* k_probe = "gate-probe";

GatedWrite write_of(const Json& request) {
  const auto part = [&](std::initializer_list<std::string_view> path) {
    return std::string(data::string_at(request, path));
  };
  return {part({"operation"}), part({"resource", "resource"}), part({"subResource"}),
          part({"name"}),      part({"userInfo", "username"}), request.value("object", Json())};
}

}  // namespace

WriteGate::WriteGate(std::string ns) : m_ns(std::move(ns)), m_name("gate-" + m_ns) {
  std::signal(SIGPIPE, SIG_IGN);  // the API server may hang up on an answer
  const testing::TlsFiles files{m_folder.path() / "certificate", m_folder.path() / "key", ""};
  testing::make_certificate(
      files.certificate, files.key,
      {"-days", "1", "-subj", "/CN=gate", "-addext", "subjectAltName=IP:127.0.0.1"});
  m_server = std::make_unique<testing::LoopbackServer>(
      [this](const testing::ReceivedRequest& request, testing::Connection& connection) {
        answer(request.body, [&](const std::string& text) {
          connection.reply(200, text, "Content-Type: application/json\r\n");
        });
      },
      &files);
  install(util::read_file(files.certificate).value());
}

WriteGate::~WriteGate() {
  let_go(false);
  kubectl("home", {"delete", "validatingwebhookconfiguration", m_name, "--ignore-not-found"});
}

void WriteGate::install(const std::string& certificate) {
  const Json rule{{"operations", {"CREATE", "UPDATE", "DELETE"}},
                  {"apiGroups", Json::array({"*"})},
                  {"apiVersions", Json::array({"*"})},
                  {"resources",
                   {"deployitems", "deployitems/status", "pods", "secrets", "configmaps",
                    "serviceaccounts", "roles", "rolebindings"}},
                  {"scope", "Namespaced"}};
  const Json webhook{
      {"name", "gate.kubist.test"},
      {"clientConfig", {{"url", m_server->url()}, {"caBundle", util::base64_encode(certificate)}}},
      {"rules", Json::array({rule})},
      {"namespaceSelector", {{"matchLabels", {{"kubernetes.io/metadata.name", m_ns}}}}},
      {"admissionReviewVersions", Json::array({"v1"})},
      {"sideEffects", "None"},
      {"failurePolicy", "Fail"},
      {"timeoutSeconds", 30}};
  put("home", {Json{{"apiVersion", "admissionregistration.k8s.io/v1"},
                    {"kind", "ValidatingWebhookConfiguration"},
                    {"metadata", {{"name", m_name}}},
                    {"webhooks", Json::array({webhook})}}});
  // The API server learns of it by a watch of its own.
  REQUIRE(eventually([this] {
    kubectl("home", {"create", "configmap", k_probe, "-n", m_ns, "--dry-run=server"});
    const std::lock_guard lock(m_mutex);
    return m_probed;
  }));
}

void WriteGate::hold(Holds holds) {
  const std::lock_guard lock(m_mutex);
  m_holds = std::move(holds);
  m_waiting.clear();
}

std::optional<GatedWrite> WriteGate::held(int seconds) {
  std::unique_lock lock(m_mutex);
  m_changed.wait_for(lock, std::chrono::seconds(seconds), [this] { return !m_waiting.empty(); });
  return m_waiting.empty() ? std::nullopt : std::optional(m_waiting.front());
}

void WriteGate::let_go(bool make) {
  const std::lock_guard lock(m_mutex);
  m_holds = nullptr;
  m_make = make;
  ++m_round;
  m_changed.notify_all();
}

bool WriteGate::decide(const GatedWrite& write) {
  std::unique_lock lock(m_mutex);
  m_probed = m_probed || write.name == k_probe;
  if (!m_holds || !m_holds(write)) {
    return true;
  }
  m_waiting.push_back(write);
  m_changed.notify_all();
  m_changed.wait(lock, [this, round = m_round] { return m_round != round; });
  return m_make;
}

void WriteGate::answer(const std::string& review,
                       const std::function<void(const std::string&)>& reply) {
  const Json asked = Json::parse(review, nullptr, false);
  const Json request = asked.is_object() ? asked.value("request", Json()) : Json();
  const bool allowed = decide(write_of(request));
  reply(Json{{"apiVersion", "admission.k8s.io/v1"},
             {"kind", "AdmissionReview"},
             {"response",
              {{"uid", data::string_at(request, {"uid"})},
               {"allowed", allowed},
               {"status", {{"message", "refused by the test"}}}}}}
            .dump());
}

}  // namespace it
