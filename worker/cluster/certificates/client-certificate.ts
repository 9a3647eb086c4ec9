// Who holds a client certificate that the cluster's authority has signed (upstream: the x509 authenticator).
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";
import { createHash } from "node:crypto";
import { tryBytesOfBase64 } from "../../../shared/base/base64.ts";
import { readCertificate } from "../../../shared/x509/certificate.ts";
import { commonName, organization } from "../../../shared/x509/name.ts";
import { pemBlocks } from "../../../shared/x509/pem.ts";
import { backdateMs } from "../../controllers/certificates/signing.ts";
import type { Authority } from "../../controllers/certificates/authority.ts";
import type { Sql } from "../../store/sql.ts";
import { readMeta, writeMeta } from "../../store/tables.ts";

const clientUsages = ["1.3.6.1.5.5.7.3.2", "2.5.29.37.0"];
const credentialKey = "authentication.kubernetes.io/credential-id";

const refusedKey = "certificatesRefusedMs";

/** Refuses all certificates that were issued until now. */
export function refuseCertificates(sql: Sql, nowMs: number): void {
  writeMeta(sql, refusedKey, String(nowMs));
}

/** Until when certificates were issued that are refused. */
export function refusedCertificatesMs(sql: Sql): number {
  return Number(readMeta(sql, refusedKey) ?? Number.NEGATIVE_INFINITY);
}

/**
 * `base64` is the certificate as DER; undefined for one that is not the authority's, not for clients, not now, or that was issued until
 * `refusedMs`.
 */
export function holderOf(
  authority: Authority,
  base64: string,
  nowMs: number,
  refusedMs = Number.NEGATIVE_INFINITY,
): UserInfo | undefined {
  const bytes = tryBytesOfBase64(base64);
  const certificate = bytes && readCertificate(bytes);
  if (!bytes || !certificate || !sameBytes(certificate.issuer, authority.subject)) return undefined;
  const { notBeforeMs, notAfterMs, extendedUsages: usages, signed, signature, algorithm } = certificate;
  const subject = certificate.subjectValues;
  // A time that cannot be read is neither.
  if (!(notBeforeMs <= nowMs && nowMs <= notAfterMs)) return undefined;
  // Certificates tell whole seconds: one that was issued in the same second is refused too.
  if (notBeforeMs + backdateMs <= refusedMs) return undefined;
  if (usages && !usages.some((one) => clientUsages.includes(one))) return undefined;
  const [own] = pemBlocks(authority.certificate);
  const key = own && readCertificate(own.bytes)?.publicKey;
  if (!key || !authority.verify(signed, signature, algorithm, key)) return undefined;
  const name = subject.get(commonName)?.at(-1);
  if (!name) return undefined;
  const id = `X509SHA256=${createHash("sha256").update(bytes).digest("hex")}`;
  return { name, groups: [...(subject.get(organization) ?? [])], extra: { [credentialKey]: [id] } };
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}
