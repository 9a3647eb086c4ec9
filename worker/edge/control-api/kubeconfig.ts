// Encodes the kubeconfig of a sandbox. Every value is a JSON string, which is valid in every version of YAML.

export interface KubeconfigOptions {
  readonly name: string;
  readonly server: string;
  readonly token: string;
  /** The PEM of the authority that signed the server's certificate, if it is not a public one. */
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
