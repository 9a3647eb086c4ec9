// Looks up the ConfigMaps, Secrets and claims of pods on a node.
import type { Node } from "../../../shared/k8s/api/core-v1.ts";
import type { ResourceClaim } from "../../../shared/k8s/api/resource-v1.ts";
import { configMaps } from "../../kinds/core/config-map.ts";
import { persistentVolumeClaims } from "../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { secrets } from "../../kinds/core/secret.ts";
import { resourceClaims } from "../../kinds/resource/resource-claim.ts";
import { attachableOf } from "../../kinds/storage/attachable.ts";
import type { Client } from "../../registry/client.ts";
import type { DataKind, Lookup } from "./references.ts";

export function lookupOn(client: Client, node: Node): Lookup {
  return (kind, namespace, name) => keysOf(client, node, kind, namespace, name);
}

function keysOf(
  client: Client,
  node: Node,
  kind: DataKind,
  namespace: string,
  name: string,
): readonly string[] | undefined {
  if (kind === "secret") {
    const secret = client.get(secrets, namespace, name);
    return secret && Object.keys(secret.data ?? {});
  }
  if (kind === "claim") {
    const claim = client.get(persistentVolumeClaims, namespace, name);
    return (
      claim && (claim.status.phase === "Bound" ? ["bound", ...attachmentFacts(client, node, namespace, name)] : [])
    );
  }
  if (kind === "resourceclaim") return claimFacts(client.get(resourceClaims, namespace, name));
  const configMap = client.get(configMaps, namespace, name);
  return configMap && [...Object.keys(configMap.data ?? {}), ...Object.keys(configMap.binaryData ?? {})];
}

/** Returns the uid, the owners and the users of a claim, and whether it is allocated. */
function claimFacts(claim: ResourceClaim | undefined): readonly string[] | undefined {
  if (!claim) return undefined;
  const { metadata, status } = claim;
  const owners = (metadata.ownerReferences ?? []).map(({ uid }) => `owner/${uid}`);
  const users = (status.reservedFor ?? []).map(({ uid }) => `user/${uid}`);
  return [metadata.uid ?? "", ...owners, ...users, ...(status.allocation ? ["allocated"] : [])];
}

/** Returns whether a bound claim's volume has to be attached to the node, and whether it is. */
function attachmentFacts(client: Client, { status }: Node, namespace: string, claimName: string): readonly string[] {
  const attachable = attachableOf(namespace, claimName, client);
  if (!attachable) return [];
  const isAttached = status.volumesAttached?.some(({ name }) => name === attachable.name);
  return isAttached ? ["attachable", "attached"] : ["attachable"];
}
