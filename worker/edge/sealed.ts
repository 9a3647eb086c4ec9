// Encrypts texts that the edge stores, by AES-GCM with keys derived from the secret.
import { currentSecret, type Secret, secretValues } from "../../shared/base/secret.ts";

const encoder = new TextEncoder();
const ivBytes = 12;

/** Encrypts a text. `context` names its use and must be equal for decryption. */
export async function seal(secret: Secret, context: string, text: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const key = await keyOf(currentSecret(secret), context);
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, encoder.encode(text)));
  return `${base64(iv)}.${base64(sealed)}`;
}

/** Throws if no value of the secret sealed the text for this context. */
export async function unseal(secret: Secret, context: string, sealed: string): Promise<string> {
  const [current, ...earlier] = secretValues(secret);
  let opened = unsealedBy(current, context, sealed);
  for (const value of earlier) opened = opened.catch(() => unsealedBy(value, context, sealed));
  return opened;
}

async function unsealedBy(secret: string, context: string, sealed: string): Promise<string> {
  const [iv = "", text = ""] = sealed.split(".");
  const algorithm = { name: "AES-GCM", iv: bytesOf(iv) };
  const bytes = await crypto.subtle.decrypt(algorithm, await keyOf(secret, context), bytesOf(text));
  return new TextDecoder().decode(bytes);
}

async function keyOf(secret: string, context: string) {
  const root = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveKey"]);
  const how = { name: "HKDF", hash: "SHA-256", salt: encoder.encode(context), info: encoder.encode("sealed") };
  return crypto.subtle.deriveKey(how, root, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
