// Which sandboxes begin with a base, and with what it is filled.
import type { InitializeOptions } from "../../../shared/contract/cluster-object.ts";
import type { StateCertificates } from "../../../shared/state/format.ts";
import { bundle, type ControllerOptions } from "../controllers.ts";
import { type BaseParameters, newestVersion, nodesOfBase } from "./fresh-base.ts";

/** Others are written out: with fewer nodes the pods of CoreDNS stand elsewhere, a plugin may want them otherwise,
 * and without controllers nobody makes them. */
export function isOfBase({
  nodes,
  machines,
  settings,
}: Pick<InitializeOptions, "nodes" | "machines" | "settings">): boolean {
  const { admissionPlugins, controllers = "on" } = settings;
  return nodes >= nodesOfBase && machines === undefined && admissionPlugins.length === 0 && controllers === "on";
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
}

export function newBase({ seed, nowMs, ...signers }: NewBase): BaseParameters {
  return { version: newestVersion, seed, madeMs: nowMs - settledMs, certificates: certificatesOf(signers) };
}

export function certificatesOf({ caPem, authority, frontProxy }: Signers): StateCertificates {
  return {
    rootCA: bundle({ caPem, authority }),
    clientCA: authority.certificate,
    frontProxyCA: frontProxy().authority,
  };
}
