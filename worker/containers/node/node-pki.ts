// The interfaces through which tools of a node read its certificates and the place of its control plane.
import { apiServerPort } from "../../machine/control-plane.ts";

/** The certificates in `/etc/kubernetes/pki` and in kubeconfigs. */
export interface NodePki {
  /** Returns the PEM of a certificate. `name`: its path below the folder without `.crt`, or the name of a kubeconfig. */
  certificate(name: string, node: string): string;
  /** Returns hexadecimal digits that nobody outside the cluster can guess; the same for the same seed. */
  digits(seed: string): string;
  /** Issues the certificate anew. */
  renew(name: string, node: string, nowMs: number): string;
}

export interface ControlPlaneNode {
  readonly name: string;
  readonly address: string;
}

/** Reports whether an address (`host:port`) is that of the API server. Without a control plane, every address is. */
export function isApiServer(server: string, controlPlane: ControlPlaneNode | undefined): boolean {
  if (!controlPlane) return true;
  return [controlPlane.address, controlPlane.name].some((host) => server === `${host}:${apiServerPort}`);
}
