// Formats certificates and requests as openssl does for `-text`.
import type { CertificationRequest } from "@peculiar/asn1-csr";
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  type Certificate,
  ExtendedKeyUsage,
  type Extension,
  Extensions,
  KeyUsage,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  type SubjectPublicKeyInfo,
} from "@peculiar/asn1-x509";
import { alternativeNamesOf } from "./alternative-names.ts";
import { derOf, DerError, readDer } from "./der.ts";
import { rsaNumbersOf } from "./public-key.ts";
import { subjectText } from "./subjects.ts";

const algorithms: Readonly<Record<string, string>> = {
  "1.2.840.113549.1.1.1": "rsaEncryption",
  "1.2.840.113549.1.1.11": "sha256WithRSAEncryption",
  "1.2.840.113549.1.1.12": "sha384WithRSAEncryption",
  "1.2.840.113549.1.1.13": "sha512WithRSAEncryption",
  "1.2.840.10045.2.1": "id-ecPublicKey",
  "1.2.840.10045.4.3.2": "ecdsa-with-SHA256",
  "1.2.840.10045.4.3.3": "ecdsa-with-SHA384",
  "1.3.101.112": "ED25519",
};

/** Formats bytes as `0a:1b:…`. */
export function colons(bytes: Uint8Array, isUpper = false): string {
  const text = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(":");
  return isUpper ? text.toUpperCase() : text;
}

/** Formats a time as `Jan  1 00:00:00 2026 GMT`. */
export function dateText(ms: number): string {
  const text = new Date(ms).toUTCString();
  return `${text.slice(8, 11)} ${text.slice(5, 7).replace(/^0/, " ")} ${text.slice(17, 25)} ${text.slice(12, 16)} GMT`;
}

/** Formats bytes as indented rows of `0a:1b:…`. */
function hexRows(bytes: Uint8Array, { indent, perRow }: { readonly indent: number; readonly perRow: number }): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += perRow) {
    const isLast = at + perRow >= bytes.length;
    lines.push(`${" ".repeat(indent)}${colons(bytes.subarray(at, at + perRow))}${isLast ? "" : ":"}\n`);
  }
  return lines.join("");
}

/** Adds a zero byte if the first bit is set, since DER would read the number as negative. */
function asPositiveInteger(bytes: Uint8Array): Uint8Array {
  return (bytes[0] ?? 0) & 0x80 ? new Uint8Array([0, ...bytes]) : bytes;
}

/** The curves of keys, by the DER of their object identifiers in hexadecimal. */
const curves: ReadonlyMap<string, { readonly bits: number; readonly name: string; readonly nist?: string }> = new Map([
  ["06052b81040021", { bits: 224, name: "secp224r1", nist: "P-224" }],
  ["06082a8648ce3d030107", { bits: 256, name: "prime256v1", nist: "P-256" }],
  ["06052b8104000a", { bits: 256, name: "secp256k1" }],
  ["06052b81040022", { bits: 384, name: "secp384r1", nist: "P-384" }],
  ["06052b81040023", { bits: 521, name: "secp521r1", nist: "P-521" }],
]);

/** Formats a public key. A key of another algorithm or curve has only the name of its algorithm. */
function keyText(info: SubjectPublicKeyInfo): string {
  const name = algorithms[info.algorithm.algorithm] ?? info.algorithm.algorithm;
  const head = `        Subject Public Key Info:\n            Public Key Algorithm: ${name}\n`;
  const rsa = rsaNumbersOf(derOf(info));
  if (rsa) {
    const { modulus, exponent } = rsa;
    return `${head}                Public-Key: (${modulus.length * 8} bit)\n                Modulus:\n${hexRows(asPositiveInteger(modulus), { indent: 20, perRow: 15 })}                Exponent: ${exponent} (0x${exponent.toString(16)})\n`;
  }
  const curve = curves.get(colons(new Uint8Array(info.algorithm.parameters ?? [])).replaceAll(":", ""));
  if (name !== "id-ecPublicKey" || !curve) return head;
  const point = hexRows(new Uint8Array(info.subjectPublicKey), { indent: 20, perRow: 15 });
  const nist = curve.nist === undefined ? "" : `                NIST CURVE: ${curve.nist}\n`;
  return `${head}                Public-Key: (${curve.bits} bit)\n                pub:\n${point}                ASN1 OID: ${curve.name}\n${nist}`;
}

const keyUsages =
  "Digital Signature,Non Repudiation,Key Encipherment,Data Encipherment,Key Agreement,Certificate Sign,CRL Sign,Encipher Only,Decipher Only".split(
    ",",
  );
const extendedUsages: Readonly<Record<string, string>> = {
  "1.3.6.1.5.5.7.3.1": "TLS Web Server Authentication",
  "1.3.6.1.5.5.7.3.2": "TLS Web Client Authentication",
  "1.3.6.1.5.5.7.3.3": "Code Signing",
  "1.3.6.1.5.5.7.3.4": "E-mail Protection",
  "1.3.6.1.5.5.7.3.9": "OCSP Signing",
};

interface Shown {
  readonly name: string;
  readonly text: string;
}

