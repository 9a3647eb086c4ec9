// The resources and subresources of one group version, as `APIResourceList` names them.
import type { Kind } from "../../kinds/kind.ts";
import { storageVersionHash } from "../non-resource/hash.ts";

/** Upstream's `metav1.APIResource`, in its order. */
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

/** A subresource's own kind; where `group` is absent, of the parent's group version. */
interface SubresourceKind {
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
}

/** Kinds of subresources that differ from their parent's. `*` is any resource. */
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

/** The resources of kinds of one group version, each followed by its subresources, by name. */
export async function resourcesOf(kinds: readonly Kind[]): Promise<ApiResource[]> {
  const all = await Promise.all(
    kinds.map(async (kind) => [
      await resourceOf(kind),
      ...Object.entries(kind.subresources).map(([name, methods]) => subresourceOf(kind, name, methods)),
    ]),
  );
  // Subresources of what a definition brings stay in their own order.
  const keyOf = ({ name }: ApiResource) => (kinds[0]?.custom ? (name.split("/")[0] ?? "") : name);
  return all.flat().sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
}

/** The kind that a subresource reads and writes. */
export function subresourceKind(kind: Kind, name: string): SubresourceKind {
  return subresourceKinds[`${kind.plural}/${name}`] ?? subresourceKinds[`*/${name}`] ?? { kind: kind.kind };
}

async function resourceOf(kind: Kind): Promise<ApiResource> {
  // What is only ever created (reviews, bindings) or made up when read is not stored, so it has no storage version.
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

/** Of a kind that is going, those that make nothing. Upstream tells others in order, but not what it has no type for. */
function listedVerbs(kind: Kind): readonly string[] {
  if (kind.refusesCreation) return kind.verbs.filter((verb) => !["patch", "create", "update"].includes(verb));
  return kind.custom ? kind.verbs : [...kind.verbs].sort();
}

function subresourceOf(kind: Kind, name: string, methods: readonly string[]): ApiResource {
  const own = subresourceKind(kind, name);
  const verbs = methods.map((method) => verbsOfMethods[method]).filter((verb) => verb !== undefined);
  return {
    name: `${kind.plural}/${name}`,
    singularName: "",
    namespaced: kind.namespaced,
    ...(own.group ? { group: own.group } : {}),
    ...(own.version ? { version: own.version } : {}),
    kind: own.kind,
    verbs: verbs.sort(),
  };
}
