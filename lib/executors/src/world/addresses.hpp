#pragma once
#include <string>
#include <string_view>

#include <kubist/engine/graph.hpp>
#include <kubist/util/result.hpp>

// Which URLs that users write may be asked.
namespace kubist::executors {

/// A URL that no grant makes good: one of another scheme than http and https, link-local addresses,
/// where clouds keep the credentials of their machines (RFC 3927, RFC 4291 section 2.5.6), those
/// with a user's name or a host of other characters than names have, which are not what they look
/// like, and those with a path that climbs ("..").
bool is_never_allowed(std::string_view url);

/// Does spec.allow of the node's Project, or of the Root, have a pattern for the URL
/// (patterns.hpp), and may it be asked at all? `purpose`: the field there, "metrics", "webhooks";
/// `called`: what the URL is in the error, without it where it is a secret. Forbidden, reason
/// AddressNotAllowed.
util::Result<> check_address(const engine::Graph& graph, const engine::Node& node,
                             std::string_view purpose, std::string_view url,
                             const std::string& called);
/// The same of a URL that needs no grant.
util::Result<> check_address(std::string_view url, const std::string& called);

/// May helm fetch a chart from that URL (http, https, oci)? One whose host has an internal address
/// (http/address.hpp), as the resolver of this machine knows it, needs spec.allow.charts of
/// `project` (null: none) or of the Root, and a link-local one nothing makes good. Asks the
/// resolver. Forbidden, reason AddressNotAllowed.
util::Result<> check_chart_address(const engine::Graph& graph, const engine::Node* project,
                                   const std::string& url);

}  // namespace kubist::executors
