// The plan of a machine that becomes a node of a sandbox: files, the kubelet's command, and the tunnel. Pure.
import { stringify } from "yaml";
import type { Target } from "../tunnel/kubeconfig.ts";
import type { KubeletClient } from "./certificates.ts";

/** A taint of a node. */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

export interface JoinOptions {
  readonly node: string;
  /** The folder on the machine. */
  readonly folder: string;
  readonly target: Target;
  /** The token of the node itself, for the tunnel; for the kubelet, too, if there is no bootstrap token. */
  readonly nodeToken: string;
  /** The token with which the kubelet requests its certificate. Undefined if it authenticates with the node's token. */
  readonly bootstrapToken: string | undefined;
  readonly kubeletClient: KubeletClient;
  /** The address of the cluster's DNS. Undefined if the sandbox has none. */
  readonly dns: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** Whether the kubelet requests its serving certificate from the sandbox, to be approved by hand. */
  readonly hasServingCertificate: boolean;
  /** The port of the kubelet's API. */
  readonly port: number;
  /** The socket of the container runtime. */
  readonly runtime: string;
}

export interface JoinPlan {
  /** The texts of the files by their names in the folder. */
  readonly files: Readonly<Record<string, string>>;
  /** The arguments of the kubelet. */
  readonly kubelet: readonly string[];
}

/** The names of the files in a node's folder. */
export const fileNames = {
  bootstrap: "bootstrap-kubelet.conf",
  kubelet: "kubelet.conf",
  config: "kubelet.yaml",
  authority: "api-server-ca.crt",
  certificate: "api-server.crt",
  key: "api-server.key",
  tunnel: "tunnel.conf",
} as const;

export function joinPlan(options: JoinOptions): JoinPlan {
  const { node, folder, target, nodeToken, bootstrapToken, kubeletClient, labels } = options;
  const at = (name: string) => `${folder}/${name}`;
  const entries = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const credentials: Readonly<Record<string, string>> =
    bootstrapToken === undefined
      ? { [fileNames.kubelet]: kubeconfig(target, `system:node:${node}`, nodeToken) }
      : { [fileNames.bootstrap]: kubeconfig(target, "tls-bootstrap-token-user", bootstrapToken) };
  return {
    files: {
      ...credentials,
      [fileNames.tunnel]: kubeconfig(target, `system:node:${node}`, nodeToken),
      [fileNames.config]: stringify(kubeletConfiguration(options)),
      [fileNames.authority]: kubeletClient.authority,
      [fileNames.certificate]: kubeletClient.certificate,
      [fileNames.key]: kubeletClient.key,
    },
    kubelet: [
      `--config=${at(fileNames.config)}`,
      ...(bootstrapToken === undefined ? [] : [`--bootstrap-kubeconfig=${at(fileNames.bootstrap)}`]),
      `--kubeconfig=${at(fileNames.kubelet)}`,
      `--cert-dir=${at("pki")}`,
      `--hostname-override=${node}`,
      ...(entries.length > 0 ? [`--node-labels=${entries.join(",")}`] : []),
    ],
  };
}

/** Returns kubeadm's configuration of a kubelet, with the API server at the end of the tunnel as the only holder of a client certificate. */
function kubeletConfiguration(options: JoinOptions): object {
  const { folder, dns, taints, hasServingCertificate, port, runtime, bootstrapToken } = options;
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: `${folder}/${fileNames.authority}` },
    },
    authorization: { mode: "Webhook" },
    clusterDomain: "cluster.local",
    ...(dns === undefined ? {} : { clusterDNS: [dns] }),
    containerRuntimeEndpoint: runtime,
    port,
    ...(bootstrapToken === undefined ? {} : { rotateCertificates: true }),
    ...(hasServingCertificate ? { serverTLSBootstrap: true } : {}),
    ...(taints.length > 0 ? { registerWithTaints: taints } : {}),
  };
}

function kubeconfig({ server, ca, insecure }: Target, user: string, token: string): string {
  const cluster = {
    server,
    ...(ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
    ...(insecure ? { "insecure-skip-tls-verify": true } : {}),
  };
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "sandbox", cluster }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: "sandbox", context: { cluster: "sandbox", user } }],
    "current-context": "sandbox",
  });
}
