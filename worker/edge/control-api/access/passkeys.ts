// Passkeys: options for the authenticator, and verification of its responses.
import type * as z from "zod";
import type { newPasskey, passkeySignature } from "../../../../shared/contract/sign-in.ts";
import type { PasskeyRow } from "../../db/tenant-tables.ts";
import { ControlError } from "../control-error.ts";
import type { ControlApiServer } from "../server.ts";
import { type Challenged, newChallenge, readChallenge } from "./challenge.ts";

type Service = Pick<ControlApiServer, "secret" | "console" | "nowMs">;

/** The library is large and few requests need it, so it is loaded on first use. */
const webauthn = () => import("@simplewebauthn/server");

/** The COSE identifiers of Ed25519, ECDSA over P-256, and RSA. */
const algorithms = [-8, -7, -257];
const serviceName = "Sandbar";

/** Returns the options of `navigator.credentials.create`. The person's existing passkeys are excluded. */
export async function creationOptions(
  service: Service,
  of: Challenged,
  name: string,
  existingPasskeys: readonly Pick<PasskeyRow, "id" | "transports">[] = [],
) {
  const { generateRegistrationOptions } = await webauthn();
  return generateRegistrationOptions({
    rpName: serviceName,
    rpID: new URL(service.console).hostname,
    userName: name,
    userDisplayName: name,
    userID: Uint8Array.from(of.personId, (character) => character.charCodeAt(0)),
    challenge: await newChallenge(service.secret, of, service.nowMs()),
    attestationType: "none",
    excludeCredentials: [...existingPasskeys],
    // The authenticator finds the passkey without a user name, and the passkey is sufficient as the only factor.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: algorithms,
  });
}

/** Verifies a new passkey and returns it with its owner. Throws 400 if it does not match the challenge. */
export async function verifyNewPasskey(
  service: Service,
  purpose: Challenged["purpose"],
  registration: z.output<typeof newPasskey>,
  name: string,
): Promise<PasskeyRow> {
  const { verifyRegistrationResponse } = await webauthn();
  let challenged: Awaited<ReturnType<typeof readChallenge>>;
  const verified = await verifyRegistrationResponse({
    response: registration,
    expectedChallenge: async (text) => {
      challenged = await readChallenge(service.secret, text, service.nowMs());
      return challenged?.purpose === purpose;
    },
    ...expected(service),
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => undefined);
  if (!verified?.verified || !challenged) {
    throw new ControlError(400, "invalid_passkey", "the passkey is not what was asked for: begin again", "passkey");
  }
  const { id, publicKey, counter, transports } = verified.registrationInfo.credential;
  const nowMs = service.nowMs();
  return {
    id,
    personId: challenged.personId,
    name,
    publicKey: base64Url(publicKey),
    counter,
    transports: transports ?? [],
    createdAtMs: nowMs,
    lastUsedAtMs: null,
    challengedAtMs: challenged.madeAtMs,
  };
}

/** Returns the options of `navigator.credentials.get`, which allow any passkey of this service. */
export async function signingOptions(service: Service) {
  const { generateAuthenticationOptions } = await webauthn();
  return generateAuthenticationOptions({
    rpID: new URL(service.console).hostname,
    challenge: await newChallenge(service.secret, { purpose: "sign-in", personId: "" }, service.nowMs()),
    userVerification: "required",
  });
}

/** Returns the changed fields of a passkey, or undefined if it did not sign the challenge. */
export async function verifySignature(
  service: Service,
  passkey: PasskeyRow,
  signature: z.output<typeof passkeySignature>,
): Promise<Pick<PasskeyRow, "id" | "counter" | "challengedAtMs"> | undefined> {
  const { verifyAuthenticationResponse } = await webauthn();
  let madeAtMs = 0;
  const verified = await verifyAuthenticationResponse({
    response: signature,
    expectedChallenge: async (text) => {
      const challenged = await readChallenge(service.secret, text, service.nowMs());
      madeAtMs = challenged?.madeAtMs ?? 0;
      return challenged?.purpose === "sign-in";
    },
    ...expected(service),
    credential: { id: passkey.id, publicKey: bytesOf(passkey.publicKey), counter: passkey.counter },
    requireUserVerification: true,
  }).catch(() => undefined);
  if (!verified?.verified) return undefined;
  return { id: passkey.id, counter: verified.authenticationInfo.newCounter, challengedAtMs: madeAtMs };
}

/** Returns the expected origins. If TLS ends before the service, the service does not see the client's scheme. */
function expected({ console }: Service) {
  const { host, hostname } = new URL(console);
  return { expectedOrigin: [`https://${host}`, `http://${host}`], expectedRPID: hostname };
}

function base64Url(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
