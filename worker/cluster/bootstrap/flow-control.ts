// The flow schemas and priority levels that an API server makes by itself: the two fixed ones of each, and those it suggests.
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

/** They are kept as they should be while this says so. */
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
  system: queued(30, 33, 64, 6),
  "node-high": queued(40, 25, 64, 6),
  "leader-election": queued(10, 0, 16, 4),
  "workload-high": queued(40, 50, 128, 6),
  "workload-low": queued(100, 90, 128, 6),
  "global-default": queued(20, 50, 128, 6),
};

const everyone = groups("system:unauthenticated", "system:authenticated");
const kubeSystem: Subject = { kind: "ServiceAccount", serviceAccount: { name: "*", namespace: "kube-system" } };
const leases = inNamespaces(["*"], "coordination.k8s.io", ["leases"]);

const suggestedSchemas: Readonly<Record<string, FlowSchemaSpec>> = {
  "system-nodes": schema("system", 500, "ByUser", everything(groups("system:nodes"))),
  "system-node-high": schema("node-high", 400, "ByUser", {
    subjects: groups("system:nodes"),
    resourceRules: [{ ...inNamespaces(["*"], "", ["nodes", "nodes/status"]), clusterScope: true }, leases],
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

function queued(shares: number, lendablePercent: number, queues: number, handSize: number) {
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
    resourceRules: [{ ...inNamespaces(["*"], "*", ["*"]), clusterScope: true }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  };
}

function inNamespaces(verbs: string[], group: string, resources: string[]): ResourcePolicyRule {
  return { verbs, apiGroups: [group], resources, namespaces: ["*"] };
}

function groups(...names: string[]): Subject[] {
  return names.map((name) => ({ kind: "Group", group: { name } }));
}

function users(...names: string[]): Subject[] {
  return names.map((name) => ({ kind: "User", user: { name } }));
}
