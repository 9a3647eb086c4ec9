// Which sandboxes begin with a base, and with what it is filled.
import { hasUsualFeatures } from "../../../shared/k8s/settings/feature-gates.ts";
import { isDefaultNetwork, networkOf } from "../../../shared/k8s/settings/cluster-network.ts";
import { seededRandom, systemRandom } from "../../../shared/base/random.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { InitializeOptions } from "../../../shared/contract/cluster-object.ts";
import type { SandboxSettings } from "../../../shared/contract/sandbox-settings.ts";
import type { StateCertificates } from "../../../shared/state/format.ts";
import { bundle, type ControllerOptions } from "../controllers.ts";
import { type BaseParameters, newestVersion, nodesOfBase } from "./fresh-base.ts";

/** Others are written out: with fewer nodes the pods of CoreDNS stand elsewhere, a plugin may want them otherwise,
 * their addresses are of the default ranges, features add to them, and without controllers nobody makes them. */
export function isOfBase({
  nodes,
  machines,
  settings,
}: Pick<InitializeOptions, "nodes" | "machines" | "settings">): boolean {
  const { admissionPlugins, controllers = "on", featureGates = {} } = settings;
  const isUsual = admissionPlugins.length === 0 && controllers === "on";
  const isDefault = isDefaultNetwork(networkOf(settings)) && hasUsualFeatures(featureGates);
  return nodes >= nodesOfBase && machines === undefined && isUsual && isDefault;
}

type BaseOptions = Pick<InitializeOptions, "nodes" | "machines" | "import"> & { readonly settings: SandboxSettings };

/**
 * Returns undefined for CoreDNS alone. Another cluster's objects have a kube-system of their own; without a controller nobody makes its
 * pods, and without a node none runs; and whoever describes each node means it for pods of his own.
 */
export function hasSystemPods({ nodes, machines, import: imported, settings }: BaseOptions): boolean | undefined {
  const { systemPods, controllers = "on" } = settings;
  if (systemPods !== undefined) return systemPods;
  if (nodes === 0 || controllers === "off") return false;
  const isUsual = imported === undefined && machines === undefined && controllers === "on";
  return isUsual && nodes <= limits.systemPodsNodes ? true : undefined;
}

/**
 * So long before it is handed out, a sandbox's base was made: kubelets work out from the times of a container how far it has come, and
 * those of a base are ready.
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
