// HMAC-SHA-256 tags in letters and digits. Ids and tokens carry tags, so the edge verifies both without a query.

import { BoundedCache } from "../../shared/base/bounded-cache.ts";
import { currentSecret, type Secret, secretValues } from "../../shared/base/secret.ts";

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const encoder = new TextEncoder();

/** A `CryptoKey`, by a type that both Workers and Node.js have. */
type MacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The imported keys by secret; an isolate has one. The key is cached instead of its promise, which would belong to one request. */
const keys = new Map<string, MacKey>();

/** Recent tags. Every request of a sandbox needs the same two, and signing takes several turns of the event loop. */
const tags = new BoundedCache<string, string>(2000);

/** Returns `length` characters (5 bits each, at most 51) of an HMAC with the current secret. `purpose` separates the uses of tags. */
export async function tag(secret: Secret, purpose: string, text: string, length: number): Promise<string> {
  const value = currentSecret(secret);
  const signed = `${purpose}:${text}`;
  const name = `${value}\n${signed}`;
  const cachedTag = tags.get(name);
  if (cachedTag) return cachedTag.slice(0, length);
  const bytes = await crypto.subtle.sign("HMAC", await keyOf(value), encoder.encode(signed));
  const newTag = base32(new Uint8Array(bytes));
  tags.set(name, newTag);
  return newTag.slice(0, length);
}

/** Reports whether any value of the secret made the tag. */
export async function isTag(
  secret: Secret,
  purpose: string,
  text: string,
  candidate: string,
  length: number,
): Promise<boolean> {
  for (const value of secretValues(secret)) {
    if (sameText(candidate, await tag(value, purpose, text, length))) return true;
  }
  return false;
}

/** Returns random letters and digits of 5 bits each. */
export function randomText(length: number): string {
  return base32(crypto.getRandomValues(new Uint8Array(Math.ceil((length * 5) / 8)))).slice(0, length);
}

/** Compares texts in constant time. */
export function sameText(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let at = 0; at < left.length; at++) difference |= left.charCodeAt(at) ^ right.charCodeAt(at);
  return difference === 0;
}

/** Returns the SHA-256 as lower-case hex, the form in which keys and tokens are stored. */
export async function hashOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function keyOf(secret: string): Promise<MacKey> {
  const cachedKey = keys.get(secret);
  if (cachedKey) return cachedKey;
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  keys.set(secret, key);
  return key;
}

function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let pendingBits = 0;
  for (const byte of bytes) {
    pendingBits = ((pendingBits << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(pendingBits >> bits) & 31];
    }
  }
  return text;
}

const ownerLength = 20;

/** Returns what the row of a sandbox stores of its owner: a hash, so that nothing of a deleted person remains. */
export async function ownerHash(kind: "person" | "key", id: string): Promise<string> {
  return (await hashOf(`owner ${kind} ${id}`)).slice(0, ownerLength);
}
