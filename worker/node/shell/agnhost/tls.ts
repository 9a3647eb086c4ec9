// Which of agnhost's servers speak TLS alone, as the API server calls its webhooks.
import { serverParts } from "../programs/page.ts";

const secure = new Set(["agnhost/webhook", "agnhost/crd-conversion-webhook", "sample-apiserver"]);

export function speaksTls(server: string): boolean {
  return secure.has(serverParts(server).name);
}
