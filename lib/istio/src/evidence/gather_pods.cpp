#include <kubist/istio/read.hpp>
#include <kubist/istio/versions.hpp>
#include <kubist/util/text.hpp>

#include "evidence/gatherer.hpp"

namespace kubist::istio {

using data::Json;
using resources::ObjectView;
using util::cat;
namespace well_known = kube::well_known;

namespace {

// "1.30.3-SHA-Clean": the version itself may hold dashes.
std::string version_of_answer(std::string_view answer) {
  answer = util::trim(answer);
  for (int part = 0; part < 2; ++part) {
    const std::size_t dash = answer.rfind('-');
    answer = dash == answer.npos ? "" : answer.substr(0, dash);
  }
  return parse_version(answer) ? std::string(answer) : std::string();
}

}  // namespace

// Both templates of the injector set this label; pods may be many, so page by page.
Read<ProxyList> Gatherer::read_proxies() {
  ProxyList list;
  kube::ListOptions options = labelled("service.istio.io/canonical-name");
  options.max_objects = m_options.max_proxies;
  const auto take = [&](const Json& pod) {
    auto proxy = read_proxy(pod);
    if (proxy) {
      list.proxies.push_back(std::move(*proxy));
    }
    return proxy ? bytes_of(list.proxies.back()) : 0;
  };
  return m_ask.each(well_known::pods(), options, take).map([&](bool more) {
    list.cut = more;
    return std::move(list);
  });
}

// Through the API server to the pod: where that is not open, the image's tag has to do.
void Gatherer::read_served_version(RevisionConfig& config) {
  for (const IstiodPod& pod : items_of(m_evidence.istiod_pods)) {
    if (!pod.ready || pod.ns != config.ns || pod.revision != config.revision) {
      continue;
    }
    Questions quick(m_ask.client(), m_options.pod_timeout, m_ask.stop());
    kube::ApiCall call = kube::raw_get(
        cat("/api/v1/namespaces/", pod.ns, "/pods/", pod.name, ":15014/proxy/version"),
        "text/plain, */*");
    call.max_body = 1024;
    const auto answer = quick.client().run(call, quick.stop());
    config.served_version = answer ? version_of_answer(answer->body) : "";
    return;
  }
}

void Gatherer::read_members(Members& members, bool ambient) {
  kube::ListOptions options = labelled("", kube::Form::metadata);
  // Pods in the node's network are never in the mesh.
  options.field_selector = "spec.hostNetwork=false,status.phase!=Succeeded,status.phase!=Failed";
  const auto take = [&](const Json& pod) {
    count_member(pod, ambient, members);
    return bytes_of_texts(ObjectView(pod).name());
  };
  if (const auto pods = m_ask.each(well_known::pods(), options, take, members.ns); !pods) {
    skip(pods.error());
  }
}

}  // namespace kubist::istio
