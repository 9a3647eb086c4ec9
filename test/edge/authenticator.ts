// A software authenticator: makes passkeys and signs with them, as a browser and a security key do together.
import { isoCBOR } from "@simplewebauthn/server/helpers";

export interface Authenticator {
  /** Returns the result of `navigator.credentials.create` as JSON. */
  create(options: object): Promise<{ readonly id: string; readonly response: Record<string, unknown> }>;
  /** Returns the result of `navigator.credentials.get` as JSON. */
  get(options: object): Promise<{ readonly id: string; readonly response: Record<string, unknown> }>;
}

export interface AuthenticatorOptions {
  /** The page's. */
  readonly origin?: string;
  readonly rpId?: string;
  /** The authenticator data's flags. The default is user presence and verification. */
  readonly flags?: number;
  readonly counts?: boolean;
}

const userPresent = 1;
const userVerified = 4;
const attested = 64;

/** Creates an authenticator with one passkey. It counts its signatures unless `counts` is false. */
export async function newAuthenticator(overrides: AuthenticatorOptions = {}): Promise<Authenticator> {
  const { origin = "http://localhost:8787", rpId = "localhost", flags = userPresent | userVerified } = overrides;
  const pair = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  // The format says what comes.
  const { x = "", y = "" } = (await crypto.subtle.exportKey("jwk", pair.publicKey)) as JsonWebKey;
  const id = crypto.getRandomValues(new Uint8Array(16));
  let count = 0;
  const data = async (more: number) => {
    if (overrides.counts !== false) count += 1;
    return joined(await sha256(bytes(rpId)), [flags | more], bigEndian(count, 4));
  };
  const clientData = (type: string, options: object) => {
    const { challenge } = options as { challenge: string };
    return bytes(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  };
  const shared = { id: base64Url(id), rawId: base64Url(id), type: "public-key", clientExtensionResults: {} };
  return {
    create: async (options) => {
      const key = new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytesOf(x)],
        [-3, bytesOf(y)],
      ]);
      const credential = joined(new Uint8Array(16), bigEndian(id.length, 2), id, isoCBOR.encode(key));
      const authData = joined(await data(attested), credential);
      const attestation = new Map<string, string | Uint8Array | Map<string, string>>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", authData],
      ]);
      const response = {
        clientDataJSON: base64Url(clientData("webauthn.create", options)),
        attestationObject: base64Url(isoCBOR.encode(attestation)),
        transports: ["internal"],
      };
      return { ...shared, response };
    },
    get: async (options) => {
      const client = clientData("webauthn.get", options);
      const authenticatorData = await data(0);
      const signed = joined(authenticatorData, await sha256(client));
      const raw = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, pair.privateKey, signed);
      const response = {
        clientDataJSON: base64Url(client),
        authenticatorData: base64Url(authenticatorData),
        signature: base64Url(der(new Uint8Array(raw))),
      };
      return { ...shared, response };
    },
  };
}

/** WebCrypto gives both numbers after one another, authenticators give them in DER. */
function der(raw: Uint8Array): Uint8Array {
  const numbers = [raw.slice(0, 32), raw.slice(32)].map((bytes) => {
    const first = bytes.findIndex((byte) => byte !== 0);
    const short = bytes.slice(first);
    const positive = (short[0] ?? 0) > 127 ? joined([0], short) : short;
    return joined([2, positive.length], positive);
  });
  const body = joined(...numbers);
  return joined([48, body.length], body);
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return joined(Array.from(text, (character) => character.charCodeAt(0)));
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

function bigEndian(value: number, length: number): number[] {
  return Array.from({ length }, (_, at) => (value >> ((length - 1 - at) * 8)) & 255);
}

function joined(...chunks: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(chunks.flatMap((chunk) => Array.from(chunk)));
}

function base64Url(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function bytesOf(text: string): Uint8Array {
  return bytes(atob(text.replaceAll("-", "+").replaceAll("_", "/")));
}