function extensionText(extension: Extension): Shown {
  const bytes = new Uint8Array(extension.extnValue.buffer);
  const read = <T>(type: new () => T) => readDer(bytes, type);
  switch (extension.extnID) {
    case "2.5.29.15": {
      const flags = Number(read(KeyUsage)?.toNumber() ?? 0);
      return { name: "X509v3 Key Usage", text: keyUsages.filter((_, at) => flags & (1 << at)).join(", ") };
    }
    case "2.5.29.37":
      return {
        name: "X509v3 Extended Key Usage",
        text: [...(read(ExtendedKeyUsage) ?? [])].map((oid) => extendedUsages[oid] ?? oid).join(", "),
      };
    case "2.5.29.19": {
      const constraints = read(BasicConstraints);
      const length = constraints?.pathLenConstraint;
      return {
        name: "X509v3 Basic Constraints",
        text: `CA:${constraints?.cA ? "TRUE" : "FALSE"}${length === undefined ? "" : `, pathlen:${length}`}`,
      };
    }
    case "2.5.29.14":
      return {
        name: "X509v3 Subject Key Identifier",
        text: colons(new Uint8Array(read(SubjectKeyIdentifier)?.buffer ?? new ArrayBuffer(0)), true),
      };
    case "2.5.29.35":
      return {
        name: "X509v3 Authority Key Identifier",
        text: colons(new Uint8Array(read(AuthorityKeyIdentifier)?.keyIdentifier?.buffer ?? new ArrayBuffer(0)), true),
      };
    case "2.5.29.17":
      return {
        name: "X509v3 Subject Alternative Name",
        text: read(SubjectAlternativeName) ? namesText(extension) : "",
      };
    default:
      return { name: extension.extnID, text: colons(bytes, true) };
  }
}

/** Formats names as `DNS:a.example, IP Address:10.0.0.1`. */
export function namesText(extension: Extension): string {
  try {
    const { dns, addresses, emails, uris } = alternativeNamesOf([extension]);
    const all = [
      ...dns.map((name) => `DNS:${name}`),
      ...addresses.map((name) => `IP Address:${name}`),
      ...emails.map((name) => `email:${name}`),
      ...uris.map((name) => `URI:${name}`),
    ];
    return all.join(", ");
  } catch (error) {
    if (error instanceof DerError) return "<unsupported>";
    throw error;
  }
}

export function extensionsText(all: readonly Extension[], indent: number): string {
  const space = " ".repeat(indent);
  return all
    .map((extension) => {
      const { name, text } = extensionText(extension);
      return `${space}${name}: ${extension.critical ? "critical" : ""}\n${space}    ${text}\n`;
    })
    .join("");
}

export function serialOf({ tbsCertificate }: Certificate): Uint8Array {
  const bytes = new Uint8Array(tbsCertificate.serialNumber);
  return bytes.length > 1 && bytes[0] === 0 ? bytes.subarray(1) : bytes;
}

export function certificateText(certificate: Certificate): string {
  const { tbsCertificate: body, signatureAlgorithm, signatureValue } = certificate;
  const serial = serialOf(certificate);
  const number = BigInt(`0x${colons(serial).replaceAll(":", "") || "0"}`);
  const serialText =
    serial.length <= 8 ? ` ${number} (0x${number.toString(16)})\n` : `\n            ${colons(serial)}\n`;
  const algorithm = algorithms[signatureAlgorithm.algorithm] ?? signatureAlgorithm.algorithm;
  const extensions = body.extensions ?? [];
  return [
    `Certificate:\n    Data:\n        Version: ${body.version + 1} (0x${body.version})\n        Serial Number:${serialText}`,
    `        Signature Algorithm: ${algorithm}\n        Issuer: ${subjectText(body.issuer)}\n        Validity\n`,
    `            Not Before: ${dateText(body.validity.notBefore.getTime().getTime())}\n            Not After : ${dateText(body.validity.notAfter.getTime().getTime())}\n`,
    `        Subject: ${subjectText(body.subject)}\n`,
    keyText(body.subjectPublicKeyInfo),
    extensions.length > 0 ? `        X509v3 extensions:\n${extensionsText(extensions, 12)}` : "",
    `    Signature Algorithm: ${algorithm}\n    Signature Value:\n${hexRows(new Uint8Array(signatureValue), { indent: 8, perRow: 18 })}`,
  ].join("");
}

const extensionRequest = "1.2.840.113549.1.9.14";

export function requestedExtensions({ certificationRequestInfo }: CertificationRequest): readonly Extension[] {
  const [requested] = certificationRequestInfo.attributes.find(({ type }) => type === extensionRequest)?.values ?? [];
  return requested ? [...(readDer(new Uint8Array(requested), Extensions) ?? [])] : [];
}

export function requestText(request: CertificationRequest): string {
  const { subject, subjectPKInfo } = request.certificationRequestInfo;
  const algorithm = algorithms[request.signatureAlgorithm.algorithm] ?? request.signatureAlgorithm.algorithm;
  const extensions = requestedExtensions(request);
  // Without extensions, openssl prints both lines.
  const attributes =
    extensions.length === 0
      ? "        Attributes:\n            (none)\n            Requested Extensions:\n"
      : `        Attributes:\n            Requested Extensions:\n${extensionsText(extensions, 16)}`;
  return [
    `Certificate Request:\n    Data:\n        Version: 1 (0x0)\n        Subject: ${subjectText(subject)}\n`,
    keyText(subjectPKInfo),
    attributes,
    `    Signature Algorithm: ${algorithm}\n    Signature Value:\n${hexRows(new Uint8Array(request.signature), { indent: 8, perRow: 18 })}`,
  ].join("");
}
