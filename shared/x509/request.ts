// A PKCS#10 certificate request: subject, names and key.
import { CertificationRequest } from "@peculiar/asn1-csr";
import { type Extension, Extensions } from "@peculiar/asn1-x509";
import { type AlternativeNames, alternativeNamesOf, noNames } from "./alternative-names.ts";
import { derOf, DerError, parseDer } from "./der.ts";
import { type NameValues, commonName, organization, valuesOf } from "./name.ts";
import { pemBlocksOfBase64 } from "./pem.ts";

const extensionRequest = "1.2.840.113549.1.9.14";

export interface CertificateRequest {
  readonly subject: NameValues;
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly names: AlternativeNames;
  /** DER of its SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  /** The signed bytes, the object identifier of the algorithm, and the signature. */
  readonly signed: Uint8Array;
  readonly algorithm: string;
  readonly signature: Uint8Array;
}

/** The request in `spec.request`, or what is wrong with it in the words of upstream's `ParseCSR`. */
export function parseRequest(base64: string): CertificateRequest | string {
  const block = pemBlocksOfBase64(base64)[0];
  if (block?.type !== "CERTIFICATE REQUEST") return "PEM block type must be CERTIFICATE REQUEST";
  try {
    return requestOf(parseDer(block.bytes, CertificationRequest));
  } catch (thrown) {
    if (thrown instanceof DerError) return thrown.message;
    throw thrown;
  }
}

function requestOf(request: CertificationRequest): CertificateRequest {
  const { subject: name, subjectPKInfo, attributes } = request.certificationRequestInfo;
  const subject = valuesOf(name);
  const [requestedExtensions] = attributes.find(({ type }) => type === extensionRequest)?.values ?? [];
  const extensions: readonly Extension[] = requestedExtensions
    ? [...parseDer(new Uint8Array(requestedExtensions), Extensions)]
    : [];
  return {
    subject,
    commonName: subject.get(commonName)?.at(-1) ?? "",
    organizations: subject.get(organization) ?? [],
    names: requestedExtensions ? alternativeNamesOf(extensions) : noNames,
    publicKey: derOf(subjectPKInfo),
    signed: new Uint8Array(request.certificationRequestInfoRaw ?? new ArrayBuffer(0)),
    algorithm: request.signatureAlgorithm.algorithm,
    signature: new Uint8Array(request.signature),
  };
}
