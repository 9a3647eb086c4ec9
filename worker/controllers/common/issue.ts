// Issues a certificate with its key, self-signed or signed by the key of a Secret.
import { base64OfText, tryBytesOfBase64 } from "../../../shared/base/base64.ts";
import { textOfBytes } from "../../../shared/base/byte-text.ts";
import type { Random } from "../../../shared/base/random.ts";
import type { Secret } from "../../../shared/k8s/api/core-v1.ts";
import { noNames } from "../../../shared/x509/alternative-names.ts";
import { authorityPem, certificatePem, type Issuer, readCertificate } from "../../../shared/x509/certificate.ts";
import { derOf } from "../../../shared/x509/der.ts";
import { commonName, nameOf } from "../../../shared/x509/name.ts";
import { pemBlocks } from "../../../shared/x509/pem.ts";
import type { Keys } from "./keys.ts";
import { usagesOf } from "./certificate-usages.ts";

const dayMs = 24 * 3600 * 1000;
/** The lifetime of a certificate without a requested duration. */
const usualMs = 90 * dayMs;
const shortestMs = 3600 * 1000;
const longestMs = 3650 * dayMs;

/** The contents of a certificate. */
export interface Wanted {
  readonly secretName: string;
  readonly commonName?: string | undefined;
  readonly dnsNames: readonly string[];
  readonly isCA: boolean;
  /** `2160h`, which is also the default. */
  readonly duration?: string | undefined;
  readonly usages?: readonly string[] | undefined;
}

export interface Signer extends Issuer {
  /** Its certificate, as PEM. */
  readonly certificate: string;
  readonly notAfterMs: number;
}

/** Reads a signer from a Secret. Undefined if it has no usable key and certificate. */
export function signerOf(secret: Pick<Secret, "data">, keys: Keys): Signer | undefined {
  const text = (name: string) => textOfBytes(tryBytesOfBase64(secret.data?.[name] ?? "") ?? new Uint8Array());
  const certificate = text("tls.crt");
  const key = keys.read(text("tls.key"));
  const [block] = pemBlocks(certificate);
  const read = block && readCertificate(block.bytes);
  if (!key || !read) return undefined;
  return {
    subject: read.subject,
    keyId: key.keyId,
    sign: (data) => key.sign(data),
    certificate,
    notAfterMs: read.notAfterMs,
  };
}

export function durationMs({ duration }: Pick<Wanted, "duration">): number {
  const durationParts = [...(duration ?? "").matchAll(/(\d{1,9})(h|m|s)/g)];
  const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };
  const ms = durationParts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (units[unit] ?? 0), 0);
  return ms === 0 ? usualMs : Math.min(Math.max(ms, shortestMs), longestMs);
}

/** `signer`: undefined for one that signs itself. */
export function issueCertificate(
  spec: Wanted,
  signer: Signer | undefined,
  keys: Keys,
  { nowMs, random }: { readonly nowMs: number; readonly random: Random },
): { readonly data: Record<string, string>; readonly notBeforeMs: number; readonly notAfterMs: number } {
  const key = keys.make();
  // Who signs itself has to have a name.
  const called = spec.commonName ?? (signer ? undefined : (spec.dnsNames[0] ?? spec.secretName));
  const subject = new Map(called === undefined ? [] : [[commonName, [called]]]);
  const notBeforeMs = Math.floor(nowMs / 1000) * 1000;
  const notAfterMs = Math.min(notBeforeMs + durationMs(spec), signer?.notAfterMs ?? Number.POSITIVE_INFINITY);
  const serial = Uint8Array.from({ length: 16 }, (_, at) => Math.floor(random.next() * (at === 0 ? 128 : 256)));
  const template = { serial, notBeforeMs, notAfterMs, publicKey: key.publicKey };
  const self = { subject: derOf(nameOf(subject)), keyId: key.keyId, sign: (data: Uint8Array) => key.sign(data) };
  const usages = usagesOf(spec.usages ?? ["digital signature", "key encipherment"]);
  const certificate =
    spec.isCA && !signer
      ? authorityPem(template, self)
      : certificatePem({ ...template, subject, names: { ...noNames, dns: spec.dnsNames }, usages }, signer ?? self);
  const data = {
    "ca.crt": base64OfText(signer?.certificate ?? certificate),
    "tls.crt": base64OfText(certificate),
    "tls.key": base64OfText(key.pem),
  };
  return { data, notBeforeMs, notAfterMs };
}
