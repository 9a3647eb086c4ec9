// ResourceQuota: rejects writes that would exceed a quota of their namespace. Usage is computed from the stored objects, so it is always
// exact.
import type { ResourceQuota } from "../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Quantity } from "../../shared/k8s/quantity.ts";
import {
  type Amounts,
  addTo,
  amountsOf,
  namesAboveLimit,
  subtractWithNonNegativeResult,
  only,
  print,
} from "../kinds/core/resource-quota/amounts.ts";
import type { Evaluator } from "../kinds/core/resource-quota/evaluator.ts";
import { evaluatorOf } from "../kinds/core/resource-quota/evaluators.ts";
import { isInScopes, usageOfKind } from "../kinds/core/resource-quota/usage.ts";
import { resourceQuotas } from "../kinds/core/resource-quota/resource-quota.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { newForbidden } from "./common/errors.ts";

export const resourceQuota: AdmissionPlugin = {
  name: "ResourceQuota",
  validate(request) {
    const { kind, operation, subresource, namespace, object, oldObject, context } = request;
    if (!object || !namespace || (operation !== "CREATE" && operation !== "UPDATE")) return;
    const quotas = [...context.list(resourceQuotas, namespace)];
    if (quotas.length === 0) return;
    const evaluator = evaluatorOf(kind.conversion?.hub ?? kind);
    if (!evaluator.handles({ operation, subresource, object, previous: oldObject })) return;
    const pertinent = quotas.filter((quota) => matches(quota, evaluator, object));
    for (const quota of pertinent) checkStated(quota, evaluator, object, request);
    for (const quota of pertinent) checkRequest(quota, evaluator, object, request);
  },
};

/** Reports whether a quota applies to an object. A quota applies once its status has been set. */
function matches(quota: ResourceQuota, evaluator: Evaluator, object: KubeObject): boolean {
  return limitedBy(quota, evaluator).length > 0 && isInScopes(quota, evaluator, object);
}

function limitedBy({ status }: ResourceQuota, evaluator: Evaluator): string[] {
  return Object.keys(status.hard ?? {}).filter((name) => evaluator.counts(name));
}

function checkStated(quota: ResourceQuota, evaluator: Evaluator, object: KubeObject, request: AdmissionRequest): void {
  const { name = "" } = quota.metadata;
  const limited = limitedBy(quota, evaluator);
  const lack = evaluator.lack?.(object, limited);
  if (lack !== undefined) throw newForbidden(request, `failed quota: ${name}: ${lack}`);
  const { used } = quota.status;
  if (limited.every((resource) => used?.[resource] !== undefined)) return;
  throw newForbidden(request, `status unknown for quota: ${name}, resources: ${limited.sort().join(",")}`);
}

/** Checks a write against one quota. */
function checkRequest(quota: ResourceQuota, evaluator: Evaluator, object: KubeObject, request: AdmissionRequest): void {
  const { kind, oldObject, subresource, namespace, context } = request;
  if (subresource === "status") return;
  const wasCounted = oldObject !== undefined && isInScopes(quota, evaluator, oldObject);
  const before: Amounts = wasCounted ? evaluator.usage(oldObject, context.nowMs) : new Map<string, Quantity>();
  const hard = amountsOf(quota.status.hard);
  const requested = only(subtractWithNonNegativeResult(evaluator.usage(object, context.nowMs), before), (name) =>
    hard.has(name),
  );
  if (requested.size === 0) return;
  const stored = kind.conversion?.hub ?? kind;
  const used = usageOfKind(quota, evaluator, context.list(stored, namespace), [...hard.keys()], context.nowMs);
  const next = new Map(used);
  addTo(next, requested);
  const over = namesAboveLimit(
    only(next, (name) => requested.has(name)),
    hard,
  );
  if (over.size === 0) return;
  const texts = [requested, used, hard].map((amounts) => print(only(amounts, (name) => over.has(name))));
  const [requestedText = "", usedText = "", limitedText = ""] = texts;
  const { name = "" } = quota.metadata;
  throw newForbidden(
    request,
    `exceeded quota: ${name}, requested: ${requestedText}, used: ${usedText}, limited: ${limitedText}`,
  );
}
