// The certificate authority of a cluster: P-256, made at first use and kept with the cluster, good for ten years.
import { Buffer } from "node:buffer";
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from "node:crypto";
import type { Clock } from "../../../shared/base/clock.ts";
import { authorityPem } from "../../../shared/x509/certificate.ts";
import { derOf } from "../../../shared/x509/der.ts";
import { commonName, nameOf } from "../../../shared/x509/name.ts";
import type { Authority } from "../../controllers/certificates/authority.ts";
import type { Keys, PrivateKey } from "../../controllers/common/keys.ts";
import type { Sql } from "../../store/sql.ts";
import { readMeta, writeMeta } from "../../store/tables.ts";

const metaKey = "certificateAuthority";
export const authorityLifetimeMs = 3650 * 24 * 3600 * 1000;
/** As kubeadm names it. */
const ownName = "kubernetes";

/** Algorithms of signatures to the hash of each; Ed25519 has none of its own. */
const hashes: Readonly<Record<string, string | null>> = {
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.3.101.112": null,
};

/** The stored form of an authority. */
export interface KeptAuthority {
  /** PEM. */
  readonly key: string;
  readonly certificate: string;
  readonly notAfterMs: number;
}

export function clusterAuthority(sql: Sql, clock: Clock): Authority {
  return authorityOf(() => {
    const stored = readMeta(sql, metaKey);
    // Only this function writes it.
    if (stored !== undefined) return JSON.parse(stored) as KeptAuthority;
    const created = makeAuthority(clock.nowMs());
    writeMeta(sql, metaKey, JSON.stringify(created));
    return created;
  });
}

/** Opened when first asked for something. `name` is that of `makeAuthority`. */
export function authorityOf(load: () => KeptAuthority, name = ownName): Authority {
  let opened: KeptAuthority | undefined;
  let id: Uint8Array | undefined;
  const open = () => (opened ??= load());
  return {
    get certificate() {
      return open().certificate;
    },
    get notAfterMs() {
      return open().notAfterMs;
    },
    get keyId() {
      return (id ??= keyId(open().key));
    },
    subject: subjectOf(name),
    sign: (data) => sign("sha256", data, open().key),
    verify: isSigned,
  };
}

export function makeAuthority(nowMs: number, name = ownName): KeptAuthority {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const notAfterMs = nowMs + authorityLifetimeMs;
  const template = {
    serial: randomBytes(8),
    notBeforeMs: nowMs,
    notAfterMs,
    publicKey: createPublicKey(key).export({ type: "spki", format: "der" }),
  };
  const issuer = { subject: subjectOf(name), keyId: keyId(key), sign: (data: Uint8Array) => sign("sha256", data, key) };
  return { key, certificate: authorityPem(template, issuer), notAfterMs };
}

/** Keys of others than the cluster, by the same means. */
export const platformKeys: Keys = {
  make: () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    return keyOf(privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  },
  read: (pem) => {
    try {
      // One of another kind does not sign as certificates here say.
      return createPublicKey(pem).asymmetricKeyType === "ec" ? keyOf(pem) : undefined;
    } catch {
      return undefined;
    }
  },
};

function keyOf(pem: string): PrivateKey {
  const publicKey = createPublicKey(pem).export({ type: "spki", format: "der" });
  return { pem, publicKey, keyId: keyId(pem), sign: (data) => sign("sha256", data, pem) };
}

function subjectOf(name: string): Uint8Array {
  return derOf(nameOf(new Map([[commonName, [name]]])));
}

/** The first method of RFC 7093: what of SHA-256 fits the twenty bytes of SHA-1. */
function keyId(privatePem: string): Uint8Array {
  const spki = createPublicKey(privatePem).export({ type: "spki", format: "der" });
  // A point of this curve is the last 65 bytes.
  return createHash("sha256").update(spki.subarray(-65)).digest().subarray(0, 20);
}

function isSigned(data: Uint8Array, signature: Uint8Array, algorithm: string, publicKey: Uint8Array): boolean {
  const hash = Object.hasOwn(hashes, algorithm) ? hashes[algorithm] : undefined;
  if (hash === undefined) return false;
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey), format: "der", type: "spki" });
    return verify(hash, data, key, signature);
  } catch {
    // A key that is none.
    return false;
  }
}
