// The texts of a frame in its languages.
import type { ErrorBody } from "../../shared/contract/error.ts";

const english = {
  opening: "Creating your cluster…",
  title: "Kubernetes cluster",
  expired: "This cluster has expired.",
  again: "Start a new one",
  retry: "Try again",
  unreachable: "The service could not be reached.",
  perVisitor: "You have the maximum number of clusters. Try again when one of them has ended.",
  atOnce: "All clusters of this page are in use. Try again later.",
  perHour: "The limit of clusters per hour is reached. Try again later.",
  perAddress: "The limit of clusters per hour from your network is reached. Try again later.",
  tooMany: "No cluster is available. Try again later.",
  refused: "This cluster cannot be shown",
  lesson: "Lesson",
  terminal: "Terminal",
  live: "Cluster",
  check: "Check",
  checking: "Checking…",
  reset: "Begin the step again",
  step: "Step",
  points: "points",
  answer: "Your answer",
  send: "Send",
  passed: "Passed",
  notYet: "Not yet",
  finished: "You have finished this lesson.",
} as const;

export type Words = Readonly<Record<keyof typeof english, string>>;

const german: Words = {
  opening: "Dein Cluster wird gerade gemacht…",
  title: "Kubernetes-Cluster",
  expired: "Die Zeit dieses Clusters ist um.",
  again: "Einen neuen beginnen",
  retry: "Noch einmal versuchen",
  unreachable: "Der Dienst ist nicht zu erreichen.",
  perVisitor: "Du hast hier so viele Cluster, wie du haben kannst. Komm wieder, wenn einer davon zu Ende ist.",
  atOnce: "So viele andere sind hier, dass kein Cluster für dich übrig ist. Komm später wieder.",
  perHour: "In der letzten Stunde kamen so viele, dass kein Cluster für dich übrig ist. Komm später wieder.",
  perAddress:
    "In der letzten Stunde kamen so viele aus deinem Netz, dass kein Cluster für dich übrig ist. Komm später wieder.",
  tooMany: "Kein Cluster ist für dich übrig. Komm später wieder.",
  refused: "Dieser Cluster kann nicht gezeigt werden",
  lesson: "Lektion",
  terminal: "Terminal",
  live: "Cluster",
  check: "Prüfen",
  checking: "Wird geprüft…",
  reset: "Den Schritt neu beginnen",
  step: "Schritt",
  points: "Punkte",
  answer: "Deine Antwort",
  send: "Senden",
  passed: "Geschafft",
  notYet: "Noch nicht",
  finished: "Du hast diese Lektion geschafft.",
};

/** Returns the texts for a language tag such as `de` or `de-CH`. */
export function wordsOf(language: string): Words {
  return /^de\b/i.test(language) ? german : english;
}

/** A sentence about what the service refused. */
export function sentenceOf(
  words: Words,
  { status, code, message, limit }: ErrorBody["error"] & { readonly status: number },
): string {
  if (status === 0) return words.unreachable;
  if (code === "limit_reached") {
    const name = limit?.name ?? "";
    if (name === "perVisitor" || name === "atOnce" || name === "perHour" || name === "perAddress") return words[name];
    return words.tooMany;
  }
  return `${words.refused}: ${message}.`;
}
