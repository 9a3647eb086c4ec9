// The effects of a control plane whose files somebody changed. Without a ready kube-apiserver or etcd users' requests are refused. Without the
// scheduler or the controller manager their controllers stop. Flags of the running kube-apiserver act on requests. As long as nobody changes
// `/etc/kubernetes`, nothing depends on the pods.
import { auditDecision, auditRuleWork } from "../../../shared/k8s/audit/policy.ts";
import { pluginsOfFlags } from "../../admission/catalogue.ts";
import type { AuditSink } from "../../api/api-server.ts";
import type { AdmissionPlugin } from "../../registry/admission.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Sql } from "../../store/sql.ts";
import type { KeptEdits } from "../kept-edits.ts";
import type { DoneWrite } from "../../registry/local-write.ts";
import { auditWrite } from "./local-audit.ts";
import { Encryption } from "./encryption.ts";
import { type ServerSettings, serverSettings } from "./server-settings.ts";
import { configMaps } from "../../kinds/core/config-map.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { apiServerPort, clusterConfiguration, controlPlaneAnnotation } from "../../machine/control-plane.ts";
import { podOnNode, wholeNode } from "../../machine/node-pod.ts";
import type { Client } from "../../registry/client.ts";
import type { Controller } from "../../runtime/controller.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** The work of storing a letter of the audit log. */
const auditLetterWork = 0.01;
/** The work of writing the newest chunk of the log again. */
const auditChunkWork = 30;
const namespace = "kube-system";
const configurationFolder = "/etc/kubernetes/";

export interface ControlPlaneOptions {
  readonly client: Client;
  readonly edits: KeptEdits;
  readonly sql: Sql;
  /** The admission plugins of the installation. */
  readonly plugins: readonly AdmissionPlugin[];
}

export class ControlPlane {
  readonly #client: Client;
  readonly #edits: KeptEdits;
  readonly #installedPlugins: readonly AdmissionPlugin[];
  readonly encryption: Encryption;
  #loaded: { readonly start: string; readonly settings: ServerSettings } | undefined;
  #plugins: { readonly settings: ServerSettings; readonly plugins: readonly AdmissionPlugin[] } | undefined;
  #touched: { readonly node: string; readonly version: number; readonly isTouched: boolean } | undefined;

  constructor({ client, edits, sql, plugins }: ControlPlaneOptions) {
    this.#client = client;
    this.#edits = edits;
    this.#installedPlugins = plugins;
    this.encryption = new Encryption(sql);
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

  /** Returns the settings of the running API server; undefined if they are those of the installation. */
  settings(): ServerSettings | undefined {
    const node = this.touchedNode();
    const pod = node === undefined ? undefined : this.#client.get(pods, namespace, `kube-apiserver-${node}`);
    const startedAt = pod?.status.containerStatuses?.[0]?.state.running?.startedAt;
    if (node === undefined || !pod || !startedAt) return undefined;
    const start = `${pod.metadata.uid ?? ""}/${startedAt}`;
    if (this.#loaded?.start !== start)
      this.#loaded = { start, settings: serverSettings(pod, startedAt, this.#edits.of(podOnNode(node), wholeNode)) };
    return this.#loaded.settings;
  }

  plugins(): readonly AdmissionPlugin[] {
    const settings = this.settings();
    if (!settings) return this.#installedPlugins;
    if (this.#plugins?.settings !== settings) {
      const { enabledPlugins, disabledPlugins } = settings;
      this.#plugins = { settings, plugins: pluginsOfFlags(this.#installedPlugins, enabledPlugins, disabledPlugins) };
    }
    return this.#plugins.plugins;
  }

  /** Returns the audit log of the running API server; undefined if it writes none. */
  audit(): AuditSink | undefined {
    const node = this.touchedNode();
    const audit = this.settings()?.audit;
    if (node === undefined || !audit) return undefined;
    const { policy, path } = audit;
    return {
      decide: (request) => {
        this.#client.meter.account(policy.rules.length * auditRuleWork);
        return auditDecision(policy, request);
      },
      write: (atMs, lines) => {
        const text = lines.map((line) => `${line}\n`).join("");
        this.#client.meter.account(auditChunkWork + text.length * auditLetterWork);
        try {
          this.#edits.appendLog(node, [{ atMs, path, text }]);
        } catch (error) {
          // The disk is full. The request that the events describe succeeds or fails regardless.
          if (!(error instanceof ApiError)) throw error;
        }
      },
    };
  }

  /** Returns a function that audits writes of controllers; undefined if the running API server writes no audit log. */
  auditOfWrites(): ((write: DoneWrite) => void) | undefined {
    if (!this.#edits.hasAnyNodeEdits()) return undefined;
    const node = this.touchedNode();
    const sink = node === undefined ? undefined : this.audit();
    return sink && node !== undefined ? (write) => auditWrite(write, sink, this.#client, node) : undefined;
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
