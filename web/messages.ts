// The texts of the console's pages of objects in the reader's language.
import { en } from "./messages/en.ts";
import { ofReader } from "./messages/language.ts";

export type Messages = typeof en;

/** The languages. Another language is a file beside the English one and an entry here. */
export const messages: Messages = ofReader({ en });
