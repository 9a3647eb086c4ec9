// The texts of the console's pages of objects in the reader's language; English where theirs is not there.
import { en } from "./messages/en.ts";

export type Messages = typeof en;

/** Another language is a file beside the English one and an entry here. */
const languages: Readonly<Record<string, Messages>> = { en };

export const messages: Messages = languages[navigator.language.split("-")[0] ?? ""] ?? en;
