// Authorizes nodes: they may read the objects that their pods reference, and write their own objects (upstream: the Node authorizer).
import { type Attributes, type Decision, nodeOf, type UserInfo } from "../../shared/k8s/authorizer.ts";
import { resourceSlices } from "../kinds/resource/resource-slice.ts";
import { volumeAttachments } from "../kinds/storage/volume-attachment.ts";
import type { Store } from "../store/store.ts";
import { referencesOfNode } from "./node-references.ts";
import { nodeRules } from "./policy.ts";
import { allows } from "./rule.ts";

const leaseNamespace = "kube-node-lease";

/** Returns an authorizer that returns undefined for users who are no nodes. */
export function nodeAuthorizer(store: Store): (user: UserInfo, attributes: Attributes) => Decision | undefined {
  return (user, attributes) => {
    const node = nodeOf(user);
    if (node === undefined) return undefined;
    if (node === "") return { allowed: false, reason: `unknown node for user ${JSON.stringify(user.name)}` };
    const refusal = refusalOf(store, node, attributes);
    return { allowed: refusal === undefined, reason: refusal ?? "" };
  };
}

/** Returns the reason of a denial; undefined if the request is allowed. */
function refusalOf(store: Store, node: string, attributes: Attributes): string | undefined {
  const divided = attributes.isResource ? dividedResources[resourceName(attributes)] : undefined;
  if (divided) return divided({ store, node, attributes });
  return nodeRules().some((rule) => allows(rule, attributes)) ? undefined : "";
}

interface NodeRequest {
  readonly store: Store;
  readonly node: string;
  readonly attributes: Attributes;
}

/** Resources of which a node may access only some objects. */
const dividedResources: Readonly<Record<string, (request: NodeRequest) => string | undefined>> = {
  secrets: readsRelated,
  configmaps: readsRelated,
  persistentvolumeclaims: (request) =>
    request.attributes.subresource === "status" ? updatesStatus(request) : getsRelated(request),
  persistentvolumes: getsRelated,
  "resourceclaims.resource.k8s.io": getsRelated,
  "volumeattachments.storage.k8s.io": getsRelated,
  serviceaccounts: (request) => {
    const { verb, subresource, name } = request.attributes;
    if (verb === "get" && subresource === "") return readsRelated(request);
    if (verb !== "create" || name === "") return "can only create tokens for individual service accounts";
    if (subresource !== "token") return "can only create token subresource of serviceaccount";
    return refusalOfUnrelated(request);
  },
  "leases.coordination.k8s.io": ({ node, attributes: { verb, namespace, name } }) => {
    if (!ownVerbs.has(verb)) return "can only get, create, update, patch, or delete a node lease";
    if (namespace !== leaseNamespace) return `can only access leases in the "${leaseNamespace}" system namespace`;
    if (verb !== "create" && name !== node) {
      return "can only access node lease with the same name as the requesting node";
    }
    return undefined;
  },
  "csinodes.storage.k8s.io": ({ node, attributes: { verb, subresource, name } }) => {
    if (!ownVerbs.has(verb)) return "can only get, create, update, patch, or delete a CSINode";
    if (subresource) return "cannot authorize CSINode subresources";
    if (verb !== "create" && name !== node) return "can only access CSINode with the same name as the requesting node";
    return undefined;
  },
  "resourceslices.resource.k8s.io": ownSlice,
  nodes: ownNode,
  pods: ownPods,
};

const ownVerbs = new Set(["get", "create", "update", "patch", "delete"]);
const readVerbs = new Set(["get", "list", "watch"]);

function readsRelated(request: NodeRequest): string | undefined {
  const { verb, subresource, namespace } = request.attributes;
  if (!readVerbs.has(verb)) return "can only read resources of this type";
  if (subresource) return "cannot read subresource";
  if (namespace === "") return "can only read namespaced object of this type";
  return refusalOfUnrelated(request);
}

function getsRelated(request: NodeRequest): string | undefined {
  const { verb, subresource } = request.attributes;
  if (verb !== "get") return "can only get individual resources of this type";
  if (subresource) return "cannot get subresource";
  return refusalOfUnrelated(request);
}

function updatesStatus(request: NodeRequest): string | undefined {
  const { verb } = request.attributes;
  return verb === "update" || verb === "patch" ? refusalOfUnrelated(request) : "can only get/update/patch this type";
}

function refusalOfUnrelated({ store, node, attributes }: NodeRequest): string | undefined {
  const { name, namespace, plural } = attributes;
  if (name === "") return "No Object name found";
  const isRelated = named[plural]
    ? named[plural](store, name) === node
    : referencesOfNode(store, node).has(`${plural} ${namespace ? `${namespace}/` : ""}${name}`);
  return isRelated ? undefined : `no relationship found between node '${node}' and this object`;
}

/** Resources whose objects have the name of their node in a field. */
const named: Readonly<Record<string, (store: Store, name: string) => string | undefined>> = {
  volumeattachments: (store, name) => nodeNameOf(store, volumeAttachments.resource, name),
  resourceslices: (store, name) => nodeNameOf(store, resourceSlices.resource, name),
};

function nodeNameOf(store: Store, resource: string, name: string): string | undefined {
  // Objects of both kinds have the field.
  const object = store.get({ resource, namespace: "", name }) as { spec?: { nodeName?: string } } | undefined;
  return object?.spec?.nodeName;
}

function ownSlice(request: NodeRequest): string | undefined {
  const { verb, subresource } = request.attributes;
  if (subresource) return "cannot authorize ResourceSlice subresources";
  if (verb === "create") return undefined;
  if (ownVerbs.has(verb)) return refusalOfUnrelated(request);
  if (verb === "list" || verb === "watch" || verb === "deletecollection") {
    if (selects(request, "spec.nodeName")) return undefined;
    return "can only list/watch/deletecollection resourceslices with nodeName field selector";
  }
  return "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection";
}

function ownNode({ node, attributes: { verb, subresource, name } }: NodeRequest): string | undefined {
  if (subresource === "status") return verb === "update" || verb === "patch" ? undefined : "";
  if (subresource !== "") return "";
  if (verb === "create" || verb === "update" || verb === "patch") return undefined;
  if (!readVerbs.has(verb)) return "";
  if (name === node) return undefined;
  if (name === "") return `node '${node}' cannot read all nodes, only its own Node object`;
  return `node '${node}' cannot read '${name}', only its own Node object`;
}

function ownPods(request: NodeRequest): string | undefined {
  const { verb, subresource, name } = request.attributes;
  if (subresource === "status") return verb === "update" || verb === "patch" ? undefined : "";
  if (subresource === "eviction") return verb === "create" ? undefined : "";
  if (subresource !== "") return "";
  if (verb === "create" || verb === "delete") return undefined;
  if (verb === "get") return getsRelated(request);
  if (verb !== "list" && verb !== "watch") return "";
  if (selects(request, "spec.nodeName")) return undefined;
  if (name !== "") return refusalOfUnrelated(request);
  return "can only list/watch pods with spec.nodeName field selector";
}

function selects({ node, attributes }: NodeRequest, field: string): boolean {
  return attributes.fields?.some(([name, value]) => name === field && value === node) === true;
}

function resourceName({ plural, group }: Attributes): string {
  return group ? `${plural}.${group}` : plural;
}
