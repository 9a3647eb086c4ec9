// The kind CSIDriver of storage.k8s.io.
import type { CSIDriver, CSIDriverSpec, TokenRequest } from "../../../shared/k8s/api/storage-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  invalid,
  notSupported,
  notSupportedInOrder,
  path,
  required,
} from "../../../shared/k8s/field.ts";
import { validateImmutable } from "../../../shared/k8s/validate-meta.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { type Column, defineKind } from "../kind.ts";
import { repeatsOf } from "../../../shared/k8s/repeats.ts";

const groupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];
const lifecycleModes = ["Persistent", "Ephemeral"];
const seconds = { minPeriod: 10, minToken: 600, maxToken: 2 ** 32 };
const unsafeTokens =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";

export const csiDrivers = defineKind<CSIDriver>("storage.k8s.io", "v1", "csidrivers", {
  deletion: { returnsObject: true },
  allowUnconditionalUpdate: false,
  defaults({ spec }) {
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
    if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ["Persistent"];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
  prepareForCreate(draft) {
    delete draft.spec.preventPodSchedulingIfMissing;
  },
  prepareForUpdate(draft, previous) {
    if (previous.spec.preventPodSchedulingIfMissing === undefined) delete draft.spec.preventPodSchedulingIfMissing;
    // Upstream increments the generation that the first writer set, if any.
    if (semanticEqual(draft.spec, previous.spec)) return;
    draft.metadata.generation = (previous.metadata.generation ?? 0) + 1;
  },
  validate: ({ spec }) => validateSpec(spec, path("spec")),
  validateUpdate: ({ spec: next }, { spec: previous }, check) => [
    ...check.objectMetaUpdate(),
    ...check.validate(),
    ...validateImmutable(next.attachRequired, previous.attachRequired, path("spec", "attachedRequired")),
    ...validateImmutable(
      next.volumeLifecycleModes,
      previous.volumeLifecycleModes,
      path("spec", "volumeLifecycleModes"),
    ),
  ],
  warnings({ spec }, previous) {
    const isChanged = !previous || !semanticEqual(spec.tokenRequests, previous.spec.tokenRequests);
    const isUnsafe = spec.tokenRequests?.length && spec.serviceAccountTokenInSecrets === undefined;
    return isChanged && isUnsafe ? [unsafeTokens] : [];
  },
  columns: [
    nameColumn,
    flag("AttachRequired", "Whether volumes are attached to nodes first.", (spec) => spec.attachRequired ?? true),
    flag("PodInfoOnMount", "Whether the driver is told of the pod.", (spec) => spec.podInfoOnMount ?? false),
    flag("StorageCapacity", "Whether the driver reports how much is left.", (spec) => spec.storageCapacity ?? false),
    {
      name: "TokenRequests",
      type: "string",
      description: "Audiences of the tokens that the driver gets.",
      cell: ({ spec }) => spec.tokenRequests?.map(({ audience }) => audience).join(",") ?? "<unset>",
    },
    flag(
      "RequiresRepublish",
      "Whether the driver is called again and again.",
      (spec) => spec.requiresRepublish ?? false,
    ),
    {
      name: "Modes",
      type: "string",
      description: "Kinds of volumes that the driver makes.",
      cell: ({ spec }) => (spec.volumeLifecycleModes ?? []).join(",") || "<none>",
    },
    ageColumn,
  ],
});

function flag(name: string, description: string, read: (spec: CSIDriverSpec) => boolean): Column<CSIDriver> {
  return { name, type: "boolean", description, cell: ({ spec }) => read(spec) };
}

function validateSpec(spec: CSIDriverSpec, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { fsGroupPolicy, tokenRequests = [], nodeAllocatableUpdatePeriodSeconds: period } = spec;
  const { serviceAccountTokenInSecrets: inSecrets } = spec;
  if (fsGroupPolicy !== undefined && !groupPolicies.includes(fsGroupPolicy)) {
    errors.push(notSupported(at.child("fsGroupPolicy"), fsGroupPolicy, groupPolicies));
  }
  errors.push(...validateTokenRequests(tokenRequests, at.child("tokenRequests")));
  for (const mode of spec.volumeLifecycleModes ?? []) {
    if (lifecycleModes.includes(mode)) continue;
    errors.push(notSupportedInOrder(at.child("volumeLifecycleModes"), mode, lifecycleModes));
  }
  if (spec.seLinuxMount === undefined) errors.push(required(at.child("seLinuxMount")));
  if (period !== undefined && period < seconds.minPeriod) {
    const where = at.child("nodeAllocatableUpdatePeriodSeconds");
    errors.push(invalid(where, period, "must be greater than or equal to 10 seconds"));
  }
  if (inSecrets !== undefined && !tokenRequests.length) {
    const why = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    errors.push(invalid(at.child("serviceAccountTokenInSecrets"), inSecrets, why));
  }
  return errors;
}

function validateTokenRequests(requests: readonly TokenRequest[], at: FieldPath): FieldError[] {
  const repeats = repeatsOf(requests, ({ audience }) => audience);
  return requests.flatMap(({ audience, expirationSeconds: expiry }, index) => {
    if (repeats[index]) return [duplicate(at.index(index).child("audience"), audience)];
    const where = at.index(index).child("expirationSeconds");
    if (expiry === undefined) return [];
    if (expiry < seconds.minToken) return [invalid(where, expiry, "may not specify a duration less than 10 minutes")];
    if (expiry <= seconds.maxToken) return [];
    return [invalid(where, expiry, "may not specify a duration larger than 2^32 seconds")];
  });
}
