// The evaluators by kind: three have their own, all others count objects.
import type { Kind } from "../../kind.ts";
import { oneObject } from "./amounts.ts";
import { claimEvaluator } from "./claim-evaluator.ts";
import type { Evaluator } from "./evaluator.ts";
import { podEvaluator } from "./pod-evaluator.ts";
import { serviceEvaluator } from "./service-evaluator.ts";

/** Names from before the prefix `count/`. */
const aliases: readonly string[] = ["configmaps", "replicationcontrollers", "resourcequotas", "secrets"];

export function evaluatorOf(kind: Kind): Evaluator {
  const special = specials[kind.resource];
  if (special) return special;
  const names = [`count/${kind.resource}`, ...(aliases.includes(kind.resource) ? [kind.resource] : [])];
  return {
    handles: ({ operation, subresource }) => operation === "CREATE" && subresource === "",
    counts: (resource) => names.includes(resource),
    usage: () => new Map(names.map((name) => [name, oneObject])),
    isAffected: () => false,
    inScope: () => false,
  };
}

// An evaluator only receives objects of its kind.
const specials: Readonly<Record<string, Evaluator>> = {
  pods: podEvaluator,
  services: serviceEvaluator,
  persistentvolumeclaims: claimEvaluator,
};
