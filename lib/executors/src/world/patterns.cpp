#include "world/patterns.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <kubist/data/pointer.hpp>
#include <kubist/http/url.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using util::cat;
using util::glob_match;

namespace {

constexpr std::string_view k_image = "Image/";
constexpr std::string_view k_config_map = "ConfigMap/";
constexpr std::string_view k_oci_scheme = "oci";
constexpr std::string_view k_default_registry = "docker.io";

tl::unexpected<util::Error> bad_pattern(std::string why) {
  return util::fail(util::ErrorKind::invalid, std::move(why));
}

bool has_star(std::string_view text) { return text.find('*') != std::string_view::npos; }

struct HostPattern {
  std::string host;  ///< small letters, no brackets
  std::string port;  ///< empty: the default one
};

bool host_matches(const HostPattern& pattern, std::string_view host, std::string_view port) {
  return glob_match(pattern.host, util::lower(host)) &&
         (pattern.port == "*" || pattern.port == port);
}

util::Result<> check_labels(const std::string& host) {
  const auto labels = util::split(host, '.');
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].empty()) {
      return bad_pattern(cat("the host \"", host, "\" has an empty label"));
    }
    if (has_star(labels[i]) && i + 2 >= labels.size()) {
      return bad_pattern(cat("the host \"", host,
                             "\" has a star in one of its last two labels, and so stands for hosts "
                             "of anybody"));
    }
  }
  return {};
}

/// HOST[:PORT].
util::Result<HostPattern> read_host_pattern(std::string_view text) {
  HostPattern pattern;
  std::string_view rest;
  if (text.starts_with('[')) {  // an IPv6 address
    const auto end = text.find(']');
    pattern.host = util::lower(text.substr(1, end == text.npos ? end : end - 1));
    rest = end == text.npos ? "" : text.substr(end + 1);
    if (end == text.npos || pattern.host.find_first_not_of("0123456789abcdef:.") != text.npos) {
      return bad_pattern("what begins with [ is no IPv6 address in brackets");
    }
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    pattern.host = util::lower(text.substr(0, colon));
    rest = text.substr(colon);
    if (pattern.host.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz._-*") != text.npos) {
      return bad_pattern(cat("\"", pattern.host, "\" is no name of a host"));
    }
    KUBIST_CHECK(check_labels(pattern.host));
  }
  pattern.port = rest.starts_with(':') ? rest.substr(1) : rest;
  const bool any = pattern.port == "*";
  if (!rest.empty() && (!rest.starts_with(':') || (!any && !util::parse_int(pattern.port)))) {
    return bad_pattern(cat("\"", rest, "\" is no port after the host, a number or *"));
  }
  return pattern;
}

struct UrlPattern {
  std::string scheme;
  HostPattern host;
  std::string target;  ///< path and query
};

std::string default_port_of(std::string_view scheme) { return scheme == "http" ? "80" : "443"; }

util::Result<UrlPattern> read_url_pattern(std::string_view text) {
  UrlPattern pattern;
  const auto end = text.find("://");
  pattern.scheme = text.substr(0, end == text.npos ? 0 : end);
  if (pattern.scheme != "http" && pattern.scheme != "https" && pattern.scheme != k_oci_scheme) {
    return bad_pattern("it does not begin with http:// or https:// (of a chart also oci://)");
  }
  const std::string_view rest = text.substr(end + 3);
  const auto authority = std::min(rest.find_first_of("/?"), rest.size());
  KUBIST_TRY(pattern.host, read_host_pattern(rest.substr(0, authority)));
  if (pattern.host.port.empty()) {
    pattern.host.port = default_port_of(pattern.scheme);
  }
  pattern.target = authority == rest.size() ? "/" : rest.substr(authority);
  return pattern;
}

bool matches_url(const UrlPattern& pattern, const http::Url& url) {
  const std::string target = url.query.empty() ? url.path : cat(url.path, '?', url.query);
  return pattern.scheme == url.scheme && host_matches(pattern.host, url.host, cat(url.port)) &&
         glob_match(pattern.target, target);
}

/// An image or a pattern of images, taken apart.
struct ImageParts {
  HostPattern registry;
  std::vector<std::string> repository;
  std::string version;  ///< ":TAG@DIGEST", as given
};

util::Result<ImageParts> read_image_parts(std::string_view text) {
  ImageParts parts;
  const auto slash = text.find('/');
  const std::string_view first = text.substr(0, slash == text.npos ? 0 : slash);
  // As container runtimes tell a registry from a part of Docker Hub.
  const bool named = first == "localhost" || first.find_first_of(".:*") != text.npos ||
                     first != util::lower(first);
  KUBIST_TRY(parts.registry, read_host_pattern(named ? first : k_default_registry));
  if (parts.registry.host == "index.docker.io") {
    parts.registry.host = k_default_registry;
  }
  const std::string_view rest = named ? text.substr(slash + 1) : text;
  const auto version = std::min(rest.find_first_of(":@"), rest.size());
  parts.repository = util::split(rest.substr(0, version), '/');
  parts.version = rest.substr(version);
  if (!named && rest.substr(0, version) == "*") {
    return bad_pattern("it names no registry, and so stands for images of anybody");
  }
  if (parts.registry.host == k_default_registry && parts.repository.size() == 1 &&
      parts.repository[0] != "*") {
    parts.repository.insert(parts.repository.begin(), "library");
  }
  return parts;
}

