// Who holds a client certificate that the cluster's authority has signed (upstream: the x509 authenticator).
import { createHash } from "node:crypto";
import type { Authority } from "../controllers/parts/certificates/authority.ts";
import { commonName, organization, readName } from "../controllers/parts/certificates/request.ts";
import { type DerValue, oidText, readDer, tags } from "../kinds/certificates/certificate-signing-request/der.ts";
import { pemBlocks } from "../kinds/certificates/certificate-signing-request/pem.ts";
import type { UserInfo } from "../registry/admission.ts";

const extendedUsage = "2.5.29.37";
const clientUsages = ["1.3.6.1.5.5.7.3.2", "2.5.29.37.0"];
const credentialKey = "authentication.kubernetes.io/credential-id";

interface Certificate {
  readonly issuer: Uint8Array;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly subject: ReadonlyMap<string, readonly string[]>;
  readonly publicKey: Uint8Array;
  /** What its key may be used for; undefined where it does not say. */
  readonly usages: readonly string[] | undefined;
  readonly signed: Uint8Array;
  readonly algorithm: string;
  readonly signature: Uint8Array;
}

/** `base64` is the certificate as DER; undefined for one that is not the authority's, not for clients, or not now. */
export function holderOf(authority: Authority, base64: string, nowMs: number): UserInfo | undefined {
  const bytes = bytesOf(base64);
  const certificate = bytes && readCertificate(bytes);
  if (!bytes || !certificate || !sameBytes(certificate.issuer, authority.subject)) return undefined;
  const { notBeforeMs, notAfterMs, usages, signed, signature, algorithm, subject } = certificate;
  // A time that cannot be read is neither.
  if (!(notBeforeMs <= nowMs && nowMs <= notAfterMs)) return undefined;
  if (usages && !usages.some((one) => clientUsages.includes(one))) return undefined;
  const [own] = pemBlocks(authority.certificate);
  const key = own && readCertificate(own.bytes)?.publicKey;
  if (!key || !authority.verify(signed, signature, algorithm, key)) return undefined;
  const name = subject.get(commonName)?.at(-1);
  if (!name) return undefined;
  const id = `X509SHA256=${createHash("sha256").update(bytes).digest("hex")}`;
  return { name, groups: [...(subject.get(organization) ?? [])], extra: { [credentialKey]: [id] } };
}

function readCertificate(bytes: Uint8Array): Certificate | undefined {
  const [content, algorithm, signature] = readDer(bytes)?.[0]?.parts ?? [];
  // The version stands first in any that has extensions.
  const [, , , issuer, validity, subject, publicKey, ...rest] = content?.parts ?? [];
  const [notBefore, notAfter] = validity?.parts ?? [];
  const oid = algorithm?.parts[0];
  if (!content || !issuer || !notBefore || !notAfter || !subject || !publicKey || !oid || !signature) return undefined;
  return {
    issuer: issuer.whole,
    notBeforeMs: timeOf(notBefore),
    notAfterMs: timeOf(notAfter),
    subject: readName(subject),
    publicKey: publicKey.whole,
    usages: usagesOf(rest.find(({ tag }) => tag === 0xa3)?.parts[0]?.parts ?? []),
    signed: content.whole,
    algorithm: oidText(oid.bytes),
    // The first byte counts unused bits.
    signature: signature.bytes.subarray(1),
  };
}

function usagesOf(extensions: readonly DerValue[]): string[] | undefined {
  const found = extensions.find(({ parts: [type] }) => type && oidText(type.bytes) === extendedUsage);
  const content = found?.parts.find(({ tag }) => tag === tags.octetString);
  return content && (readDer(content.bytes)?.[0]?.parts ?? []).map(({ bytes }) => oidText(bytes));
}

/** Two digits of a year are those of 1950 to 2049. */
function timeOf({ tag, bytes }: DerValue): number {
  const text = new TextDecoder().decode(bytes);
  const century = Number(text.slice(0, 2)) < 50 ? "20" : "19";
  const long = tag === tags.utcTime ? `${century}${text}` : text;
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(long) ?? [];
  const [year = Number.NaN, month = 0, day, hour, minute, second] = parts.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function bytesOf(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}
