// What agnhost's servers answer, and the sample API server of upstream's tests.
import type { Page, Visit } from "../programs/page.ts";
import { crdConversionAnswer } from "./conversion.ts";
import { guestbookAnswer } from "./guestbook.ts";
import { netexecAnswer } from "./netexec.ts";
import { nettestAnswer } from "./nettest.ts";
import { porterAnswer } from "./porter.ts";
import { sampleApiAnswer } from "./sample-apiserver.ts";
import { livenessAnswer, serveHostnameAnswer, testWebserverAnswer } from "./simple-servers.ts";
import { webhookAnswer } from "./webhook.ts";

/** By the server's name; `words`: what its answers depend on. */
export const agnhostAnswers: Readonly<Record<string, (visit: Visit, words: readonly string[]) => Page>> = {
  "agnhost/crd-conversion-webhook": crdConversionAnswer,
  "agnhost/guestbook": guestbookAnswer,
  "agnhost/liveness": livenessAnswer,
  "agnhost/netexec": netexecAnswer,
  "agnhost/nettest": nettestAnswer,
  "agnhost/porter": porterAnswer,
  "agnhost/serve-hostname": serveHostnameAnswer,
  "agnhost/test-webserver": testWebserverAnswer,
  "agnhost/webhook": webhookAnswer,
  "sample-apiserver": sampleApiAnswer,
};
