// Sign-in and registration with a passkey: the browser creates it and signs the challenge of the service.
import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import type { SignInWays } from "../../shared/contract/sign-in.ts";
import { asking, posting } from "./control.ts";
import { texts as all } from "../messages/service.ts";

const texts = all.passkeys;

const ask = asking(undefined);

/** Returns the ways to sign in besides a key. */
export async function signInWays(): Promise<SignInWays> {
  // The response conforms to the contract of the API.
  return (await (await ask("/v1/sign-in")).json()) as SignInWays;
}

export async function signInByPasskey(): Promise<void> {
  const options = await ask("/v1/sign-in/passkey/options", { method: "POST" });
  const optionsJSON = (await options.json()) as PublicKeyCredentialRequestOptionsJSON;
  const passkey = await startAuthentication({ optionsJSON }).catch(refused);
  await ask("/v1/sign-in/passkey", posting({ passkey }));
}

/** As a new person. */
export async function joinByPasskey(invitation: string, name: string): Promise<void> {
  const options = await ask("/v1/join/options", posting({ invitation, name }));
  const optionsJSON = (await options.json()) as PublicKeyCredentialCreationOptionsJSON;
  const passkey = await startRegistration({ optionsJSON }).catch(refused);
  await ask("/v1/join", posting({ invitation, name, passkey }));
}

/** A further one of who is signed in. */
export async function addPasskey(): Promise<void> {
  const options = await ask("/v1/me/passkeys/options", { method: "POST" });
  const optionsJSON = (await options.json()) as PublicKeyCredentialCreationOptionsJSON;
  const passkey = await startRegistration({ optionsJSON }).catch(refused);
  await ask("/v1/me/passkeys", posting({ passkey }));
}

/** Browsers hide the reason, so that pages cannot find out which passkeys exist. */
function refused(): never {
  throw new Error(texts.noPasskey);
}
