// Operations of people in the service's own pages, where the browser sends the session's cookie instead of a key.
import type { Ask, ListQuery } from "./ask.ts";
import { below, type Requests, requestsOf } from "./requests.ts";
import type * as T from "./types.ts";

/**
 * Operations on a person's account. Passkeys are created and used by `navigator.credentials`, or a library for it. Its arguments and
 * results are sent in their JSON form.
 */
export class People {
  readonly #ask: Ask;
  readonly #api: Requests;

  constructor(ask: Ask) {
    this.#ask = ask;
    this.#api = requestsOf(ask);
  }

  getSignIn(): Promise<T.SignInWays> {
    return this.#api.get("/v1/sign-in");
  }

  getMember(member: string): Promise<T.Member> {
    return this.#api.get(below("/v1/members", member));
  }

  /** Returns an archive (tar) with everything that is stored of the organisation. */
  async *exportTenant(): AsyncGenerator<Uint8Array> {
    const { body } = await this.#ask("/v1/tenant/export");
    // The chunks of a body are bytes.
    if (body) yield* body as unknown as AsyncIterable<Uint8Array>;
  }

  signInOptions(): Promise<T.PasskeyOptions> {
    return this.#api.begin("/v1/sign-in/passkey/options");
  }

  signInByPasskey(passkey: T.PasskeySignature): Promise<T.Me> {
    return this.#api.post("/v1/sign-in/passkey", { passkey });
  }

  /** Signs in to a local service by the link that it printed. */
  signInByLink(link: string): Promise<T.LinkSignedIn> {
    return this.#api.post("/v1/sign-in/link", { link });
  }

  joinOptions(invitation: string, name: string): Promise<T.PasskeyOptions> {
    return this.#api.post("/v1/join/options", { invitation, name });
  }

  join(invitation: string, name: string, passkey: T.NewPasskey): Promise<T.Me> {
    return this.#api.post("/v1/join", { invitation, name, passkey });
  }

  /** Returns the organisation's identity provider. This and the next two operations accept keys, too. */
  getSso(): Promise<T.Sso> {
    return this.#api.get("/v1/tenant/sso");
  }

  /** Sets the organisation's identity provider, after the service has read its metadata. */
  setSso(input: T.PutSso): Promise<T.Sso> {
    return this.#api.put("/v1/tenant/sso", input);
  }

  deleteSso(): Promise<void> {
    return this.#api.remove("/v1/tenant/sso");
  }

  changeMe(change: T.PatchMe): Promise<T.Me> {
    return this.#api.patch("/v1/me", change);
  }

  /** Deletes the person with passkeys, sessions, memberships and keys. */
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

  listPasskeys(page: ListQuery = {}): Promise<T.PasskeyList> {
    return this.#api.get("/v1/me/passkeys", page);
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

  listSessions(page: ListQuery = {}): Promise<T.SessionList> {
    return this.#api.get("/v1/me/sessions", page);
  }

  /** Ends a session. `current` signs out. */
  endSession(session = "current"): Promise<void> {
    return this.#api.remove(below("/v1/me/sessions", session));
  }
}
