// Passkeys: what an authenticator is asked to make or to sign, and whether it has.
import type { z } from "zod";
import type { newPasskey, passkeySignature } from "../../../../shared/contract/sign-in.ts";
import type { PasskeyRow } from "../../db/tenant-tables.ts";
import { ControlError } from "../control-error.ts";
import type { ControlApiServer } from "../server.ts";
import { type Challenged, newChallenge, readChallenge } from "./challenge.ts";

type Service = Pick<ControlApiServer, "secret" | "console" | "nowMs">;

/** It is large, and few requests need it: the Worker begins without it. */
const webauthn = () => import("@simplewebauthn/server");

/** COSE's names of Ed25519, ECDSA over P-256, and RSA. */
const algorithms = [-8, -7, -257];
const serviceName = "Sandbar";

/** What `navigator.credentials.create` wants. `known`: passkeys that the person has already. */
export async function makingOptions(
  service: Service,
  of: Challenged,
  name: string,
  known: readonly Pick<PasskeyRow, "id" | "transports">[] = [],
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
    excludeCredentials: [...known],
    // Found without a name being typed, and good as the only proof.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: algorithms,
  });
}

/** The passkey that was made, and for whom. Throws a 400 for what is not as it was asked for. */
export async function madePasskey(
  service: Service,
  purpose: Challenged["purpose"],
  made: z.output<typeof newPasskey>,
  name: string,
): Promise<PasskeyRow> {
  const { verifyRegistrationResponse } = await webauthn();
  let challenged: Awaited<ReturnType<typeof readChallenge>>;
  const verified = await verifyRegistrationResponse({
    response: made,
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

/** What `navigator.credentials.get` wants: any passkey of this service that the person chooses. */
export async function signingOptions(service: Service) {
  const { generateAuthenticationOptions } = await webauthn();
  return generateAuthenticationOptions({
    rpID: new URL(service.console).hostname,
    challenge: await newChallenge(service.secret, { purpose: "sign-in", personId: "" }, service.nowMs()),
    userVerification: "required",
  });
}

/** What is different of the passkey now. Nothing, where it has not signed what was asked. */
export async function signedBy(
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

/** Where TLS ends before the service it is not told of it. */
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
