// Actions of users on quotas, disruption budgets and priorities, and evictions.
import type { PodDisruptionBudgetSpec } from "../../../shared/k8s/api/policy-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { podDisruptionBudgets } from "../../../worker/kinds/policy/pod-disruption-budget.ts";
import { resourceQuotas } from "../../../worker/kinds/core/resource-quota/resource-quota.ts";
import type { Dice } from "../dice.ts";
import { anyNamespace, type Draw, edit } from "./wish.ts";

const quotaNames = ["limit", "small"] as const;
const budgetNames = ["keep"] as const;

export const createQuota: Draw = (dice) => {
  const [namespace, name, hard] = [anyNamespace(dice), dice.choose(...quotaNames), anyHard(dice)];
  const scope = dice.choose("BestEffort" as const, "NotBestEffort" as const, "NotTerminating" as const);
  // Only pods have scopes.
  const spec = dice.chance(0.2) ? { scopes: [scope], hard: { pods: String(dice.below(6)) } } : { hard };
  return {
    text: `create quota ${namespace}/${name} ${JSON.stringify(spec)}`,
    ask: (client) => client.create(resourceQuotas, { metadata: { namespace, name }, spec }),
  };
};

function anyHard(dice: Dice): Record<string, string> {
  return dice.choose<Record<string, string>>(
    { pods: String(dice.below(8)) },
    { "requests.cpu": dice.choose("500m", "1", "2") },
    { services: "1", configmaps: "3", "count/deployments.apps": "1" },
    { pods: "5", "count/jobs.batch": "1", persistentvolumeclaims: "2", "requests.storage": "2Gi" },
  );
}

export const changeQuota: Draw = (dice) => {
  const [namespace, name, hard] = [anyNamespace(dice), dice.choose(...quotaNames), anyHard(dice)];
  return {
    text: `set quota ${namespace}/${name} to ${JSON.stringify(hard)}`,
    ask: (client) =>
      edit(client, resourceQuotas, namespace, name, ({ spec }) => {
        // Scopes cannot be changed, and bound pods alone.
        spec.hard = spec.scopes ? { pods: "3" } : hard;
      }),
  };
};

export const deleteQuota: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), dice.choose(...quotaNames)];
  return {
    text: `delete quota ${namespace}/${name}`,
    ask: (client) => client.delete(resourceQuotas, namespace, name),
  };
};

export const createBudget: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), dice.choose(...budgetNames)];
  const spec: Draft<PodDisruptionBudgetSpec> = {
    selector: { matchLabels: { app: dice.choose("web", "api", "db", "old") } },
    ...anyBudget(dice),
    ...(dice.chance(0.3) ? { unhealthyPodEvictionPolicy: dice.choose("AlwaysAllow", "IfHealthyBudget") } : {}),
  };
  return {
    text: `create budget ${namespace}/${name} ${JSON.stringify(spec)}`,
    ask: (client) => client.create(podDisruptionBudgets, { metadata: { namespace, name }, spec }),
  };
};

function anyBudget(dice: Dice) {
  return dice.choose<Draft<PodDisruptionBudgetSpec>>(
    { maxUnavailable: 1 },
    { minAvailable: 1 },
    { minAvailable: 2 },
    { minAvailable: "50%" },
    { maxUnavailable: "30%" },
    { maxUnavailable: 0 },
  );
}

export const deleteBudget: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), dice.choose(...budgetNames)];
  return {
    text: `delete budget ${namespace}/${name}`,
    ask: (client) => client.delete(podDisruptionBudgets, namespace, name),
  };
};
