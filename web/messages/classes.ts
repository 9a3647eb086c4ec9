// The texts of the board about classes: links to a lesson for many.
import { ofReader } from "./language.ts";

const en = {
  title: "Join links",
  open: "Join links",
  none: "No link yet. Make one and give it to the class: each learner opens it, says a name, and has a cluster of their own. They appear on the board as they come.",
  create: "New link",
  name: "Class",
  nameHint: "Learners see it: 7b, Tuesday.",
  seats: "Seats",
  seatsHint: "How many learners may come by it.",
  ttl: "Lets learners in for",
  ttlHint: "Who has begun comes back by it after that, too, until their own time is up.",
  make: "Make link",
  making: "Making…",
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
  revokeMeans: "It opens nothing from then on. Who has begun goes on at the page of their own until their time is up.",
  done: "Done",
  came: "by link",
};

export const texts = ofReader({ en });
