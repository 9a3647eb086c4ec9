// The key with which a cluster signs its service accounts' tokens: P-256, made at first use and kept with the cluster.
import { Buffer } from "node:buffer";
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { BoundedCache } from "../../shared/base/bounded-cache.ts";
import { limits } from "../../shared/base/limits.ts";
import type { TokenKey } from "../api/api-server.ts";
import type { Sql } from "../store/sql.ts";
import { readMeta, writeMeta } from "../store/tables.ts";

const metaKey = "serviceAccountKey";
/** JSON web signatures are the two numbers one after the other, not ASN.1. */
const dsaEncoding = "ieee-p1363";

interface OpenKey {
  readonly privatePem: string;
  readonly publicPem: string;
  readonly id: string;
  readonly jwk: object;
}

export function tokenKey(sql: Sql): TokenKey {
  let open: OpenKey | undefined;
  const key = () => (open ??= openKey(readMeta(sql, metaKey) ?? makeKey(sql)));
  /** The claims of tokens that were shown lately: this key has signed them, and always will have. What they claim is checked anew. */
  const verified = new BoundedCache<string, Readonly<Record<string, unknown>>>(limits.keptSignatures);
  return {
    sign: (claims) => {
      const { privatePem, id } = key();
      const text = `${encode(JSON.stringify({ alg: "ES256", kid: id }))}.${encode(JSON.stringify(claims))}`;
      const signature = sign("sha256", Buffer.from(text), { key: privatePem, dsaEncoding });
      return `${text}.${signature.toString("base64url")}`;
    },
    verify: (token) => {
      const known = verified.get(token);
      if (known) return known;
      const [header = "", claims = "", signature = "", ...more] = token.split(".");
      if (more.length > 0 || !signature) return undefined;
      const { publicPem } = key();
      if (parse(header)?.alg !== "ES256") return undefined;
      const text = Buffer.from(`${header}.${claims}`);
      const isOurs = verify("sha256", text, { key: publicPem, dsaEncoding }, Buffer.from(signature, "base64url"));
      const read = isOurs ? parse(claims) : undefined;
      if (read && token.length <= limits.keptTokenCharacters) verified.set(token, read);
      return read;
    },
    jwk: () => key().jwk,
  };
}

function makeKey(sql: Sql): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  writeMeta(sql, metaKey, pem);
  return pem;
}

function openKey(privatePem: string): OpenKey {
  const key = createPublicKey(privatePem);
  // As upstream: a hash of the public key, so that nothing can be taken for the key itself.
  const id = createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64url");
  const { kty, crv, x, y } = key.export({ format: "jwk" });
  const jwk = { use: "sig", kty, kid: id, crv, alg: "ES256", x, y };
  return { privatePem, publicPem: key.export({ type: "spki", format: "pem" }).toString(), id, jwk };
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}

function parse(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
