// Lists the resources and subresources of a group version for `APIResourceList`.
import type { Kind } from "../../kinds/kind.ts";
import { storageVersionHash } from "../non-resource/hash.ts";

/** Upstream's `metav1.APIResource`, with its field order. */
export interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

/** The kind of a subresource. Without `group`, it is of the parent's group version. */
interface SubresourceKind {
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
}

/** The kinds of subresources that differ from their parent's. `*` is any resource. */
const subresourceKinds: Readonly<Record<string, SubresourceKind>> = {
  "*/scale": { group: "autoscaling", version: "v1", kind: "Scale" },
  "pods/attach": { kind: "PodAttachOptions" },
  "pods/binding": { kind: "Binding" },
  "pods/eviction": { group: "policy", version: "v1", kind: "Eviction" },
  "pods/exec": { kind: "PodExecOptions" },
  "pods/portforward": { kind: "PodPortForwardOptions" },
  "pods/proxy": { kind: "PodProxyOptions" },
  "nodes/proxy": { kind: "NodeProxyOptions" },
  "services/proxy": { kind: "ServiceProxyOptions" },
  "serviceaccounts/token": { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
};
const verbsOfMethods: Readonly<Record<string, string>> = {
  delete: "delete",
  get: "get",
  patch: "patch",
  post: "create",
  put: "update",
};

/** Returns the resources of one group version by name, each followed by its subresources. */
export async function resourcesOf(kinds: readonly Kind[]): Promise<ApiResource[]> {
  const all = await Promise.all(
    kinds.map(async (kind) => [
      await resourceOf(kind),
      ...Object.entries(kind.subresources).map(([name, methods]) => subresourceOf(kind, name, methods)),
    ]),
  );
  // Subresources of custom resources are not sorted.
  const keyOf = ({ name }: ApiResource) => (kinds[0]?.custom ? (name.split("/")[0] ?? "") : name);
  return all.flat().sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
}

/** Returns the kind that a subresource reads and writes. */
export function subresourceKind(kind: Kind, name: string): SubresourceKind {
  return subresourceKinds[`${kind.plural}/${name}`] ?? subresourceKinds[`*/${name}`] ?? { kind: kind.kind };
}

async function resourceOf(kind: Kind): Promise<ApiResource> {
  // Resources that are only created (reviews, bindings) or computed have no storage version.
  const stored = kind.conversion?.hub ?? kind;
  const version = kind.conversion?.storageVersion ?? kind.version;
  const isStored = kind.verbs.includes("list") && !kind.computed && version !== "";
  const hash = isStored ? await storageVersionHash(stored.group, version, stored.kind) : "";
  return {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: listedVerbs(kind),
    ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
    ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    ...(hash ? { storageVersionHash: hash } : {}),
  };
}

/**
 * Returns the verbs of a kind. A kind that is being deleted has no verbs that create. Upstream sorts the verbs, except for custom
 * resources.
 */
function listedVerbs(kind: Kind): readonly string[] {
  if (kind.refusesCreation) return kind.verbs.filter((verb) => !["patch", "create", "update"].includes(verb));
  return kind.custom ? kind.verbs : [...kind.verbs].sort();
}

function subresourceOf(kind: Kind, name: string, methods: readonly string[]): ApiResource {
  const ownKind = subresourceKind(kind, name);
  const verbs = methods.map((method) => verbsOfMethods[method]).filter((verb) => verb !== undefined);
  return {
    name: `${kind.plural}/${name}`,
    singularName: "",
    namespaced: kind.namespaced,
    ...(ownKind.group ? { group: ownKind.group } : {}),
    ...(ownKind.version ? { version: ownKind.version } : {}),
    kind: ownKind.kind,
    verbs: verbs.sort(),
  };
}
