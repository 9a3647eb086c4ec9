// Kubeconfigs of a sandbox for the processes of this machine.

export interface Access {
  readonly server: string;
  readonly ca: string | undefined;
  readonly token: string;
}

/** Returns a kubeconfig as JSON, which is YAML. */
export function kubeconfigOf({ server, ca, token }: Access): string {
  const name = "sandbar";
  const authority = ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca).toString("base64") };
  return JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": name },
    clusters: [{ name, cluster: { server, ...authority } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: "default" } }],
  });
}
