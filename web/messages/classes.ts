// The texts of the board about classes: links to a lesson for many.
import { ofReader } from "./language.ts";

const en = {
  title: "Join links",
  open: "Join links",
  none: "No links yet. Create one and share it with the class: each learner opens it, enters a name, and gets a cluster. Learners appear on the board as they join.",
  create: "New link",
  name: "Class",
  nameHint: "Learners see it: 7b, Tuesday.",
  seats: "Seats",
  seatsHint: "The number of learners who can join with it.",
  ttl: "Lets learners in for",
  ttlHint: "Learners who have started can return with it until their own time ends.",
  make: "Create link",
  making: "Creating…",
  link: "Link",
  copy: "Copy",
  copyAbout: (title: string) => `the link of ${title}`,
  taken: (taken: number, seats: number) => `${taken} of ${seats} seats`,
  closesIn: "closes in",
  closed: "closed",
  revoke: "Revoke",
  revokeAsk: (title: string) => `Revoke the link of ${title}?`,
  revokeLink: "Revoke link",
  revoking: "Revoking…",
  revokeMeans:
    "New learners cannot join with it. Learners who have started continue on their own page until their time ends.",
  done: "Done",
  joinedByLink: "by link",
};

export const texts = ofReader({ en });
