// Certificate requests as a client makes them: PKCS #10, signed with a fresh key. By hand, since tests of controllers do not wait.
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { der, derOid as oid, tags } from "../worker/kinds/certificates/certificate-signing-request/der.ts";

export type KeyKind = "ec" | "rsa" | "ed25519";

export interface CertificateRequest {
  /** PEM. */
  readonly request: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

/** `subject` as `/O=devs/CN=ada`; `names` as `DNS:a,IP:10.0.0.1,email:a@b.c,URI:a://b`. */
export function certificateRequest(subject: string, names = "", kind: KeyKind = "ec"): CertificateRequest {
  const { publicKey, privateKey } = keyPair(kind);
  const info = der(
    tags.sequence,
    der(tags.integer, Uint8Array.of(0)),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(tags.attributes, ...(names === "" ? [] : [extensionRequest(names)])),
  );
  const signature = sign(kind === "ed25519" ? null : "sha256", info, privateKey);
  const whole = der(tags.sequence, info, algorithms[kind], der(tags.bitString, Uint8Array.of(0), signature));
  const base64 = Buffer.from(whole).toString("base64");
  const lines = base64.match(/.{1,64}/g) ?? [];
  return {
    request: ["-----BEGIN CERTIFICATE REQUEST-----", ...lines, "-----END CERTIFICATE REQUEST-----", ""].join("\n"),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function keyPair(kind: KeyKind): { publicKey: KeyObject; privateKey: KeyObject } {
  if (kind === "ec") return generateKeyPairSync("ec", { namedCurve: "P-256" });
  return kind === "rsa" ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : generateKeyPairSync("ed25519");
}

const nothing = Uint8Array.of(0x05, 0x00);
const algorithms: Readonly<Record<KeyKind, Uint8Array>> = {
  ec: der(tags.sequence, oid("1.2.840.10045.4.3.2")),
  rsa: der(tags.sequence, oid("1.2.840.113549.1.1.11"), nothing),
  ed25519: der(tags.sequence, oid("1.3.101.112")),
};
const attributeOids: Readonly<Record<string, string>> = {
  CN: "2.5.4.3",
  C: "2.5.4.6",
  L: "2.5.4.7",
  ST: "2.5.4.8",
  O: "2.5.4.10",
  OU: "2.5.4.11",
};

function nameOf(subject: string): Uint8Array {
  const parts = subject.split("/").filter(Boolean);
  return der(
    tags.sequence,
    ...parts.map((part) => {
      const [type = "", value = ""] = part.split("=");
      return der(tags.set, der(tags.sequence, oid(attributeOids[type] ?? type), der(tags.utf8, utf8(value))));
    }),
  );
}

function extensionRequest(names: string): Uint8Array {
  const alternatives = der(tags.sequence, ...names.split(",").map(generalName));
  const extension = der(tags.sequence, oid("2.5.29.17"), der(tags.octetString, alternatives));
  return der(tags.sequence, oid("1.2.840.113549.1.9.14"), der(tags.set, der(tags.sequence, extension)));
}

function generalName(text: string): Uint8Array {
  const colon = text.indexOf(":");
  const [kind, value] = [text.slice(0, colon), text.slice(colon + 1)];
  if (kind === "IP")
    return der(0x87, Uint8Array.from(value.includes(":") ? bytesOfIpv6(value) : value.split(".").map(Number)));
  return der({ email: 0x81, DNS: 0x82, URI: 0x86 }[kind] ?? 0x82, utf8(value));
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function bytesOfIpv6(text: string): number[] {
  const [head = [], tail = []] = text.split("::").map((half) => half.split(":").filter(Boolean));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
}
