// Encodes the kubeconfig of sandboxes, with a context for each. Every value is a JSON string, which is valid in every version of YAML.

export interface KubeconfigContext {
  readonly name: string;
  readonly server: string;
  readonly token: string;
}

/** The first context is the current one. `ca`: the PEM of the authority that signed the servers' certificate, if it is not a public one. */
export function kubeconfig(contexts: readonly KubeconfigContext[], ca: string | undefined): string {
  const text = JSON.stringify;
  const authority = ca ? [`    certificate-authority-data: ${text(btoa(ca))}`] : [];
  return [
    "apiVersion: v1",
    "kind: Config",
    `current-context: ${text(contexts[0]?.name ?? "")}`,
    "clusters:",
    ...contexts.flatMap(({ name, server }) => [
      `- name: ${text(name)}`,
      "  cluster:",
      `    server: ${text(server)}`,
      ...authority,
    ]),
    "contexts:",
    ...contexts.flatMap(({ name }) => [
      `- name: ${text(name)}`,
      "  context:",
      `    cluster: ${text(name)}`,
      `    user: ${text(name)}`,
    ]),
    "users:",
    ...contexts.flatMap(({ name, token }) => [`- name: ${text(name)}`, "  user:", `    token: ${text(token)}`]),
    "",
  ].join("\n");
}