bool repository_matches(const std::vector<std::string>& pattern,
                        const std::vector<std::string>& repository) {
  const bool below = pattern.back() == "*";
  if (below ? repository.size() < pattern.size() : repository.size() != pattern.size()) {
    return false;
  }
  return std::equal(pattern.begin(), pattern.end(), repository.begin(),
                    [](const auto& part, const auto& name) { return glob_match(part, name); });
}

bool matches_image(const ImageParts& pattern, const ImageParts& image) {
  const bool any_version = pattern.version.empty() && pattern.repository.back().ends_with('*');
  return host_matches(pattern.registry, image.registry.host, image.registry.port) &&
         repository_matches(pattern.repository, image.repository) &&
         (any_version || glob_match(pattern.version, image.version));
}

/// IMAGE ARG... as the image and its arguments.
std::pair<std::string_view, std::string_view> split_call(std::string_view text) {
  const auto space = std::min(text.find(' '), text.size());
  return {text.substr(0, space), text.substr(std::min(space + 1, text.size()))};
}

bool is_match(const Json* patterns, const std::function<bool(std::string_view)>& matches) {
  return patterns != nullptr && patterns->is_array() &&
         std::any_of(patterns->begin(), patterns->end(), [&](const Json& pattern) {
           return pattern.is_string() && matches(pattern.get_ref<const std::string&>());
         });
}

bool url_matches(std::string_view text, const http::Url& url) {
  const auto pattern = read_url_pattern(text);
  return pattern && matches_url(*pattern, url);
}

bool image_matches(std::string_view text, const ImageParts& image) {
  const auto pattern = read_image_parts(text);
  return pattern && matches_image(*pattern, image);
}

util::Result<> check_source_pattern(std::string_view text) {
  if (text.starts_with(k_config_map)) {
    return {};
  }
  if (text.starts_with(k_image)) {
    return read_image_parts(split_call(text.substr(k_image.size())).first).map([](auto&&) {});
  }
  return read_url_pattern(text).map([](auto&&) {});
}

}  // namespace

bool url_matches_any(const Json* patterns, std::string_view url) {
  const bool oci = url.starts_with(cat(k_oci_scheme, "://"));
  auto parsed = http::parse_url(oci ? cat("https", url.substr(k_oci_scheme.size())) : cat(url));
  if (parsed && oci) {
    parsed->scheme = k_oci_scheme;
  }
  return parsed &&
         is_match(patterns, [&](std::string_view each) { return url_matches(each, *parsed); });
}

bool image_matches_any(const Json* patterns, std::string_view image) {
  const auto parts = read_image_parts(image);
  return parts && !has_star(image) &&
         is_match(patterns, [&](std::string_view each) { return image_matches(each, *parts); });
}

bool source_matches_any(const Json* patterns, std::string_view source) {
  if (source.starts_with(k_config_map)) {
    return is_match(patterns, [&](std::string_view each) {
      return each.starts_with(k_config_map) && glob_match(each, source);
    });
  }
  if (!source.starts_with(k_image)) {
    return url_matches_any(patterns, source);
  }
  const auto call = split_call(source.substr(k_image.size()));
  const auto parts = read_image_parts(call.first);
  return parts && !has_star(call.first) && is_match(patterns, [&](std::string_view each) {
           if (!each.starts_with(k_image)) {
             return false;
           }
           const auto [wanted, wanted_args] = split_call(each.substr(k_image.size()));
           const bool any_args = wanted_args.empty() && wanted.ends_with('*');
           return image_matches(wanted, *parts) &&
                  (any_args || glob_match(wanted_args, call.second));
         });
}

util::Result<> check_patterns(const Json& spec) {
  using Check = util::Result<> (*)(std::string_view);
  const Check url = [](std::string_view text) { return read_url_pattern(text).map([](auto&&) {}); };
  const Check image = [](std::string_view text) {
    return read_image_parts(text).map([](auto&&) {});
  };
  struct List {
    std::string_view in, field;
    Check check;
  };
  std::vector<std::string> problems;
  for (const List& list :
       {List{"allow", "metrics", url}, List{"allow", "webhooks", url}, List{"allow", "charts", url},
        List{"allow", "jobs", image}, List{"istioInstall", "sources", check_source_pattern}}) {
    const Json& patterns = data::array_at(spec, {list.in, list.field});
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const std::string text = patterns[i].is_string() ? patterns[i].get<std::string>() : "";
      if (const auto read = list.check(text); !read) {
        problems.push_back(cat("spec.", list.in, ".", list.field, "[", i, "] \"", text,
                               "\": ", read.error().message));
      }
    }
  }
  if (problems.empty()) {
    return {};
  }
  return util::fail(util::make_error(
      util::ErrorKind::invalid, util::join(problems, "; "),
      "Name the host as far as its last two labels, such as https://*.example.com/*, and of an "
      "image the registry, such as registry.example.com/checks/*.",
      "PatternNotAllowed"));
}

}  // namespace kubist::executors
