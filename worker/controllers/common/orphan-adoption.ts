// Adoption as a controller: an orphan that is created or changed is adopted by the owner whose selector matches it. Requests are orphans,
// so an owner's reconcile does not scan its namespace.
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import type { LabelSelector } from "../../../shared/k8s/api/meta-v1.ts";
import { type Selector, labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { type KubeObject, getControllerOf, isBeingDeleted } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";
import { type Controller, defineController, requestOf, watch } from "../../runtime/controller.ts";
import { adopt, newControllerRef } from "./controller-ref.ts";

/** An owner with a label selector. */
interface Selecting extends KubeObject {
  readonly spec: { readonly selector?: LabelSelector };
}

export interface AdoptionRule<T extends KubeObject, Owner extends KubeObject> {
  readonly name: string;
  /** The name of upstream's adopting controller, whose identity is used. */
  readonly identity: string;
  readonly kind: Kind<T>;
  readonly owner: Kind<Owner>;
  selector(owner: Owner): Selector;
  /** Reports whether an orphan may be adopted. Default: always. */
  when?(orphan: T): boolean;
  /** Reports whether an orphan and an owner satisfy conditions beyond the selector. */
  belongs?(orphan: T, owner: Owner): boolean;
  /** The finalizer that is added on adoption. */
  readonly finalizer?: string;
}

export function defineAdoption<T extends KubeObject, Owner extends KubeObject>(
  rule: AdoptionRule<T, Owner>,
): Controller {
  const isCandidate = (orphan: T) =>
    !getControllerOf(orphan) && !isBeingDeleted(orphan) && (rule.when?.(orphan) ?? true);
  const ownerOf = (orphan: T, client: Client) =>
    client
      .list(rule.owner, { namespace: orphan.metadata.namespace ?? "" })
      .filter((owner) => !isBeingDeleted(owner))
      .find((owner) => matches(rule.selector(owner), orphan) && (rule.belongs?.(orphan, owner) ?? true));
  return defineController({
    name: rule.name,
    user: `system:serviceaccount:kube-system:${rule.identity}`,
    component: rule.identity,
    watches: [
      // Most orphans match no owner and need no request. A later owner searches for orphans itself.
      watch(rule.kind, function* (next, previous, client) {
        if (next && isCandidate(next) && mayMatchNow(next, previous) && ownerOf(next, client)) yield requestOf(next);
      }),
    ],
    reconcile({ namespace, name }, { client }) {
      const orphan = client.get(rule.kind, namespace, name);
      const owner = orphan && isCandidate(orphan) ? ownerOf(orphan, client) : undefined;
      if (orphan && owner) adopt(client, rule.kind, orphan, newControllerRef(owner, rule.owner), rule.finalizer);
      return undefined;
    },
  });
}

/** Defines adoption by an owner whose selector is in its spec. */
export function defineSpecAdoption<T extends KubeObject, Owner extends Selecting>(
  rule: Omit<AdoptionRule<T, Owner>, "selector">,
): Controller {
  return defineAdoption({ ...rule, selector: ({ spec }) => labelSelectorAsSelector(spec.selector) });
}

/** Matches a selector. As upstream, an empty selector matches nothing. */
function matches(selector: Selector, orphan: KubeObject): boolean {
  return !selector.empty && selector.matches(orphan.metadata.labels);
}

/** Reports whether an orphan is new, lost its controller or changed its labels. Upstream searches for an owner then. */
function mayMatchNow(next: KubeObject, previous: KubeObject | undefined): boolean {
  if (!previous || getControllerOf(previous)) return true;
  return !semanticEqual(next.metadata.labels, previous.metadata.labels);
}
