// Which sandboxes begin with a base, and with what it is filled.
import { hasUsualFeatures } from "../../../shared/k8s/settings/feature-gates.ts";
import { newestRelease } from "../../../shared/k8s/settings/release.ts";
import { isDefaultNetwork, networkOf } from "../../../shared/k8s/settings/cluster-network.ts";
import { seededRandom, systemRandom } from "../../../shared/base/random.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { InitializeOptions } from "../../../shared/contract/cluster-object.ts";
import type { SandboxSettings } from "../../../shared/contract/sandbox-settings.ts";
import type { StateCertificates } from "../../../shared/state/format.ts";
import { bundle, type ControllerOptions } from "../controllers.ts";
import { type BaseParameters, newestVersion, nodesOfBase } from "./fresh-base.ts";

/**
 * Reports whether a sandbox can begin with the base. Other sandboxes write their initial objects. With fewer nodes the pods of CoreDNS run
 * elsewhere, and a plugin may change them. Other address ranges, features and disabled controllers change the objects, too.
 */
export function isOfBase({
  nodes,
  machines,
  settings,
}: Pick<InitializeOptions, "nodes" | "machines" | "settings">): boolean {
  const { admissionPlugins, controllers = "on", featureGates = {}, version } = settings;
  const isUsual = admissionPlugins.length === 0 && controllers === "on";
  const isDefault = isDefaultNetwork(networkOf(settings)) && hasUsualFeatures(featureGates);
  // The base has the objects of the newest release.
  const isNewest = version === newestRelease.version;
  return nodes >= nodesOfBase && machines === undefined && isUsual && isDefault && isNewest;
}

type BaseOptions = Pick<InitializeOptions, "nodes" | "machines" | "import" | "isImportReceived"> & {
  readonly settings: SandboxSettings;
};

/**
 * Reports whether kube-system has its pods. Undefined for CoreDNS alone. Another cluster's objects bring their own kube-system. Without a
 * controller nothing creates its pods, and without a node none runs. A client that describes each node needs it for its own pods.
 */
export function hasSystemPods(options: BaseOptions): boolean | undefined {
  const { nodes, machines, import: imported, isImportReceived = false, settings } = options;
  const { systemPods, controllers = "on" } = settings;
  if (systemPods !== undefined) return systemPods;
  if (nodes === 0 || controllers === "off") return false;
  const isUsual = imported === undefined && !isImportReceived && machines === undefined && controllers === "on";
  return isUsual && nodes <= limits.systemPodsNodes ? true : undefined;
}

/**
 * The age of a new sandbox's base in milliseconds. Kubelets compute the progress of a container from its times, and the containers of a
 * base are ready.
 */
const settledMs = 30_000;

/** With which a cluster's certificates are made. */
export type Signers = Required<Pick<ControllerOptions, "caPem" | "authority" | "frontProxy">>;

export interface NewBase extends Signers {
  /** A random UUID. */
  readonly seed: string;
  readonly nowMs: number;
  /** Whether kube-system has its pods. Undefined: CoreDNS alone. */
  readonly systemPods: boolean | undefined;
}

/** Returns the UUID from which the uids of a base follow: of the sandbox's seed if it has one, else a random one. */
export function baseSeed(seed: number | undefined): string {
  return (seed === undefined ? systemRandom : seededRandom(seed)).uuid();
}

export function newBase({ seed, nowMs, systemPods, ...signers }: NewBase): BaseParameters {
  const madeMs = nowMs - settledMs;
  return {
    version: newestVersion,
    ...(systemPods === undefined ? { isBare: true } : systemPods ? {} : { isEmpty: true }),
    seed,
    madeMs,
    certificates: certificatesOf(signers),
  };
}

export function certificatesOf({ caPem, authority, frontProxy }: Signers): StateCertificates {
  return {
    rootCA: bundle({ caPem, authority }),
    clientCA: authority.certificate,
    frontProxyCA: frontProxy().authority,
  };
}
