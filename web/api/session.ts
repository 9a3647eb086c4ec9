// The signed-in user: by a key that a tab of this origin stores, or by the session's cookie, which pages cannot read.
import { computed, signal } from "@preact/signals";
import type { Scope } from "../../shared/contract/scope.ts";
import type { LinkSignedIn, Me } from "../../shared/contract/sign-in.ts";
import { forgetTerminals } from "../terminal/forget.ts";
import { type Control, controlWith, posting } from "./control.ts";
import { messageOf } from "./control-failure.ts";
import { shareKey } from "./tabs.ts";
import { texts as all } from "../messages/service.ts";

const texts = all.session;

interface Session {
  readonly control: Control;
  readonly me: Me;
}

const storageKey = "sandbar.key";
const current = signal<Session | undefined>(undefined);
const tabs = shareKey({
  ownKey: () => sessionStorage.getItem(storageKey) ?? undefined,
  ended: () => forgetSession(),
});

/** True until it is known whether a user is signed in. */
export const checking = signal(true);

/** The reason why the last session ended, unless the user signed out. */
export const signedOutBecause = signal("");

/** The client of the signed-in user, or undefined. */
export const session = computed<Control | undefined>(() => current.value?.control);

/** The signed-in user and their permissions. */
export const me = computed<Me | undefined>(() => current.value?.me);

export function may(scope: Scope): boolean {
  return me.value?.scopes.includes(scope) ?? false;
}

/** Resumes a session: with the key of this tab, the key of another tab, or the cookie. */
export async function resume(): Promise<void> {
  const storedKey = sessionStorage.getItem(storageKey) ?? undefined;
  try {
    if (storedKey !== undefined) tabs.hold();
    const key = storedKey ?? (await tabs.ask());
    if (await isTaken(key)) {
      await open(key);
      if (key !== undefined) store(key);
    } else if (storedKey !== undefined) expire();
  } catch (error) {
    signedOutBecause.value = messageOf(error);
  } finally {
    checking.value = false;
  }
}

/** Throws if the key is refused. */
export async function signIn(text: string): Promise<void> {
  const candidate = text.trim();
  // A text that a header cannot contain is not a key, so the API is not called.
  if (!/^[\x21-\x7e]+$/.test(candidate)) throw wrongKey();
  if (!(await isTaken(candidate))) throw wrongKey();
  await open(candidate);
  store(candidate);
  signedOutBecause.value = "";
}

/** Signs in with the link of a local service. If it is refused, the current user stays signed in, or the sign-in page shows the reason. */
export async function signInByLink(link: string): Promise<void> {
  checking.value = true;
  try {
    const answer = await controlWith(undefined).ask("/v1/sign-in/link", posting({ link }));
    // The response conforms to the contract of the API.
    await signIn(((await answer.json()) as LinkSignedIn).key);
    checking.value = false;
  } catch (error) {
    await resume();
    if (!current.value) signedOutBecause.value = messageOf(error);
  }
}

/** Completes a sign-in after the cookie was set. */
export async function signedIn(): Promise<void> {
  clear();
  await open(undefined);
  signedOutBecause.value = "";
}

/** Updates the user after a change, for example of organisation or name. */
export function becomes(now: Me): void {
  if (current.value) current.value = { ...current.value, me: now };
}

/** Signs out here and in other tabs with the same key. */
export function signOut(): void {
  const { control, me: who } = current.value ?? {};
  const key = sessionStorage.getItem(storageKey);
  if (key !== null) tabs.end(key);
  // The session ends for this page even if the request fails.
  if (who?.person) control?.endSession("current").catch(() => undefined);
  forgetTerminals();
  forgetSession();
}

/** Forgets the session because the service has ended it. */
export function forgetSession(): void {
  clear();
  current.value = undefined;
}

function store(key: string): void {
  sessionStorage.setItem(storageKey, key);
  tabs.hold();
}

function clear(): void {
  sessionStorage.clear();
  tabs.release();
}

/** Reports whether the service accepts the key. Uses a request that does not fail, because browsers log failed requests as errors. */
async function isTaken(key: string | undefined): Promise<boolean> {
  return (await controlWith(key).signInWays()).signedIn;
}

async function open(key: string | undefined): Promise<void> {
  const control = controlWith(key, () => (current.value?.control === control ? expire() : undefined));
  current.value = { control, me: await control.me() };
}

function expire(): void {
  forgetSession();
  signedOutBecause.value = texts.signedOut;
}

function wrongKey(): Error {
  return new Error(texts.wrongKey);
}
