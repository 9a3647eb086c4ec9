// X.509 certificates: read, and issued with the extensions of Go's `x509.CreateCertificate` in the same order.
import { OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
  Name,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
} from "@peculiar/asn1-x509";
import { type AlternativeNames, alternativeNamesOf, generalNames, noNames } from "./alternative-names.ts";
import { derOf, DerError, parseDer, readDer, readSeries } from "./der.ts";
import { type NameValues, nameOf, valuesOf } from "./name.ts";
import { pemText } from "./pem.ts";

const ecdsaWithSha256 = "1.2.840.10045.4.3.2";

export interface ReadCertificate {
  /** DER. */
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly subjectValues: NameValues;
  readonly issuerValues: NameValues;
  readonly alternativeNames: AlternativeNames;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** DER of its SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  /** Object identifiers of what its key may be used for; undefined where it does not say. */
  readonly extendedUsages: readonly string[] | undefined;
  readonly keyId: Uint8Array | undefined;
  /** The signed bytes, the object identifier of the algorithm, and the signature. */
  readonly signed: Uint8Array;
  readonly algorithm: string;
  readonly signature: Uint8Array;
}

export interface CertificateTemplate {
  /** The serial number, not negative, big-endian. */
  readonly serial: Uint8Array;
  readonly subject: NameValues;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** DER of its SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
}

export interface Usages {
  /** The bits of `KeyUsageFlags`. */
  readonly flags: number;
  /** Object identifiers. */
  readonly extended: readonly string[];
}

/** The issuer that signs. */
export interface Issuer {
  /** Its name, as DER. */
  readonly subject: Uint8Array;
  readonly keyId: Uint8Array;
  /** ECDSA with SHA-256, as DER. */
  sign(data: Uint8Array): Uint8Array;
}

/** Undefined where the bytes are no certificate. */
export function readCertificate(bytes: Uint8Array): ReadCertificate | undefined {
  const certificate = readDer(bytes, Certificate);
  if (!certificate) return undefined;
  const { issuer, subject, validity, subjectPublicKeyInfo, extensions = [] } = certificate.tbsCertificate;
  const content = <T>(oid: string, type: new () => T) => {
    const extension = extensions.find(({ extnID }) => extnID === oid);
    return extension && readDer(new Uint8Array(extension.extnValue.buffer), type);
  };
  const usages = content(id_ce_extKeyUsage, ExtendedKeyUsage);
  const keyId = content(id_ce_subjectKeyIdentifier, SubjectKeyIdentifier);
  return {
    issuer: derOf(issuer),
    subject: derOf(subject),
    subjectValues: valuesOf(subject),
    issuerValues: valuesOf(issuer),
    alternativeNames: namesIn(extensions),
    notBeforeMs: validity.notBefore.getTime().getTime(),
    notAfterMs: validity.notAfter.getTime().getTime(),
    publicKey: derOf(subjectPublicKeyInfo),
    extendedUsages: usages && [...usages],
    keyId: keyId && new Uint8Array(keyId.buffer),
    signed: new Uint8Array(certificate.tbsCertificateRaw ?? new ArrayBuffer(0)),
    algorithm: certificate.signatureAlgorithm.algorithm,
    signature: new Uint8Array(certificate.signatureValue),
  };
}

/** None where the extension is malformed. */
function namesIn(extensions: readonly Extension[]): AlternativeNames {
  try {
    return alternativeNamesOf(extensions);
  } catch (error) {
    if (error instanceof DerError) return noNames;
    throw error;
  }
}

/** How many certificates the bytes are, one after the other; undefined where they are something else. */
export function countCertificates(bytes: Uint8Array): number | undefined {
  return readSeries(bytes, Certificate)?.length;
}

/** A certificate of someone who is no authority, as PEM. */
export function certificatePem(
  template: CertificateTemplate & { readonly usages: Usages; readonly names: AlternativeNames },
  issuer: Issuer,
): string {
  const { flags, extended } = template.usages;
  const names = generalNames(template.names);
  const extensions = [
    ...(flags ? [extension(id_ce_keyUsage, true, new KeyUsage(flags))] : []),
    ...(extended.length ? [extension(id_ce_extKeyUsage, false, new ExtendedKeyUsage([...extended]))] : []),
    extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: false })),
    extension(
      id_ce_authorityKeyIdentifier,
      false,
      new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(issuer.keyId) }),
    ),
    ...(names.length
      ? [extension(id_ce_subjectAltName, template.subject.size === 0, new SubjectAlternativeName(names))]
      : []),
  ];
  return signedPem(template, nameOf(template.subject), extensions, issuer);
}

/** The certificate of an authority, signed by itself, as PEM. */
export function authorityPem(template: Omit<CertificateTemplate, "subject">, issuer: Issuer): string {
  const flags = KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment | KeyUsageFlags.keyCertSign;
  const extensions = [
    extension(id_ce_keyUsage, true, new KeyUsage(flags)),
    extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: true })),
    extension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(issuer.keyId)),
  ];
  return signedPem(template, parseDer(issuer.subject, Name), extensions, issuer);
}

function signedPem(
  template: Omit<CertificateTemplate, "subject">,
  subject: Name,
  extensions: readonly Extension[],
  issuer: Issuer,
): string {
  const algorithm = new AlgorithmIdentifier({ algorithm: ecdsaWithSha256 });
  const content = new TBSCertificate({
    version: Version.v3,
    serialNumber: integer(template.serial),
    signature: algorithm,
    issuer: parseDer(issuer.subject, Name),
    validity: new Validity({ notBefore: new Date(template.notBeforeMs), notAfter: new Date(template.notAfterMs) }),
    subject,
    subjectPublicKeyInfo: parseDer(template.publicKey, SubjectPublicKeyInfo),
    extensions: new Extensions([...extensions]),
  });
  const signatureValue = Uint8Array.from(issuer.sign(derOf(content))).buffer;
  const certificate = new Certificate({ tbsCertificate: content, signatureAlgorithm: algorithm, signatureValue });
  return pemText("CERTIFICATE", derOf(certificate));
}

function extension(extnID: string, critical: boolean, content: unknown): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(derOf(content)) });
}

/** The shortest two's complement form. */
function integer(bytes: Uint8Array): ArrayBuffer {
  const from = bytes.findIndex((byte) => byte !== 0);
  const digits = from < 0 ? [0] : [...bytes.subarray(from)];
  return Uint8Array.from((digits[0] ?? 0) & 0x80 ? [0, ...digits] : digits).buffer;
}
