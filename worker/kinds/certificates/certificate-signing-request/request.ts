// A PKCS#10 request as a CertificateSigningRequest carries it: its form, and the organizations of its subject.
import { type DerValue, oidText, readDer, tags } from "./der.ts";
import { binaryOf, pemBlocks } from "./pem.ts";

const organization = "2.5.4.10";

export interface ParsedRequest {
  readonly organizations: readonly string[];
}

/** The request in `spec.request`, or what is wrong with it. */
export function parseRequest(base64: string): ParsedRequest | string {
  const block = pemBlocks(binaryOf(base64))[0];
  if (block?.type !== "CERTIFICATE REQUEST") return "PEM block type must be CERTIFICATE REQUEST";
  const values = readDer(block.bytes);
  if (values?.length === 0 || values?.[0]?.bytes.length === 0) return "asn1: syntax error: sequence truncated";
  if (!values) return "asn1: syntax error: data truncated";
  if (values.length > 1) return "asn1: syntax error: trailing data";
  const [info, algorithm, signature, ...more] = values[0]?.parts ?? [];
  const isRequest =
    info?.tag === tags.sequence &&
    algorithm?.tag === tags.sequence &&
    signature?.tag === tags.bitString &&
    !more.length;
  const [version, subject, key] = info?.parts ?? [];
  const hasInfo = version?.tag === tags.integer && subject?.tag === tags.sequence && key?.tag === tags.sequence;
  if (!isRequest || !hasInfo || !subject.parts.every(isNamePart)) return "asn1: structure error: tags don't match";
  return { organizations: subject.parts.flatMap(organizationsOf) };
}

function isNamePart({ tag, parts }: DerValue): boolean {
  return tag === tags.set && parts.every((one) => one.tag === tags.sequence && one.parts[0]?.tag === tags.oid);
}

function organizationsOf({ parts }: DerValue): string[] {
  return parts.flatMap(({ parts: [type, value] }) => {
    const isOrganization = type?.tag === tags.oid && oidText(type.bytes) === organization;
    return isOrganization && value ? [new TextDecoder().decode(value.bytes)] : [];
  });
}
