// Signing in and joining by a passkey: the browser makes it and signs with it, the service says what it wants.
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

/** The ways there are to sign in, beside a key. */
export async function signInWays(): Promise<SignInWays> {
  // The API answers what its contract says.
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

/** Browsers do not say more, so that pages learn nothing of whose passkeys there are. */
function refused(): never {
  throw new Error(texts.theBrowserGave);
}
