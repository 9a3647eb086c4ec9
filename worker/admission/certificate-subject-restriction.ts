// CertificateSubjectRestriction: rejects client certificates of the group `system:masters`.
import { certificateSigningRequests } from "../kinds/certificates/certificate-signing-request.ts";
import { parseRequest } from "../../shared/x509/request.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { newForbidden } from "./common/errors.ts";
import { writtenObject } from "./common/handled.ts";

const signer = "kubernetes.io/kube-apiserver-client";
const group = "system:masters";

export const certificateSubjectRestriction: AdmissionPlugin = {
  name: "CertificateSubjectRestriction",
  validate(request) {
    const csr = writtenObject(certificateSigningRequests, request, "CREATE")?.object;
    if (csr?.spec.signerName !== signer) return;
    const parsed = parseRequest(csr.spec.request);
    if (typeof parsed === "string") throw newForbidden(request, `failed to parse CSR: ${parsed}`);
    if (!parsed.organizations.includes(group)) return;
    throw newForbidden(request, `use of ${signer} signer with ${group} group is not allowed`);
  },
};
