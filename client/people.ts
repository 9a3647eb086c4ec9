// What people ask in a page of the service's own, where the browser sends the session's cookie: without a key.
import type { Ask } from "./ask.ts";
import { below, type Requests, requestsOf } from "./requests.ts";
import type * as T from "./types.ts";

/** Passkeys are made and used by `navigator.credentials`, or a library over it: what it is given and gives travels here in its JSON form. */
export class People {
  readonly #api: Requests;

  constructor(ask: Ask) {
    this.#api = requestsOf(ask);
  }

  getSignIn(): Promise<T.SignInWays> {
    return this.#api.get("/v1/sign-in");
  }

  signInOptions(): Promise<T.PasskeyOptions> {
    return this.#api.begin("/v1/sign-in/passkey/options");
  }

  signInByPasskey(passkey: T.PasskeySignature): Promise<T.Me> {
    return this.#api.post("/v1/sign-in/passkey", { passkey });
  }

  /** Of a service on one's own machine: what stands in the link that it printed. */
  signInByLink(link: string): Promise<T.LinkSignedIn> {
    return this.#api.post("/v1/sign-in/link", { link });
  }

  joinOptions(invitation: string, name: string): Promise<T.PasskeyOptions> {
    return this.#api.post("/v1/join/options", { invitation, name });
  }

  join(invitation: string, name: string, passkey: T.NewPasskey): Promise<T.Me> {
    return this.#api.post("/v1/join", { invitation, name, passkey });
  }

  changeMe(change: T.PatchMe): Promise<T.Me> {
    return this.#api.patch("/v1/me", change);
  }

  /** With passkeys, sessions, memberships and the keys one made. */
  deleteMe(): Promise<void> {
    return this.#api.remove("/v1/me");
  }

  createTenant(name: string): Promise<T.Tenant> {
    return this.#api.post("/v1/tenants", { name });
  }

  takeInvitation(invitation: string): Promise<T.Me> {
    return this.#api.post("/v1/me/memberships", { invitation });
  }

  leaveTenant(tenant: string): Promise<void> {
    return this.#api.remove(below("/v1/me/memberships", tenant));
  }

  listPasskeys(): Promise<T.PasskeyList> {
    return this.#api.get("/v1/me/passkeys");
  }

  passkeyOptions(): Promise<T.PasskeyOptions> {
    return this.#api.begin("/v1/me/passkeys/options");
  }

  addPasskey(passkey: T.NewPasskey, name?: string): Promise<T.Passkey> {
    return this.#api.post("/v1/me/passkeys", { passkey, ...(name === undefined ? {} : { name }) });
  }

  removePasskey(passkey: string): Promise<void> {
    return this.#api.remove(below("/v1/me/passkeys", passkey));
  }

  listSessions(): Promise<T.SessionList> {
    return this.#api.get("/v1/me/sessions");
  }

  /** `current` signs out. */
  endSession(session = "current"): Promise<void> {
    return this.#api.remove(below("/v1/me/sessions", session));
  }
}
