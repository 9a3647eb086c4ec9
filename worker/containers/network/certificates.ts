// Certificates of Secrets, as a server shows them: what they say, and whether they are for a name.
import { bytesOfBase64 } from "../../../shared/base/base64.ts";
import { textOfBytes } from "../../../shared/base/byte-text.ts";
import type { ShownCertificate } from "../../../shared/k8s/port-request.ts";
import type { Secret } from "../../../shared/k8s/api/core-v1.ts";
import { readCertificate } from "../../../shared/x509/certificate.ts";
import { commonName, type NameValues } from "../../../shared/x509/name.ts";
import { pemBlocks } from "../../../shared/x509/pem.ts";

const shortNames: Readonly<Record<string, string>> = {
  "2.5.4.3": "CN",
  "2.5.4.6": "C",
  "2.5.4.7": "L",
  "2.5.4.8": "ST",
  "2.5.4.10": "O",
  "2.5.4.11": "OU",
};

/** Undefined where the Secret has no pair, or what stands there is no certificate. */
export function certificateOf(secret: Secret | undefined): ShownCertificate | undefined {
  const [pair, key] = [secret?.data?.["tls.crt"], secret?.data?.["tls.key"]];
  if (!pair || !key) return undefined;
  return certificateOfPem(textOfBytes(bytesOfBase64(pair)));
}

/** The first of a file; undefined where it has none. */
export function certificateOfPem(pem: string): ShownCertificate | undefined {
  const block = pemBlocks(pem).find(({ type }) => type === "CERTIFICATE");
  const found = block && readCertificate(block.bytes);
  if (!found) return undefined;
  const { dns, addresses } = found.alternativeNames;
  const common = found.subjectValues.get(commonName) ?? [];
  return {
    subject: textOf(found.subjectValues),
    issuer: textOf(found.issuerValues),
    notBeforeMs: found.notBeforeMs,
    notAfterMs: found.notAfterMs,
    names: [...(dns.length > 0 ? dns : common), ...addresses.map(String)],
    pem,
  };
}

function textOf(values: NameValues): string {
  return [...values].flatMap(([type, all]) => all.map((one) => `${shortNames[type] ?? type}=${one}`)).join(", ");
}

/** `*.example.com` is for each name with one part more. */
export function isFor({ names }: ShownCertificate, host: string): boolean {
  const wildcard = host.includes(".") ? `*${host.slice(host.indexOf("."))}` : undefined;
  return names.some((one) => one.toLowerCase() === host.toLowerCase() || one.toLowerCase() === wildcard?.toLowerCase());
}
