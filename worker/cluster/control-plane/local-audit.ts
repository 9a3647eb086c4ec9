// Audit events of the writes that controllers, the scheduler, kubelets and the API server itself make in this process. Upstream's components
// send them as requests, so an audit policy selects them, too.
import { limits } from "../../../shared/base/limits.ts";
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";
import { goJson } from "../../../shared/k8s/go-text.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { rfc3339Micro } from "../../../shared/k8s/time.ts";
import type { AuditSink } from "../../api/api-server.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { objectRef, statusOf, userInfoOf } from "../../registry/audit.ts";
import { type DoneWrite, writePath } from "../../registry/local-write.ts";
import type { Client } from "../../registry/client.ts";

const truncated = { "audit.k8s.io/truncated": "true" };
const kubeletPrefix = "system:node:";

/** Writes the events of a write to the audit log, if the policy selects it. `controlPlane`: the name of the control plane's node. */
export function auditWrite(write: DoneWrite, sink: AuditSink, client: Client, controlPlane: string): void {
  const { verb, kind, subresource, draft } = write;
  const { group, plural, version } = kind;
  const namespace = kind.namespaced ? write.namespace : "";
  const node = write.user.name.startsWith(kubeletPrefix) ? (nodeOf(draft) ?? controlPlane) : undefined;
  const user = node === undefined ? write.user : kubeletUser(node);
  const about = { group, plural, subresource, namespace, name: write.name };
  const { path, uri } = writePath(write);
  const decision = sink.decide({ ...about, isResource: true, verb, path, user });
  if (decision.level === "None") return;
  const { level, omitStages } = decision;
  const bare = (object: KubeObject | undefined) => (decision.omitManagedFields ? withoutManagedFields(object) : object);
  const time = rfc3339Micro(write.nowMs);
  const times = { requestReceivedTimestamp: time, stageTimestamp: time };
  const common = (stage: string) => ({
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level,
    auditID: write.auditId,
    stage,
    requestURI: uri,
    verb,
    user: userInfoOf(user),
    sourceIPs: addressesOf(node ?? controlPlane, client),
    userAgent: userAgentOf(write, client.release.tag),
  });
  const objectRefOf = (name: string) => objectRef({ ...about, name, version });
  const { outcome } = write;
  const completed = {
    ...common("ResponseComplete"),
    objectRef: objectRefOf(write.name),
    responseStatus: typeof outcome === "number" ? { metadata: {}, code: outcome } : statusOf(outcome),
  };
  const annotations = { "authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": "" };
  const withBodies = {
    ...completed,
    requestObject: level === "Metadata" ? undefined : bare(draft),
    responseObject:
      level !== "RequestResponse" ? undefined : typeof outcome === "number" ? bare(write.result) : outcome.toStatus(),
  };
  const full = goJson({ ...withBodies, ...times, annotations });
  const received = {
    ...common("RequestReceived"),
    objectRef: objectRefOf(verb === "create" && subresource === "" ? "" : write.name),
  };
  sink.write(write.nowMs, [
    ...(omitStages.includes("RequestReceived") ? [] : [goJson({ ...received, ...times })]),
    ...(omitStages.includes("ResponseComplete")
      ? []
      : [
          full.length <= limits.auditEventCharacters
            ? full
            : goJson({ ...completed, ...times, annotations: { ...annotations, ...truncated } }),
        ]),
  ]);
}

/** Returns the user of a node's kubelet. In this process all kubelets have one user. */
function kubeletUser(node: string): UserInfo {
  return { name: kubeletPrefix + node, groups: ["system:nodes", "system:authenticated"] };
}

/** Returns the node whose kubelet writes an object: that of a pod or of an event's reporter, or the node itself. */
function nodeOf(draft: KubeObject | undefined): string | undefined {
  // Only the fields of some kinds are read, and only if they are texts.
  const { spec, source, kind, metadata } = (draft ?? {}) as {
    readonly spec?: { readonly nodeName?: unknown };
    readonly source?: { readonly host?: unknown };
    readonly kind?: string;
    readonly metadata?: { readonly name?: string };
  };
  const name = kind === "Node" || kind === "CSINode" ? metadata?.name : (spec?.nodeName ?? source?.host);
  return typeof name === "string" && name !== "" ? name : undefined;
}

function addressesOf(node: string, client: Client): readonly string[] {
  const addresses = client.get(nodes, "", node)?.status.addresses ?? [];
  return addresses.flatMap(({ type, address }) => (type === "InternalIP" ? [address] : []));
}

/** Returns the user agent of the component: a controller's ends with its name. */
function userAgentOf({ manager, user }: DoneWrite, tag: string): string {
  const agent = `${manager}/${tag} (linux/amd64)`;
  return manager === "kube-controller-manager" ? `${agent}/${user.name}` : agent;
}

function withoutManagedFields(object: KubeObject | undefined): object | undefined {
  if (!object) return undefined;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
