// The signers: issues a certificate of the cluster's authority for an approved request, or sets the condition Failed.
import type { CertificateSigningRequest } from "../../../shared/k8s/api/certificates-v1.ts";
import type { Random } from "../../../shared/base/random.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { certificateSigningRequests } from "../../kinds/certificates/certificate-signing-request.ts";
import { type Controller, type ReconcileContext, defineController, self } from "../../runtime/controller.ts";
import { certificatePem } from "../../../shared/x509/certificate.ts";
import { type CertificateRequest, parseRequest } from "../../../shared/x509/request.ts";
import type { Authority } from "./authority.ts";
import { hasCondition, isIssued } from "./decision.ts";
import { signers } from "./signers.ts";
import { usagesOf } from "../common/certificate-usages.ts";

const secondMs = 1000;
const minuteMs = 60 * secondMs;
/** The maximum lifetime: upstream's `--cluster-signing-duration`. */
const longestMs = 365 * 24 * 60 * minuteMs;
const shortestMs = 10 * minuteMs;
/** The time by which validity starts before the issue, to tolerate clock skew. */
export const backdateMs = 5 * minuteMs;
/** The lifetime below which the end of validity is not moved by the backdate. */
const shortMs = 8 * 60 * minuteMs;

export function certificateSigning(authority: Authority): Controller {
  return defineController({
    name: "certificate-signing-controller",
    user: "system:serviceaccount:kube-system:certificate-controller",
    component: "certificate-controller",
    watches: [self(certificateSigningRequests, (next) => next !== undefined)],
    reconcile({ name }, context) {
      const csr = context.client.get(certificateSigningRequests, "", name);
      if (!csr || isIssued(csr) || !hasCondition(csr, "Approved")) return undefined;
      if (hasCondition(csr, "Denied") || hasCondition(csr, "Failed")) return undefined;
      const check = Object.hasOwn(signers, csr.spec.signerName) ? signers[csr.spec.signerName] : undefined;
      const request = check && parseRequest(csr.spec.request);
      // Validation has checked the form.
      if (!request || typeof request === "string") return undefined;
      const problem = check(request, csr.spec.usages ?? []);
      if (problem !== undefined) fail(csr, problem, context);
      // Upstream retries forever if the request was not signed with its own key, although that cannot change.
      else if (authority.verify(request.signed, request.signature, request.algorithm, request.publicKey)) {
        issue(csr, request, authority, context);
      }
      return undefined;
    },
  });
}

function fail(csr: CertificateSigningRequest, message: string, { client, nowMs }: ReconcileContext): void {
  const failed = {
    type: "Failed",
    status: "True",
    reason: "SignerValidationFailure",
    message,
    lastUpdateTime: rfc3339(nowMs),
  };
  const conditions = [...(csr.status.conditions ?? []), failed];
  client.updateStatus(certificateSigningRequests, { ...csr, status: { ...csr.status, conditions } });
}

function issue(
  csr: CertificateSigningRequest,
  { subject, names, publicKey }: CertificateRequest,
  authority: Authority,
  { client, nowMs, random }: ReconcileContext,
): void {
  const lastsMs = lifetimeMs(csr.spec.expirationSeconds);
  const endMs = nowMs + (lastsMs < shortMs ? lastsMs : lastsMs - backdateMs);
  const template = {
    serial: serialNumber(random),
    subject,
    names,
    publicKey,
    usages: usagesOf(csr.spec.usages ?? []),
    notBeforeMs: nowMs - backdateMs,
    notAfterMs: Math.min(endMs, authority.notAfterMs),
  };
  const certificate = btoa(certificatePem(template, authority));
  client.updateStatus(certificateSigningRequests, { ...csr, status: { ...csr.status, certificate } });
}

function lifetimeMs(seconds: number | undefined): number {
  return seconds === undefined ? longestMs : Math.max(Math.min(seconds * secondMs, longestMs), shortestMs);
}

function serialNumber(random: Random): Uint8Array {
  return Uint8Array.from({ length: 16 }, () => Math.floor(random.next() * 256));
}
