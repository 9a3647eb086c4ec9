// The four signers of the control plane, with the requests that each accepts (upstream's `ValidateKubelet...CSR`). Pure.
import type { CertificateRequest } from "../../../shared/x509/request.ts";

type Check = (request: CertificateRequest, usages: readonly string[]) => string | undefined;

const nodeGroup = "system:nodes";
const nodePrefix = "system:node:";

/** The checks by signer name. Requests for other signers are ignored. */
export const signers: Readonly<Record<string, Check>> = {
  "kubernetes.io/kubelet-serving": kubeletServing,
  "kubernetes.io/kube-apiserver-client-kubelet": kubeletClient,
  "kubernetes.io/kube-apiserver-client": apiServerClient,
  "kubernetes.io/legacy-unknown": () => undefined,
};

export function kubeletClient(
  { organizations, commonName, names }: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  if (!isNodeGroup(organizations)) return "subject organization is not system:nodes";
  if (names.dns.length > 0) return "DNS subjectAltNames are not allowed";
  if (names.emails.length > 0) return "Email subjectAltNames are not allowed";
  if (names.addresses.length > 0) return "IP subjectAltNames are not allowed";
  if (names.uris.length > 0) return "URI subjectAltNames are not allowed";
  if (!commonName.startsWith(nodePrefix)) return "subject common name does not begin with system:node:";
  return usageProblem(usages, "client auth");
}

function kubeletServing(
  { organizations, commonName, names }: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  if (!isNodeGroup(organizations)) return "subject organization is not system:nodes";
  if (names.dns.length + names.addresses.length === 0) return "DNS or IP subjectAltName is required";
  if (names.emails.length > 0) return "Email subjectAltNames are not allowed";
  if (names.uris.length > 0) return "URI subjectAltNames are not allowed";
  const problem = usageProblem(usages, "server auth");
  if (problem) return problem;
  return commonName.startsWith(nodePrefix) ? undefined : "subject common name does not begin with system:node:";
}

function apiServerClient(_: CertificateRequest, usages: readonly string[]): string | undefined {
  const allowed = ["digital signature", "key encipherment", "client auth"];
  const wrong = usages.find((usage) => !allowed.includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
}

function isNodeGroup(organizations: readonly string[]): boolean {
  return organizations.length === 1 && organizations[0] === nodeGroup;
}

/** Requires exactly these usages. Key encipherment is optional, since some keys do not support it. */
function usageProblem(usages: readonly string[], auth: string): string | undefined {
  const required = ["digital signature", "key encipherment", auth].sort();
  const requested = new Set(usages);
  const unexpected = [...requested].filter((usage) => !required.includes(usage));
  const missing = required.filter((usage) => !requested.has(usage) && usage !== "key encipherment");
  return unexpected.length + missing.length === 0 ? undefined : `usages did not match [${required.join(" ")}]`;
}
