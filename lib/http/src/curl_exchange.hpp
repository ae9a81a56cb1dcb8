#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include <kubist/http/address.hpp>
#include <kubist/http/curl_transport.hpp>
#include <kubist/http/url.hpp>

#include "curl_handles.hpp"

namespace kubist::http {

/// One request on its way through libcurl: its handle, what the handle points to, and the answer as
/// it grows. Lives at one address from prepare() to finish(); only the worker's thread touches it.
class CurlExchange {
 public:
  CurlExchange(std::uint64_t id, Request request, std::shared_ptr<const EndpointOptions> options,
               AddressRule rule, Done done);
  ~CurlExchange();
  CurlExchange(const CurlExchange&) = delete;
  CurlExchange& operator=(const CurlExchange&) = delete;

  std::uint64_t id() const { return m_id; }
  const Request& request() const { return m_request; }
  /// "https://host:port" of the request; empty where its URL is none.
  const std::string& origin() const { return m_origin; }
  CURL* easy() const { return m_easy.get(); }

  /// May it stay on its way? What the request's permit says; timeout: it was silent for too long.
  /// Never throws.
  util::Result<> may_stay(std::chrono::steady_clock::time_point now);
  /// May it be sent? What the permit says; invalid: one of its headers would begin another line.
  util::Result<> sendable() const;
  /// Takes a fresh or reset handle and sets it up.
  void prepare(EasyHandle easy);
  /// The outcome of the transfer that ended with `code`. Call once.
  util::Result<Response> take_outcome(CURLcode code);
  /// Gives the handle back for the next exchange.
  EasyHandle take_handle() { return std::move(m_easy); }
  /// Tells the owner; the exchange is over. Never throws.
  void finish(util::Result<Response> outcome);
  util::Error cancelled_error() const;
  std::chrono::microseconds latency() const { return m_response.latency; }
  int status() const { return m_response.status; }

 private:
  void set_address();
  void set_tls();
  void set_headers();
  void set_body();
  void set_limits();
  util::Result<> permitted() const;
  util::Error failure(CURLcode code) const;
  util::Error silent_error() const;
  std::string refusal(std::string_view address, std::string_view port) const;
  std::size_t max_body() const;
  std::size_t on_header(std::string_view line);
  std::size_t on_body(std::string_view bytes);
  template <class Receive>
  std::size_t receive(Receive&& take);
  static int begin_callback(void* self, char* to, char* from, int to_port, int from_port);
  static curl_socket_t open_callback(void* self, curlsocktype purpose, curl_sockaddr* address);
  static std::size_t header_callback(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t write_callback(char* data, std::size_t size, std::size_t count, void* self);

  std::uint64_t m_id;
  Request m_request;
  std::shared_ptr<const EndpointOptions> m_options;
  AddressRule m_rule;  ///< null: connections may lead anywhere
  Done m_done;
  EasyHandle m_easy;
  std::chrono::steady_clock::time_point m_heard;  ///< something last; prepare()
  curl_off_t m_sent = 0;                          ///< of the body, as seen last
  StringList m_headers;
  StringList m_connect_to;
  Url m_url;
  std::string m_origin;
  Response m_response;
  int m_sendings = 0;  ///< libcurl repeats what a connection in use took with it
  bool m_head_given = false;
  bool m_receiver_stopped = false;
  std::size_t m_header_bytes = 0;
  std::size_t m_body_bytes = 0;
  std::size_t m_counted = 0;            ///< of what arrives from servers of members
  bool m_crowded = false;               ///< too large together with other answers
  std::string m_too_large;              ///< what of the answer, and what it may have
  std::optional<util::Error> m_thrown;  ///< by a handler of the request
  std::string m_refused;                ///< the address that m_rule does not allow, and what it is
  std::array<char, CURL_ERROR_SIZE> m_error_text{};
};

}  // namespace kubist::http
