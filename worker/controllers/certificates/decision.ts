// Reads the decision about a certificate request. Pure.
import type { CertificateSigningRequest } from "../../../shared/k8s/api/certificates-v1.ts";

export function hasCondition({ status }: CertificateSigningRequest, type: "Approved" | "Denied" | "Failed"): boolean {
  return (status.conditions ?? []).some((condition) => condition.type === type);
}

export function isIssued({ status }: CertificateSigningRequest): boolean {
  return (status.certificate ?? "") !== "";
}
