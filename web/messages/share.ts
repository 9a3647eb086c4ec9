// The texts of sharing the state of a sandbox.
import { ofReader } from "./language.ts";

const en = {
  open: "Share this state",
  title: "Share this state",
  means:
    "Everybody with the link gets a copy of the sandbox as it is now, with all rights in it. This sandbox is not touched.",
  share: "Create link",
  sharing: "Creating…",
  name: "Title",
  nameHint: "People with the link see it: Why does this pod not start?",
  copies: "Copies",
  life: "The link gives copies for",
  copyLife: "A copy lives",
  used: (used: number, most: number) => `${used} of ${most} copies taken`,
  closesIn: "closes in",
  linkOf: (title: string) => `Link: ${title}`,
  copy: "Copy",
  revoke: "Revoke",
};

export const texts = ofReader({ en });
