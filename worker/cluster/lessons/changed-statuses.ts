// Admission that changes statuses on their way into the store: by it somebody could make controllers write what is not so.
import type {
  MutatingAdmissionPolicy,
  MutatingWebhookConfiguration,
} from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { mutatingAdmissionPolicies } from "../../kinds/admissionregistration/mutating-admission-policy.ts";
import { mutatingWebhookConfigurations } from "../../kinds/admissionregistration/mutating-webhook-configuration.ts";
import type { Kind } from "../../kinds/kind.ts";
import { readsOf, type Registry } from "../../registry/registry.ts";

const kinds = [mutatingAdmissionPolicies, mutatingWebhookConfigurations] as const;

/** The first that is there, or was after a revision, or the first past the bound, as `mutatingwebhookconfigurations.admissionregistration.k8s.io name`; "" where none is. */
export function whatChangesStatuses(registry: Registry, since: number): string {
  let read = 0;
  for (const kind of kinds) {
    for (const object of objectsSince(registry, kind, since)) {
      read += 1;
      if (read > limits.checkChanges || resourcesOf(object).some(isStatus))
        return `${kind.resource} ${object.metadata.name ?? ""}`;
    }
  }
  return "";
}

/** With what they were before each change. */
function* objectsSince(registry: Registry, kind: Kind, since: number): Generator<KubeObject> {
  yield* readsOf(registry).list(kind);
  for (let after = since; ; ) {
    const portion = registry.store.history(after, limits.changeBatch, kind.resource);
    for (const { object, previous } of portion) {
      yield object;
      if (previous) yield previous;
    }
    const last = portion.at(-1);
    if (!last) return;
    after = last.revision;
  }
}

/** Returns the resources that a webhook configuration or a policy matches. */
function resourcesOf(object: KubeObject): readonly string[] {
  const { webhooks = [] } = object as Partial<MutatingWebhookConfiguration>;
  const { spec } = object as Partial<MutatingAdmissionPolicy>;
  const rules = [
    ...webhooks.flatMap((webhook) => webhook.rules ?? []),
    ...(spec?.matchConstraints?.resourceRules ?? []),
  ];
  return rules.flatMap(({ resources = [] }) => resources);
}

/** `*` stands for resources without their subresources. */
function isStatus(resource: string): boolean {
  return resource.endsWith("/status") || resource.endsWith("/*");
}
