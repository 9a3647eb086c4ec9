// Which servers speak TLS alone, as the API server calls its webhooks.
import { ingressServer, webhookPort } from "../applications/ingress-nginx.ts";
import { serverParts } from "../programs/page.ts";

const secure = new Set(["agnhost/webhook", "agnhost/crd-conversion-webhook", "sample-apiserver"]);

export function speaksTls(server: string, port: number): boolean {
  return (server === ingressServer && port === webhookPort) || secure.has(serverParts(server).name);
}
