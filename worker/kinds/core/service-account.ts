// The kind ServiceAccount.
import type { ServiceAccount } from "../../../shared/k8s/api/core-v1.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { type Column, defineKind } from "../kind.ts";

const enforceMountableSecrets = "kubernetes.io/enforce-mountable-secrets";

/** Removed in 1.35. */
const secretsColumn: Column<ServiceAccount> = {
  name: "Secrets",
  type: "string",
  description:
    "Secrets is a list of the secrets in the same namespace that pods running using this ServiceAccount are allowed to use.",
  cell: ({ secrets = [] }) => secrets.length,
};

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
  inRelease: ({ minor }) => (minor < 35 ? { columns: [nameColumn, secretsColumn, ageColumn] } : {}),
});

/** Drops all fields of secret references but the name. */
function cleanSecretReferences(draft: ServiceAccount): void {
  if (!draft.secrets) return;
  draft.secrets = draft.secrets.map(({ name }) => (name ? { name } : {}));
}
