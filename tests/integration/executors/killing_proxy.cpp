#include "killing_proxy.hpp"

#include <csignal>

#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "support/loopback_server.hpp"

namespace it {

using namespace kubist;
using util::cat;

namespace {

bool changes_something(const kube::ApiCall& call) {
  return call.method != "GET" && call.path.find("dryRun=All") == std::string::npos &&
         call.path.find("selfsubjectaccessreviews") == std::string::npos;
}

kube::ApiCall call_of(const testing::ReceivedRequest& request) {
  const auto words = util::split(util::split(request.head, '\n').front(), ' ');
  kube::ApiCall call;
  call.method = words.at(0);
  call.path = words.at(1);  // with its query
  call.accept = request.header("Accept");
  call.content_type = request.header("Content-Type");
  if (!request.body.empty()) {
    call.body = std::make_shared<const std::string>(request.body);
  }
  return call;
}

}  // namespace

KillingProxy::KillingProxy(const std::string& cluster) {
  std::signal(SIGPIPE, SIG_IGN);
  kube::Overrides overrides;
  overrides.kubeconfig = kubeconfig(cluster);
  auto access = kube::find_access(overrides, kube::process_environment());
  REQUIRE(access);
  kube::ClientOptions options;
  options.retry = false;
  auto client = kube::Client::connect(std::move(*access), options);
  REQUIRE(client);
  m_client = std::move(*client);
  m_server = std::make_unique<testing::LoopbackServer>(
      [this](const testing::ReceivedRequest& request, testing::Connection& connection) {
        handle(request, connection);
      });
  std::string url = m_server->url();
  url.pop_back();
  REQUIRE(util::write_file(m_folder.path() / "config", small_kubeconfig(url).dump()));
}

KillingProxy::~KillingProxy() {
  m_stop.request_stop();
  allow(0);
}

Words KillingProxy::flags() const { return {"--kubeconfig", m_folder.path() / "config"}; }

void KillingProxy::allow(int most) {
  const std::lock_guard lock(m_mutex);
  m_most = most;
  m_started = m_done = 0;
  m_changed.notify_all();
}

bool KillingProxy::reached(int writes, int seconds) {
  std::unique_lock lock(m_mutex);
  return m_changed.wait_for(lock, std::chrono::seconds(seconds), [&] { return m_done >= writes; });
}

int KillingProxy::writes() {
  const std::lock_guard lock(m_mutex);
  return m_done;
}

void KillingProxy::handle(const testing::ReceivedRequest& request,
                          testing::Connection& connection) {
  const kube::ApiCall call = call_of(request);
  if (m_plays_validator && call.method == "POST" &&
      call.path.find("/gateways?") != std::string::npos) {
    connection.reply(400,
                     R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":400,)"
                     R"("message":"admission webhook \"rev.validation.istio.io\" denied the )"
                     R"(request"})",
                     "Content-Type: application/json\r\n");
    return;
  }
  if (call.path.find("watch=1") != std::string::npos) {
    watch(call, connection);
    return;
  }
  const bool write = changes_something(call);
  {
    const std::lock_guard lock(m_mutex);
    if (write && m_most > 0 && m_started >= m_most) {
      connection.end();  // the one that kubist did not live to see made
      return;
    }
    m_started += write ? 1 : 0;
  }
  forward(call, write, connection);
}

void KillingProxy::forward(const kube::ApiCall& call, bool write, testing::Connection& connection) {
  const auto response =
      http::send(m_client->transport(), m_client->request_of(call), m_stop.get_token());
  bool last = false;
  if (write) {
    const std::lock_guard lock(m_mutex);
    ++m_done;
    last = m_most > 0 && m_done >= m_most;
    m_changed.notify_all();
  }
  if (!response || last) {
    connection.end();
    return;
  }
  const auto type = http::find_header(response->headers, "Content-Type");
  connection.reply(response->status, response->body,
                   cat("Content-Type: ", type.value_or("application/json"), "\r\n"));
}

void KillingProxy::watch(const kube::ApiCall& call, testing::Connection& connection) {
  http::Request request = m_client->request_of(call);
  request.long_running = true;
  connection.write(
      "HTTP/1.1 200 X\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
  constexpr const char* k_hex = "0123456789abcdef";
  (void)http::stream(
      m_client->transport(), std::move(request),
      [&](std::string_view chunk) {
        std::string size;
        for (std::size_t left = chunk.size(); left > 0; left /= 16) {
          size.insert(size.begin(), k_hex[left % 16]);
        }
        connection.write(cat(size, "\r\n", chunk, "\r\n"));
        return true;
      },
      m_stop.get_token());
  connection.write("0\r\n\r\n");
  connection.end();
}

}  // namespace it
