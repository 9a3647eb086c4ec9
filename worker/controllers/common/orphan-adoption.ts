// The controller form of adoption: an orphan that appears or changes is given to the owner whose selector matches it. Its
// requests are the orphans, so that an owner's own reconcile needs no scan of its namespace for them.
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import type { LabelSelector } from "../../../shared/k8s/api/meta-v1.ts";
import { type Selector, labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { type KubeObject, getControllerOf, isBeingDeleted } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";
import { type Controller, defineController, requestOf, watch } from "../../runtime/controller.ts";
import { adopt, newControllerRef } from "./controller-ref.ts";

/** An owner that selects by labels and expressions. */
interface Selecting extends KubeObject {
  readonly spec: { readonly selector?: LabelSelector };
}

export interface AdoptionRule<T extends KubeObject, Owner extends KubeObject> {
  readonly name: string;
  /** The controller that adopts upstream, whose identity the write has. */
  readonly identity: string;
  readonly kind: Kind<T>;
  readonly owner: Kind<Owner>;
  selector(owner: Owner): Selector;
  /** Which orphans are worth adopting; by default all. */
  when?(orphan: T): boolean;
  /** What else must hold between the two, beside the selector. */
  belongs?(orphan: T, owner: Owner): boolean;
  /** What an adopted object is held by. */
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
      .filter((one) => !isBeingDeleted(one))
      .find((one) => matches(rule.selector(one), orphan) && (rule.belongs?.(orphan, one) ?? true));
  return defineController({
    name: rule.name,
    user: `system:serviceaccount:kube-system:${rule.identity}`,
    component: rule.identity,
    watches: [
      // Most orphans are nobody's: they are not worth a request. An owner that comes later looks for them itself.
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

/** Adoption by an owner whose selector stands in its spec, as most do. */
export function defineSpecAdoption<T extends KubeObject, Owner extends Selecting>(
  rule: Omit<AdoptionRule<T, Owner>, "selector">,
): Controller {
  return defineAdoption({ ...rule, selector: ({ spec }) => labelSelectorAsSelector(spec.selector) });
}

/** A selector that restricts nothing is never meant: it matches nothing here, as upstream. */
function matches(selector: Selector, orphan: KubeObject): boolean {
  return !selector.empty && selector.matches(orphan.metadata.labels);
}

/** Upstream looks for an adopter when the orphan is new, lost its controller or changed its labels. */
function mayMatchNow(next: KubeObject, previous: KubeObject | undefined): boolean {
  if (!previous || getControllerOf(previous)) return true;
  return !semanticEqual(next.metadata.labels, previous.metadata.labels);
}
