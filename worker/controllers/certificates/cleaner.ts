// The cleaner of certificate requests: deletes a request an hour after it was issued, denied or failed, and pending requests after a day.
import type { CertificateSigningRequest } from "../../../shared/k8s/api/certificates-v1.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { readCertificate } from "../../../shared/x509/certificate.ts";
import { pemBlocksOfBase64 } from "../../../shared/x509/pem.ts";
import { certificateSigningRequests } from "../../kinds/certificates/certificate-signing-request.ts";
import { defineController, self } from "../../runtime/controller.ts";
import { isIssued } from "./decision.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export const certificateCleaner = defineController({
  name: "certificate-cleaner-controller",
  user: "system:serviceaccount:kube-system:certificate-controller",
  component: "certificate-controller",
  watches: [self(certificateSigningRequests, (next) => next !== undefined)],
  reconcile({ name }, { client, nowMs }) {
    const csr = client.get(certificateSigningRequests, "", name);
    if (!csr) return undefined;
    const leftMs = endMs(csr) - nowMs;
    if (leftMs > 0) return Number.isFinite(leftMs) ? { afterMs: leftMs } : undefined;
    client.tryDelete(certificateSigningRequests, "", name, { uid: csr.metadata.uid ?? "" });
    return undefined;
  },
});

/** Returns the time at which the request expires. Upstream checks once an hour, so it deletes up to an hour later. */
function endMs(csr: CertificateSigningRequest): number {
  const { conditions = [], certificate = "" } = csr.status;
  if (conditions.length === 0) return timeMs(csr.metadata.creationTimestamp) + dayMs + 1;
  const ends = conditions.map(({ type, lastUpdateTime }) => {
    const since = timeMs(lastUpdateTime);
    if (type === "Denied" || type === "Failed") return since + hourMs;
    if (type !== "Approved") return Number.POSITIVE_INFINITY;
    return isIssued(csr) ? Math.min(since + hourMs, expiryMs(certificate)) : since + dayMs;
  });
  return Math.min(...ends) + 1;
}

function timeMs(time: string | null | undefined): number {
  return time ? parseTime(time) : Number.POSITIVE_INFINITY;
}

function expiryMs(certificate: string): number {
  const [block] = pemBlocksOfBase64(certificate);
  return (block && readCertificate(block.bytes)?.notAfterMs) ?? Number.POSITIVE_INFINITY;
}
