#include <kubist/data/pointer.hpp>
#include <kubist/engine/call.hpp>

namespace kubist::engine {

namespace {

util::Result<PolicyCall> read_call(const Json& given) {
  PolicyCall call;
  call.name = data::string_at(given, {"name"});
  call.step = data::int_at(given, {"step"});
  call.failed = data::int_at(given, {"failed"});
  const Json* webhook = data::find_path(given, {"webhook"});
  const Json* job = data::find_path(given, {"job"});
  const bool complete = webhook != nullptr
                            ? job == nullptr && !data::string_at(*webhook, {"url"}).empty()
                            : !data::string_at(given, {"job", "config", "image"}).empty();
  if (call.name.empty() || !complete) {
    return util::fail(util::ErrorKind::invalid,
                      "status.calls: each needs a name and a webhook with a url, or a job whose "
                      "config has an image",
                      "", "PolicyFailed");
  }
  if (webhook != nullptr) {
    call.what = WebhookCall{std::string(data::string_at(*webhook, {"url"})),
                            std::chrono::seconds(data::int_at(*webhook, {"timeout"}, 10)),
                            webhook->value("metadata", Json::object())};
  } else {
    call.what = JobCall{(*job)["config"], std::string(data::string_at(*job, {"timeout"}))};
  }
  return call;
}

Json to_json(const WebhookCall& call) {
  return {{"webhook",
           {{"url", call.url}, {"timeout", call.timeout.count()}, {"metadata", call.metadata}}}};
}

Json to_json(const JobCall& call) {
  return {{"job", {{"config", call.config}, {"timeout", call.timeout}}}};
}

}  // namespace

util::Result<std::vector<PolicyCall>> read_calls(const Json& status) {
  std::vector<PolicyCall> calls;
  if (const Json* given = data::find_path(status, {"calls"})) {
    for (const Json& each : *given) {
      KUBIST_TRY(auto call, read_call(each));
      calls.push_back(std::move(call));
    }
  }
  return calls;
}

Json to_json(const PolicyCall& call) {
  Json json = std::visit([](const auto& what) { return to_json(what); }, call.what);
  json["name"] = call.name;
  json["step"] = call.step;
  json["failed"] = call.failed;
  return json;
}

}  // namespace kubist::engine
