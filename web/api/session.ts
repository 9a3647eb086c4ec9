// The signed-in user: by a key, which lives as long as a tab of this origin holds it, or by the session's cookie, which no page can read.
import { computed, signal } from "@preact/signals";
import type { Scope } from "../../shared/contract/scope.ts";
import type { LinkSignedIn, Me } from "../../shared/contract/sign-in.ts";
import { forgetTerminals } from "../terminal/forget.ts";
import { type Control, controlWith, messageOf, posting } from "./control.ts";
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
  own: () => sessionStorage.getItem(storageKey) ?? undefined,
  ended: () => forgetSession(),
});

/** Until it is known whether anybody is. */
export const checking = signal(true);

/** Why the last session ended, if not by the user's wish. */
export const signedOutBecause = signal("");

/** Nothing, if nobody is signed in. */
export const session = computed<Control | undefined>(() => current.value?.control);

/** Who it is, and what may be done. */
export const me = computed<Me | undefined>(() => current.value?.me);

export function may(scope: Scope): boolean {
  return me.value?.scopes.includes(scope) ?? false;
}

/** Signs in as before the page was loaded again, else as another tab is, else by the cookie. */
export async function resume(): Promise<void> {
  const own = sessionStorage.getItem(storageKey) ?? undefined;
  try {
    const key = own ?? (await tabs.ask());
    if (await isTaken(key)) {
      await open(key);
      if (key !== undefined) sessionStorage.setItem(storageKey, key);
    } else if (own !== undefined) expire();
  } catch (error) {
    signedOutBecause.value = messageOf(error);
  } finally {
    checking.value = false;
  }
}

/** Throws if the key is not taken. */
export async function signIn(text: string): Promise<void> {
  const candidate = text.trim();
  // What a header cannot carry is no key; the API need not be asked.
  if (!/^[\x21-\x7e]+$/.test(candidate)) throw wrongKey();
  if (!(await isTaken(candidate))) throw wrongKey();
  await open(candidate);
  sessionStorage.setItem(storageKey, candidate);
  signedOutBecause.value = "";
}

/** By the link of a local service. Where it is not taken, whoever was signed in still is; else the door says why. */
export async function signInByLink(link: string): Promise<void> {
  checking.value = true;
  try {
    const answer = await controlWith(undefined).ask("/v1/sign-in/link", posting({ link }));
    // The API answers what its contract says.
    await signIn(((await answer.json()) as LinkSignedIn).key);
    checking.value = false;
  } catch (error) {
    await resume();
    if (!current.value) signedOutBecause.value = messageOf(error);
  }
}

/** After the cookie has come. */
export async function signedIn(): Promise<void> {
  sessionStorage.clear();
  await open(undefined);
  signedOutBecause.value = "";
}

/** After something about oneself has changed: another organisation, another name. */
export function becomes(now: Me): void {
  if (current.value) current.value = { ...current.value, me: now };
}

/** Signs out here and in the other tabs that have the same key. */
export function signOut(): void {
  const { control, me: who } = current.value ?? {};
  const key = sessionStorage.getItem(storageKey);
  if (key !== null) tabs.end(key);
  // Without the answer, too, it is over for this page.
  if (who?.person) control?.endSession("current").catch(() => undefined);
  forgetTerminals();
  forgetSession();
}

/** It is over for the service, too. */
export function forgetSession(): void {
  sessionStorage.clear();
  current.value = undefined;
}

/** Asked where a no is no failed request, which browsers note as an error of the page. */
async function isTaken(key: string | undefined): Promise<boolean> {
  return (await controlWith(key).signInWays()).signedIn;
}

async function open(key: string | undefined): Promise<void> {
  const control = controlWith(key, () => (current.value?.control === control ? expire() : undefined));
  current.value = { control, me: await control.me() };
}

function expire(): void {
  forgetSession();
  signedOutBecause.value = texts.youAreNo;
}

function wrongKey(): Error {
  return new Error(texts.thatIsNot);
}
