#include "policy_templates.hpp"

namespace kubist::cli {

namespace {

constexpr const char* k_definition =
    R"(# A policy: a pure function of a ResourceList, see docs/how-to/policies.md. Test it with
#   kubist policy test NAME.yaml NAME.test.yaml
apiVersion: kubist.io/v1alpha1
kind: PolicyDefinition
metadata:
  name: NAME
spec:
  description: What it does, in a sentence.
  kinds: [KIND]
  parameters:                 # a JSON schema; what is not given comes from settings, then from here
    type: object
    properties:
      team: {type: string, default: nobody}
  runtime:
    jsonnet:
      source: |
        function(list)
          local team = list.functionConfig.parameters.team;
          list {
            items: [list.items[0] { spec+: { FIELD+: { team: team } } }] + list.items[1:],
            results: [{ severity: 'info', message: 'the team is ' + team }],
          }
)";

constexpr const char* k_cases =
    R"(# Cases for `kubist policy test`: maps in `expected` may leave out keys.
name: sets the team of its resource
policies:
  - name: NAME
    parameters: {team: shop}
input:
  apiVersion: config.kubernetes.io/v1
  kind: ResourceList
  items:
    - apiVersion: kubist.io/v1alpha1
      kind: KIND
      metadata: {name: example, namespace: example}
      spec: {FIELD: {kept: "yes"}}
  functionConfig: {}
expected:
  items:
    - spec: {FIELD: {kept: "yes", team: shop}}
  results:
    - {severity: info, message: the team is shop}
)";

constexpr const char* k_release_definition =
    R"(# A policy of canaries: a pure function of a ResourceList, see docs/reference/canary.md and docs/how-to/policies.md. It can only
# be more cautious than the policies before it. Test it with
#   kubist policy test NAME.yaml NAME.test.yaml
apiVersion: kubist.io/v1alpha1
kind: PolicyDefinition
metadata:
  name: NAME
spec:
  description: What it does, in a sentence.
  kinds: [CanaryRelease]
  parameters:                 # a JSON schema; what is not given comes from settings, then from here
    type: object
    properties:
      maxWeight: {type: integer, default: 50}
  runtime:
    jsonnet:
      source: |
        function(list)
          local limit = list.functionConfig.parameters.maxWeight;
          local weight = list.items[0].status.weight;
          local decision = if weight >= limit
          then { action: 'pause', reason: 'WeightLimit', message: 'somebody must look at ' + weight + ' %' }
          else { action: 'advance', reason: 'BelowLimit', message: weight + ' % is below ' + limit + ' %' };
          list { functionConfig+: { status: { decision: decision } } }
)";

constexpr const char* k_release_cases =
    R"(# Cases for `kubist policy test`: maps in `expected` may leave out keys.
name: goes on below the limit
policy: NAME
input:
  apiVersion: config.kubernetes.io/v1
  kind: ResourceList
  items:
    - apiVersion: kubist.io/v1alpha1
      kind: CanaryRelease
      metadata: {name: example, namespace: example}
      spec: {}
      status: {state: Waiting, weight: 10}
  functionConfig: {kind: PolicyRun}
expected:
  functionConfig: {decision: {action: advance, reason: BelowLimit}}
---
name: pauses at it
policies: [{name: NAME, parameters: {maxWeight: 25}}]
input:
  apiVersion: config.kubernetes.io/v1
  kind: ResourceList
  items:
    - apiVersion: kubist.io/v1alpha1
      kind: CanaryRelease
      metadata: {name: example, namespace: example}
      spec: {}
      status: {state: Waiting, weight: 25}
  functionConfig: {kind: PolicyRun}
expected:
  functionConfig: {decision: {action: pause, reason: WeightLimit}}
)";

constexpr const char* k_experiment_definition =
    R"(# A policy of experiments: a pure function of a ResourceList, see docs/reference/experiment.md and docs/how-to/policies.md. Beside
# ABTest it can only be more cautious. Test it with
#   kubist policy test NAME.yaml NAME.test.yaml
apiVersion: kubist.io/v1alpha1
kind: PolicyDefinition
metadata:
  name: NAME
spec:
  description: What it does, in a sentence.
  kinds: [Experiment]
  parameters:                 # a JSON schema; what is not given comes from settings, then from here
    type: object
    properties:
      samples: {type: integer, default: 200}
  runtime:
    jsonnet:
      source: |
        function(list)
          local seen = [o for o in list.items if o.kind == 'ExperimentObservation'][0];
          local variants = seen.goals[0].variants;     // the first is the control
          local enough = list.functionConfig.parameters.samples;
          local bad = [
            v.name
            for v in variants
            if v.samples >= enough && v.value < variants[0].value / 2
          ];
          local decision =
            if seen.read && bad != [] then
              { action: 'rollback', reason: 'MuchWorse', message: 'half as good or less: ' + std.join(', ', bad) }
            else null;                                 // nothing speaks against what others decide
          list { functionConfig+: { status: { [if decision != null then 'decision']: decision } } }
)";

constexpr const char* k_experiment_cases =
    R"(# Cases for `kubist policy test`: maps in `expected` may leave out keys.
name: a variant that is much worse ends the experiment
policy: NAME
input:
  apiVersion: config.kubernetes.io/v1
  kind: ResourceList
  items:
    - apiVersion: kubist.io/v1alpha1
      kind: Experiment
      metadata: {name: example, namespace: example}
      spec: {}
    - apiVersion: kubist.io/v1alpha1
      kind: ExperimentObservation
      metadata: {name: example}
      read: true
      goals:
        - name: orders
          variants:
            - {name: control, samples: 300, value: 0.2}
            - {name: green, samples: 300, value: 0.05}
  functionConfig: {kind: PolicyRun}
expected:
  functionConfig: {decision: {action: rollback, reason: MuchWorse}}
---
name: few samples say nothing
policies: [{name: NAME, parameters: {samples: 1000}}]
input:
  apiVersion: config.kubernetes.io/v1
  kind: ResourceList
  items:
    - apiVersion: kubist.io/v1alpha1
      kind: Experiment
      metadata: {name: example, namespace: example}
      spec: {}
    - apiVersion: kubist.io/v1alpha1
      kind: ExperimentObservation
      metadata: {name: example}
      read: true
      goals:
        - name: orders
          variants:
            - {name: control, samples: 300, value: 0.2}
            - {name: green, samples: 300, value: 0.05}
  functionConfig: {kind: PolicyRun}
expected:
  functionConfig: {decision: null}
)";

}  // namespace

PolicyTemplate policy_template(std::string_view kind) {
  return kind == "CanaryRelease" ? PolicyTemplate{k_release_definition, k_release_cases}
         : kind == "Experiment"  ? PolicyTemplate{k_experiment_definition, k_experiment_cases}
                                 : PolicyTemplate{k_definition, k_cases};
}

}  // namespace kubist::cli
