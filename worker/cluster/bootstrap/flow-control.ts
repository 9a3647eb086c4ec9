// The flow schemas and priority levels that an API server creates: upstream's mandatory and suggested ones.
import type {
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfigurationSpec,
  ResourcePolicyRule,
  Subject,
} from "../../../shared/k8s/api/flowcontrol-v1.ts";
import { flowSchemas } from "../../kinds/flowcontrol/flow-schema.ts";
import { mandatoryFlowSchemas, mandatoryPriorityLevels } from "../../kinds/flowcontrol/mandatory.ts";
import { priorityLevelConfigurations } from "../../kinds/flowcontrol/priority-level-configuration.ts";
import { type Seed, seed } from "./seed.ts";

/** While an object has this annotation, the API server restores its spec. */
const annotations = { "apf.kubernetes.io/autoupdate-spec": "true" };

export function flowControl(): Seed[] {
  const levels = { ...mandatoryPriorityLevels, ...suggestedLevels };
  const schemas = { ...mandatoryFlowSchemas, ...suggestedSchemas };
  return [
    ...Object.entries(levels).map(([name, spec]) =>
      seed(priorityLevelConfigurations, { metadata: { name, annotations }, spec }),
    ),
    ...Object.entries(schemas).map(([name, spec]) => seed(flowSchemas, { metadata: { name, annotations }, spec })),
  ];
}

const suggestedLevels: Readonly<Record<string, PriorityLevelConfigurationSpec>> = {
  system: queuedLevel({ shares: 30, lendablePercent: 33, queues: 64, handSize: 6 }),
  "node-high": queuedLevel({ shares: 40, lendablePercent: 25, queues: 64, handSize: 6 }),
  "leader-election": queuedLevel({ shares: 10, lendablePercent: 0, queues: 16, handSize: 4 }),
  "workload-high": queuedLevel({ shares: 40, lendablePercent: 50, queues: 128, handSize: 6 }),
  "workload-low": queuedLevel({ shares: 100, lendablePercent: 90, queues: 128, handSize: 6 }),
  "global-default": queuedLevel({ shares: 20, lendablePercent: 50, queues: 128, handSize: 6 }),
};

const everyone = groups("system:unauthenticated", "system:authenticated");
const kubeSystem: Subject = { kind: "ServiceAccount", serviceAccount: { name: "*", namespace: "kube-system" } };
const leases = resourceRule(["*"], "coordination.k8s.io", ["leases"]);

const suggestedSchemas: Readonly<Record<string, FlowSchemaSpec>> = {
  "system-nodes": schema("system", 500, "ByUser", everything(groups("system:nodes"))),
  "system-node-high": schema("node-high", 400, "ByUser", {
    subjects: groups("system:nodes"),
    resourceRules: [{ ...resourceRule(["*"], "", ["nodes", "nodes/status"]), clusterScope: true }, leases],
  }),
  probes: {
    priorityLevelConfiguration: { name: "exempt" },
    matchingPrecedence: 2,
    rules: [
      {
        subjects: everyone,
        nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
      },
    ],
  },
  "system-leader-election": schema("leader-election", 100, "ByUser", {
    subjects: [...users("system:kube-controller-manager", "system:kube-scheduler"), kubeSystem],
    resourceRules: [{ ...leases, verbs: ["get", "create", "update"] }],
  }),
  "kube-controller-manager": schema(
    "workload-high",
    800,
    "ByNamespace",
    everything(users("system:kube-controller-manager")),
  ),
  "kube-scheduler": schema("workload-high", 800, "ByNamespace", everything(users("system:kube-scheduler"))),
  "kube-system-service-accounts": schema("workload-high", 900, "ByNamespace", everything([kubeSystem])),
  "service-accounts": schema("workload-low", 9000, "ByUser", everything(groups("system:serviceaccounts"))),
  "global-default": schema("global-default", 9900, "ByUser", everything(everyone)),
};

interface QueuedLevel {
  readonly shares: number;
  readonly lendablePercent: number;
  readonly queues: number;
  readonly handSize: number;
}

/** Returns a limited level whose requests wait in queues. */
function queuedLevel({ shares, lendablePercent, queues, handSize }: QueuedLevel) {
  const queuing = { queues, handSize, queueLengthLimit: 50 };
  return {
    type: "Limited",
    limited: { nominalConcurrencyShares: shares, limitResponse: { type: "Queue", queuing }, lendablePercent },
  };
}

function schema(level: string, precedence: number, method: string, rules: PolicyRulesWithSubjects): FlowSchemaSpec {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    distinguisherMethod: { type: method },
    rules: [rules],
  };
}

function everything(subjects: Subject[]): PolicyRulesWithSubjects {
  return {
    subjects,
    resourceRules: [{ ...resourceRule(["*"], "*", ["*"]), clusterScope: true }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  };
}

/** Returns a rule for resources in all namespaces. */
function resourceRule(verbs: string[], group: string, resources: string[]): ResourcePolicyRule {
  return { verbs, apiGroups: [group], resources, namespaces: ["*"] };
}

function groups(...names: string[]): Subject[] {
  return names.map((name) => ({ kind: "Group", group: { name } }));
}

function users(...names: string[]): Subject[] {
  return names.map((name) => ({ kind: "User", user: { name } }));
}
