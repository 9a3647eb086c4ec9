// The kubeconfig of a sandbox. Every value is written as a JSON string, which is YAML in any of its versions.

export interface KubeconfigOptions {
  readonly name: string;
  readonly server: string;
  readonly token: string;
  /** PEM of the authority that signed the server's certificate, if no public one did. */
  readonly ca: string | undefined;
}

export function kubeconfig({ name, server, token, ca }: KubeconfigOptions): string {
  const text = JSON.stringify;
  return [
    "apiVersion: v1",
    "kind: Config",
    `current-context: ${text(name)}`,
    "clusters:",
    `- name: ${text(name)}`,
    "  cluster:",
    `    server: ${text(server)}`,
    ...(ca ? [`    certificate-authority-data: ${text(btoa(ca))}`] : []),
    "contexts:",
    `- name: ${text(name)}`,
    "  context:",
    `    cluster: ${text(name)}`,
    `    user: ${text(name)}`,
    "users:",
    `- name: ${text(name)}`,
    "  user:",
    `    token: ${text(token)}`,
    "",
  ].join("\n");
}
