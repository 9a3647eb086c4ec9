// The approver of kubelet client certificates: approves a request if its requester may create one for the node.
import type { CertificateSigningRequest } from "../../../shared/k8s/api/certificates-v1.ts";
import { certificateSigningRequests } from "../../kinds/certificates/certificate-signing-request.ts";
import { type ReconcileContext, defineController, self } from "../../runtime/controller.ts";
import { type CertificateRequest, parseRequest } from "../../../shared/x509/request.ts";
import { hasCondition, isIssued } from "./decision.ts";
import { kubeletClient } from "./signers.ts";

const signerName = "kubernetes.io/kube-apiserver-client-kubelet";

/** The recognized requests, each with the subresource that the requester must be allowed to create. */
const recognized = [
  {
    subresource: "selfnodeclient",
    isFor: ({ spec }: CertificateSigningRequest, { commonName }: CertificateRequest) => spec.username === commonName,
    message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
  },
  {
    subresource: "nodeclient",
    isFor: () => true,
    message: "Auto approving kubelet client certificate after SubjectAccessReview.",
  },
] as const;

export const certificateApproving = defineController({
  name: "certificate-approving-controller",
  user: "system:serviceaccount:kube-system:certificate-controller",
  component: "certificate-controller",
  watches: [self(certificateSigningRequests, (next) => next !== undefined)],
  reconcile({ name }, context) {
    const csr = context.client.get(certificateSigningRequests, "", name);
    if (!csr || isIssued(csr) || hasCondition(csr, "Approved") || hasCondition(csr, "Denied")) return undefined;
    const request = csr.spec.signerName === signerName ? parseRequest(csr.spec.request) : undefined;
    if (!request || typeof request === "string" || kubeletClient(request, csr.spec.usages ?? []) !== undefined)
      return undefined;
    const recognizer = recognized.find(
      ({ isFor, subresource }) => isFor(csr, request) && isAllowed(csr, subresource, context),
    );
    if (recognizer) approve(csr, recognizer.message, context);
    return undefined;
  },
});

function isAllowed({ spec }: CertificateSigningRequest, subresource: string, { client }: ReconcileContext): boolean {
  const { username = "", uid, groups = [], extra } = spec;
  const user = { name: username, groups, ...(uid ? { uid } : {}), ...(extra ? { extra } : {}) };
  const { group, plural } = certificateSigningRequests;
  const attributes = {
    isResource: true,
    verb: "create",
    group,
    plural,
    subresource,
    namespace: "",
    name: "",
    path: "",
  };
  return client.decide(user, attributes).allowed;
}

function approve(csr: CertificateSigningRequest, message: string, { client }: ReconcileContext): void {
  const approved = { type: "Approved", status: "True", reason: "AutoApproved", message };
  const conditions = [...(csr.status.conditions ?? []), approved];
  client.updateSubresource(certificateSigningRequests, "approval", { ...csr, status: { ...csr.status, conditions } });
}
