// The effects of a control plane whose files somebody changed. Without a ready kube-apiserver or etcd users' requests are refused. Without the
// scheduler or the controller manager their controllers stop. As long as nobody changes `/etc/kubernetes`, nothing depends on the pods.
import type { KeptEdits } from "../kept-edits.ts";
import { configMaps } from "../../kinds/core/config-map.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { apiServerPort, clusterConfiguration, controlPlaneAnnotation } from "../../machine/control-plane.ts";
import { podOnNode, wholeNode } from "../../machine/node-pod.ts";
import type { Client } from "../../registry/client.ts";
import type { Controller } from "../../runtime/controller.ts";
import type { Runtime } from "../../runtime/runtime.ts";

const namespace = "kube-system";
const configurationFolder = "/etc/kubernetes/";

export class ControlPlane {
  readonly #client: Client;
  readonly #edits: KeptEdits;
  #touched: { readonly node: string; readonly version: number; readonly isTouched: boolean } | undefined;

  constructor(client: Client, edits: KeptEdits) {
    this.#client = client;
    this.#edits = edits;
  }

  /** Returns the node of the control plane if somebody changed its configuration. */
  touchedNode(): string | undefined {
    if (!this.#edits.hasAnyNodeEdits()) return undefined;
    const configuration = this.#client.get(configMaps, namespace, clusterConfiguration);
    const node = configuration?.metadata.annotations?.[controlPlaneAnnotation];
    if (node === undefined || !this.#edits.hasNodeEdits(node)) return undefined;
    const version = this.#edits.nodeVersion(node);
    if (this.#touched?.node !== node || this.#touched.version !== version) {
      const edits = this.#edits.of(podOnNode(node), wholeNode);
      const isTouched = edits.some(({ path }) => path.startsWith(configurationFolder));
      this.#touched = { node, version, isTouched };
    }
    return this.#touched.isTouched ? node : undefined;
  }

  /** Returns the address (`host:port`) at which nobody answers; undefined while the API server runs. */
  downAt(): string | undefined {
    const node = this.touchedNode();
    if (node === undefined || (this.isReady("kube-apiserver", node) && this.isReady("etcd", node))) return undefined;
    const addresses = this.#client.get(nodes, "", node)?.status.addresses ?? [];
    return `${addresses.find(({ type }) => type === "InternalIP")?.address ?? node}:${apiServerPort}`;
  }

  isReady(component: string, node: string): boolean {
    const pod = this.#client.get(pods, namespace, `${component}-${node}`);
    return pod?.status.containerStatuses?.[0]?.ready === true;
  }

  /** Stops the controllers of components that do not run, and lets the others run. */
  stopControllers(runtime: Pick<Runtime, "stopControllers">): void {
    const node = this.touchedNode();
    const isDown = (component: string) => node !== undefined && !this.isReady(component, node);
    const [scheduler, manager] = [isDown("kube-scheduler"), isDown("kube-controller-manager")];
    runtime.stopControllers("control-plane", (controller) => {
      if (controller.user === "system:kube-scheduler") return scheduler;
      return manager && isOfManager(controller);
    });
  }
}

const otherAccounts = /:(csi-|gateway-|webhook-)/;

/** Reports whether a controller is one of the controller manager's, by the user of its writes. */
function isOfManager({ user }: Controller): boolean {
  if (user === undefined || user === "system:kube-controller-manager") return true;
  return user.startsWith("system:serviceaccount:kube-system:") && !otherAccounts.test(user);
}
