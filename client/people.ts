// What people ask in a page of the service's own, where the browser sends the session's cookie: without a key.
import type { Ask } from "./ask.ts";
import type * as T from "./types.ts";

/** Passkeys are made and used by `navigator.credentials`, or a library over it: what it is given and gives travels here in its JSON form. */
export class People {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  getSignIn(): Promise<T.SignInWays> {
    return this.#answer("GET", "/v1/sign-in");
  }

  signInOptions(): Promise<T.PasskeyOptions> {
    return this.#answer("POST", "/v1/sign-in/passkey/options");
  }

  signInByPasskey(passkey: T.PasskeySignature): Promise<T.Me> {
    return this.#answer("POST", "/v1/sign-in/passkey", { passkey });
  }

  joinOptions(invitation: string, name: string): Promise<T.PasskeyOptions> {
    return this.#answer("POST", "/v1/join/options", { invitation, name });
  }

  join(invitation: string, name: string, passkey: T.NewPasskey): Promise<T.Me> {
    return this.#answer("POST", "/v1/join", { invitation, name, passkey });
  }

  changeMe(change: T.PatchMe): Promise<T.Me> {
    return this.#answer("PATCH", "/v1/me", change);
  }

  /** With passkeys, sessions, memberships and the keys one made. */
  async deleteMe(): Promise<void> {
    await this.#ask("/v1/me", { method: "DELETE" });
  }

  createTenant(name: string): Promise<T.Tenant> {
    return this.#answer("POST", "/v1/tenants", { name });
  }

  takeInvitation(invitation: string): Promise<T.Me> {
    return this.#answer("POST", "/v1/me/memberships", { invitation });
  }

  async leaveTenant(tenant: string): Promise<void> {
    await this.#ask(`/v1/me/memberships/${encodeURIComponent(tenant)}`, { method: "DELETE" });
  }

  listPasskeys(): Promise<T.PasskeyList> {
    return this.#answer("GET", "/v1/me/passkeys");
  }

  passkeyOptions(): Promise<T.PasskeyOptions> {
    return this.#answer("POST", "/v1/me/passkeys/options");
  }

  addPasskey(passkey: T.NewPasskey, name?: string): Promise<T.Passkey> {
    return this.#answer("POST", "/v1/me/passkeys", { passkey, ...(name === undefined ? {} : { name }) });
  }

  async removePasskey(passkey: string): Promise<void> {
    await this.#ask(`/v1/me/passkeys/${encodeURIComponent(passkey)}`, { method: "DELETE" });
  }

  listSessions(): Promise<T.SessionList> {
    return this.#answer("GET", "/v1/me/sessions");
  }

  /** `current` signs out. */
  async endSession(session = "current"): Promise<void> {
    await this.#ask(`/v1/me/sessions/${encodeURIComponent(session)}`, { method: "DELETE" });
  }

  // The service answers what its contract says.
  async #answer<A>(method: "GET" | "POST" | "PATCH", path: string, body?: unknown): Promise<A> {
    return (await this.#ask(path, { method, ...(body === undefined ? {} : { body }) })).json() as Promise<A>;
  }
}
