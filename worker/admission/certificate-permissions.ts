// CertificateApproval and CertificateSigning: approving or signing a request requires permission for its signer.
import type { CertificateSigningRequest } from "../../shared/k8s/api/certificates-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { certificateSigningRequests } from "../kinds/certificates/certificate-signing-request.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { newForbidden } from "./common/errors.ts";

export const certificateApproval: AdmissionPlugin = {
  name: "CertificateApproval",
  validate(request) {
    const update = updateOf(request, "approval");
    if (update) requirePermission(request, "approve", update.previous.spec.signerName);
  },
};

export const certificateSigning: AdmissionPlugin = {
  name: "CertificateSigning",
  validate(request) {
    const update = updateOf(request, "status");
    if (!update) return;
    const [next, previous] = [update.next.status, update.previous.status];
    if (next.certificate === previous.certificate && semanticEqual(next.conditions, previous.conditions)) return;
    requirePermission(request, "sign", update.previous.spec.signerName);
  },
};

function updateOf({ kind, subresource, object, oldObject }: AdmissionRequest, of: string) {
  if (kind.resource !== certificateSigningRequests.resource || subresource !== of || !object || !oldObject)
    return undefined;
  // The resource determines the type.
  return { next: object as CertificateSigningRequest, previous: oldObject as CertificateSigningRequest };
}

/** Requires the permission for the signer itself or for its domain: `kubernetes.io/*`. */
function requirePermission(request: AdmissionRequest, verb: "approve" | "sign", signer: string): void {
  const { authorizer } = request.context;
  const domain = `${signer.split("/")[0] ?? ""}/*`;
  const signers = { isResource: true, verb, group: "certificates.k8s.io", plural: "signers" };
  const may = (name: string) =>
    authorizer.decide(request.userInfo, { ...signers, subresource: "", namespace: "", name, path: "" }).allowed;
  if (may(signer) || may(domain)) return;
  throw newForbidden(request, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`);
}
