// The controller of a control plane that is changed on its node. It stops and starts the components' controllers and does what the node's tools
// ask for. When etcd starts with a restored data folder, it has the cluster restored.
import { dataOf } from "./token-secret.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { databasePath, readSnapshot } from "../../containers/node/etcd-data.ts";
import { type NodeRequest, pendingRequests } from "../../containers/node/requests.ts";
import { daemonSets } from "../../kinds/apps/daemon-set.ts";
import { configMaps } from "../../kinds/core/config-map.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { secrets } from "../../kinds/core/secret.ts";
import { clusterConfiguration, controlPlaneAnnotation } from "../../machine/control-plane.ts";
import { podOnNode, wholeNode } from "../../machine/node-pod.ts";
import { type Controller, defineController, type ReconcileContext, watch } from "../../runtime/controller.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Sql } from "../../store/sql.ts";
import { readMeta, writeMeta } from "../../store/tables.ts";
import type { KeptEdits } from "../kept-edits.ts";
import type { ControlPlane } from "./control-plane.ts";

export const controlPlaneController = "control-plane";
const namespace = "kube-system";
const mirror = "kubernetes.io/config.mirror";
const request = { namespace: "", name: "control-plane" };
const restoredKey = "etcd-restored";

export interface ControlPlaneHost {
  readonly sql: Sql;
  readonly edits: KeptEdits;
  controlPlane(): ControlPlane;
  runtime(): Pick<Runtime, "stopControllers">;
  /** Returns the newest revision of the cluster. */
  revision(): number;
  /** Has the cluster set to its state at a moment, after this turn. Undefined where states cannot be set. */
  readonly restore: ((atMs: number) => void) | undefined;
}

export function controlPlaneTimer(host: ControlPlaneHost): Controller {
  return defineController({
    name: controlPlaneController,
    user: "kubernetes-admin",
    component: "kubeadm",
    watches: [
      watch(pods, function* (next, previous) {
        const { metadata } = next ?? previous ?? {};
        if (metadata?.namespace === namespace && metadata.annotations?.[mirror] !== undefined) yield request;
      }),
    ],
    reconcile(_request, context) {
      const controlPlane = host.controlPlane();
      controlPlane.stopControllers(host.runtime());
      const settings = controlPlane.settings();
      if (settings) controlPlane.encryption.begin(settings.encryption, host.revision());
      const node = context.client.get(configMaps, namespace, clusterConfiguration)?.metadata.annotations?.[
        controlPlaneAnnotation
      ];
      if (node === undefined || !host.edits.hasNodeEdits(node)) return undefined;
      const pod = podOnNode(node);
      const edits = host.edits.of(pod, wholeNode);
      for (const [path, nodeRequest] of pendingRequests(edits)) {
        perform(nodeRequest, context);
        host.edits.add(pod, wholeNode, [{ atMs: context.nowMs, path, text: undefined, removed: true }]);
      }
      if (controlPlane.touchedNode() !== undefined && controlPlane.isReady("etcd", node)) restore(node, host, context);
      return undefined;
    },
  });
}

function perform(nodeRequest: NodeRequest, { client, nowMs }: ReconcileContext): void {
  if (nodeRequest.kind === "delete-token") {
    client.tryDelete(secrets, namespace, `bootstrap-token-${nodeRequest.id}`);
    return;
  }
  if (nodeRequest.kind === "set-version") return setVersion(nodeRequest.version, client);
  const name = `bootstrap-token-${nodeRequest.id}`;
  if (client.get(secrets, namespace, name)) return;
  client.create(secrets, {
    metadata: { name, namespace },
    type: "bootstrap.kubernetes.io/token",
    data: dataOf(
      nodeRequest,
      nodeRequest.expiresMs === undefined ? undefined : rfc3339(Math.max(nowMs, nodeRequest.expiresMs)),
    ),
  });
}

/** Records the version of the control plane and of kube-proxy. */
function setVersion(version: string, client: ReconcileContext["client"]): void {
  const configuration = client.get(configMaps, namespace, clusterConfiguration);
  const text = configuration?.data?.["ClusterConfiguration"];
  if (configuration && text !== undefined) {
    const next = text.replace(/^kubernetesVersion: .*$/m, `kubernetesVersion: ${version}`);
    client.update(configMaps, { ...configuration, data: { ...configuration.data, ClusterConfiguration: next } });
  }
  const proxy = client.get(daemonSets, namespace, "kube-proxy");
  if (!proxy) return;
  const { spec } = proxy;
  const containers = spec.template.spec.containers.map((container) => ({
    ...container,
    image: (container.image ?? "").replace(/(\/kube-proxy):v[\d.]+$/, `$1:${version}`),
  }));
  const template = { ...spec.template, spec: { ...spec.template.spec, containers } };
  client.update(daemonSets, { ...proxy, spec: { ...spec, template } });
}

/** Has the cluster restored if etcd's data folder was restored from a snapshot since the last time. */
function restore(node: string, { sql, edits, restore }: ControlPlaneHost, { client }: ReconcileContext): void {
  const etcd = client.get(pods, namespace, `etcd-${node}`);
  const folder = etcd?.spec.volumes?.find(({ name }) => name === "etcd-data")?.hostPath?.path ?? "/var/lib/etcd";
  const path = `${folder}/${databasePath}`;
  let text: string | undefined;
  let writtenMs = 0;
  for (const edit of edits.of(podOnNode(node), wholeNode)) {
    const isRemoved = edit.removed === true && (path === edit.path || path.startsWith(`${edit.path}/`));
    if (edit.path === path || isRemoved) [text, writtenMs] = [isRemoved ? undefined : edit.text, edit.atMs];
  }
  const snapshot = readSnapshot(text);
  if (!snapshot) return;
  const id = `${folder} ${writtenMs}`;
  if (readMeta(sql, restoredKey) === id) return;
  writeMeta(sql, restoredKey, id);
  restore?.(snapshot.atMs);
}
