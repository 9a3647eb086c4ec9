// Certificate requests as a client makes them: PKCS #10, signed with a fresh key, without waiting.
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { Attributes, CertificationRequest, CertificationRequestInfo } from "@peculiar/asn1-csr";
import { OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  Attribute,
  AttributeTypeAndValue,
  AttributeValue,
  Extension,
  Extensions,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
  id_ce_subjectAltName,
} from "@peculiar/asn1-x509";
import { generalNames } from "../shared/x509/alternative-names.ts";
import { derOf, parseDer } from "../shared/x509/der.ts";
import { pemText } from "../shared/x509/pem.ts";

export type KeyKind = "ec" | "rsa" | "ed25519";

export interface CertificateRequest {
  /** PEM. */
  readonly request: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

const algorithms: Readonly<Record<KeyKind, AlgorithmIdentifier>> = {
  ec: new AlgorithmIdentifier({ algorithm: "1.2.840.10045.4.3.2" }),
  rsa: new AlgorithmIdentifier({ algorithm: "1.2.840.113549.1.1.11", parameters: null }),
  ed25519: new AlgorithmIdentifier({ algorithm: "1.3.101.112" }),
};
const attributeTypes: Readonly<Record<string, string>> = {
  CN: "2.5.4.3",
  C: "2.5.4.6",
  L: "2.5.4.7",
  ST: "2.5.4.8",
  O: "2.5.4.10",
  OU: "2.5.4.11",
};

/** `subject` as `/O=devs/CN=ada`; `names` as `DNS:a,IP:10.0.0.1,email:a@b.c,URI:a://b`. */
export function certificateRequest(subject: string, names = "", kind: KeyKind = "ec"): CertificateRequest {
  const { publicKey, privateKey } = keyPair(kind);
  const info = new CertificationRequestInfo({
    subject: nameOf(subject),
    subjectPKInfo: parseDer(publicKey.export({ type: "spki", format: "der" }), SubjectPublicKeyInfo),
    attributes: new Attributes(names === "" ? [] : [extensionRequest(names)]),
  });
  const signature = Uint8Array.from(sign(kind === "ed25519" ? null : "sha256", derOf(info), privateKey)).buffer;
  const signedRequest = new CertificationRequest({
    certificationRequestInfo: info,
    signatureAlgorithm: algorithms[kind],
    signature,
  });
  return {
    request: pemText("CERTIFICATE REQUEST", derOf(signedRequest)),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function keyPair(kind: KeyKind): { publicKey: KeyObject; privateKey: KeyObject } {
  if (kind === "ec") return generateKeyPairSync("ec", { namedCurve: "P-256" });
  return kind === "rsa" ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : generateKeyPairSync("ed25519");
}

function nameOf(subject: string): Name {
  const attributes = subject.split("/").filter(Boolean);
  return new Name(
    attributes.map((attribute) => {
      const [type = "", utf8String = ""] = attribute.split("=");
      const value = new AttributeValue({ utf8String });
      return new RelativeDistinguishedName([new AttributeTypeAndValue({ type: attributeTypes[type] ?? type, value })]);
    }),
  );
}

function extensionRequest(names: string): Attribute {
  const alternativeNames = names.split(",").map((name) => {
    const colon = name.indexOf(":");
    return { kind: name.slice(0, colon), value: name.slice(colon + 1) };
  });
  const of = (kind: string) =>
    alternativeNames.filter((alternativeName) => alternativeName.kind === kind).map(({ value }) => value);
  const alternatives = generalNames({ dns: of("DNS"), emails: of("email"), addresses: of("IP"), uris: of("URI") });
  const extnValue = new OctetString(derOf(new SubjectAlternativeName(alternatives)));
  const extensions = new Extensions([new Extension({ extnID: id_ce_subjectAltName, extnValue })]);
  return new Attribute({ type: "1.2.840.113549.1.9.14", values: [derOf(extensions).buffer] });
}
