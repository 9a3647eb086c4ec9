// The kind ServiceAccount.
import type { ServiceAccount } from "../../../shared/k8s/api/core-v1.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";

const enforceMountableSecrets = "kubernetes.io/enforce-mountable-secrets";

export const serviceAccounts = defineKind<ServiceAccount>("", "v1", "serviceaccounts", {
  prepareForCreate: cleanSecretReferences,
  prepareForUpdate: cleanSecretReferences,
  warnings(next, previous) {
    const hasNow = next.metadata.annotations?.[enforceMountableSecrets] !== undefined;
    const hadBefore = previous?.metadata.annotations?.[enforceMountableSecrets] !== undefined;
    if (!hasNow || hadBefore) return [];
    return [
      `metadata.annotations[${enforceMountableSecrets}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
    ];
  },
  deletion: { returnsObject: true },
  validateUpdate: (_next, _previous, check) => [...check.objectMetaUpdate(), ...check.objectMeta()],
  columns: [nameColumn, ageColumn],
});

/** Drops all fields of secret references but the name. */
function cleanSecretReferences(draft: ServiceAccount): void {
  if (!draft.secrets) return;
  draft.secrets = draft.secrets.map(({ name }) => (name ? { name } : {}));
}
