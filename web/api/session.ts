// Who is signed in: the key lives as long as the tab, and never leaves this origin.
import { computed, signal } from "@preact/signals";
import { type Control, ControlFailure, controlWith } from "./control.ts";

const storageKey = "sandbar.key";
const key = signal(sessionStorage.getItem(storageKey) ?? undefined);

/** Why the last session ended, if not by the user's wish. */
export const signedOutBecause = signal("");

/** Nothing, if nobody is signed in. */
export const session = computed<Control | undefined>(() => (key.value ? controlWith(key.value, expire) : undefined));

/** Throws if the key is not taken. */
export async function signIn(text: string): Promise<void> {
  const candidate = text.trim();
  // What a header cannot carry is no key; the API need not be asked.
  if (!/^[\x21-\x7e]+$/.test(candidate)) throw wrongKey();
  try {
    await controlWith(candidate).list();
  } catch (error) {
    throw error instanceof ControlFailure && error.status === 401 ? wrongKey() : error;
  }
  sessionStorage.setItem(storageKey, candidate);
  signedOutBecause.value = "";
  key.value = candidate;
}

export function signOut(): void {
  sessionStorage.clear();
  key.value = undefined;
}

function expire(): void {
  signOut();
  signedOutBecause.value = "The key is no longer accepted. Sign in again.";
}

function wrongKey(): Error {
  return new Error("That is not a key of this service.");
}
