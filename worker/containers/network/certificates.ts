// Certificates of Secrets as servers present them: their content, and the names that they are valid for.
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

/** Returns the certificate of a Secret; undefined if it has no key pair or the text is not a certificate. */
export function certificateOf(secret: Secret | undefined): ShownCertificate | undefined {
  const [pair, key] = [secret?.data?.["tls.crt"], secret?.data?.["tls.key"]];
  if (!pair || !key) return undefined;
  return certificateOfPem(textOfBytes(bytesOfBase64(pair)));
}

/** Returns the first certificate of a file; undefined if there is none. */
export function certificateOfPem(pem: string): ShownCertificate | undefined {
  const block = pemBlocks(pem).find(({ type }) => type === "CERTIFICATE");
  const certificate = block && readCertificate(block.bytes);
  if (!certificate) return undefined;
  const { dns, addresses } = certificate.alternativeNames;
  const common = certificate.subjectValues.get(commonName) ?? [];
  return {
    subject: textOf(certificate.subjectValues),
    issuer: textOf(certificate.issuerValues),
    notBeforeMs: certificate.notBeforeMs,
    notAfterMs: certificate.notAfterMs,
    names: [...(dns.length > 0 ? dns : common), ...addresses.map(String)],
    pem,
  };
}

function textOf(values: NameValues): string {
  return [...values].flatMap(([type, all]) => all.map((value) => `${shortNames[type] ?? type}=${value}`)).join(", ");
}

/** Reports whether a certificate is valid for a name. `*.example.com` matches names with one more label. */
export function isFor({ names }: ShownCertificate, host: string): boolean {
  const wildcard = host.includes(".") ? `*${host.slice(host.indexOf("."))}` : undefined;
  return names.some(
    (name) => name.toLowerCase() === host.toLowerCase() || name.toLowerCase() === wildcard?.toLowerCase(),
  );
}
