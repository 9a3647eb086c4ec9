// The mandatory flow schemas and priority levels, which cannot be changed: `exempt` and `catch-all`.
import type {
  FlowSchemaSpec,
  PriorityLevelConfigurationSpec,
  Subject,
} from "../../../shared/k8s/api/flowcontrol-v1.ts";

const everything = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

export const mandatoryFlowSchemas: Readonly<Record<string, FlowSchemaSpec>> = {
  exempt: {
    priorityLevelConfiguration: { name: "exempt" },
    matchingPrecedence: 1,
    rules: [{ subjects: groups("system:masters"), ...everything }],
  },
  "catch-all": {
    priorityLevelConfiguration: { name: "catch-all" },
    matchingPrecedence: 10_000,
    distinguisherMethod: { type: "ByUser" },
    rules: [{ subjects: groups("system:unauthenticated", "system:authenticated"), ...everything }],
  },
};

export const mandatoryPriorityLevels: Readonly<Record<string, PriorityLevelConfigurationSpec>> = {
  exempt: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  "catch-all": {
    type: "Limited",
    limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" }, lendablePercent: 0 },
  },
};

function groups(...names: string[]): Subject[] {
  return names.map((name) => ({ kind: "Group", group: { name } }));
}
