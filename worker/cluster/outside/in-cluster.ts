// Servers in the cluster's own pods that the API server calls through their Service: webhooks, conversions, aggregated APIs.
import { bytesOfText, textOfBytes } from "../../../shared/base/byte-text.ts";
import { deadlineExceeded } from "../../../shared/base/fetch-failures.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { OutsideRequest, ServiceAddress } from "../../../shared/k8s/outbound-call.ts";
import type { Containers } from "../../api/connect/containers.ts";
import { endpointSlices } from "../../kinds/discovery/endpoint-slice.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { services } from "../../kinds/core/service/service.ts";
import type { Reads } from "../../kinds/kind.ts";
import type { TransportAnswer } from "./transports.ts";

/** Undefined: nobody there speaks TLS. */
export type AskPods = (
  address: ServiceAddress,
  path: string,
  request: OutsideRequest,
) => Promise<TransportAnswer | undefined>;

export function podAsker(reads: Pick<Reads, "get" | "list">, containers: Containers): AskPods {
  return async (address, path, { method, headers, body, timeoutMs, to }) => {
    const backend = backendOf(reads, address);
    if (!backend) return undefined;
    const host = `${address.name}.${address.namespace}.svc`;
    const visit = { method, path, headers: [["Host", host] as const, ...headers], body: textOfBytes(body) };
    const answer = await containers.answer(backend.pod, backend.port, visit);
    // Software about which nothing is known serves TLS, and has set its own CA bundle.
    if (!answer?.isTls && !answer?.mayBeTls) return undefined;
    if (!to.caBundle && !to.insecure && !answer.mayBeTls) {
      return { error: "tls: failed to verify certificate: x509: certificate signed by unknown authority" };
    }
    const { tookMs = 0, status, contentType } = answer;
    const waitMs = Math.min(tookMs, timeoutMs);
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (tookMs >= timeoutMs) return { error: deadlineExceeded };
    const allHeaders = [["content-type", contentType] as const, ...(answer.headers ?? [])];
    return { status, headers: allHeaders, body: bytesOfText(answer.body) };
  };
}

/** A ready pod behind the Service's port. */
function backendOf(
  reads: Pick<Reads, "get" | "list">,
  { namespace, name, port }: ServiceAddress,
): { readonly pod: Pod; readonly port: number } | undefined {
  const servicePort = reads.get(services, namespace, name)?.spec.ports?.find((candidate) => candidate.port === port);
  if (!servicePort) return undefined;
  for (const { metadata, endpoints = [], ports = [] } of reads.list(endpointSlices, namespace)) {
    if (metadata.labels?.["kubernetes.io/service-name"] !== name) continue;
    const target = ports.find((candidate) => (candidate.name ?? "") === (servicePort.name ?? ""))?.port;
    const ready = endpoints.find(
      ({ conditions, targetRef }) => conditions.ready !== false && targetRef?.kind === "Pod",
    );
    const pod = ready && reads.get(pods, namespace, ready.targetRef?.name ?? "");
    if (pod && target !== undefined) return { pod, port: target };
  }
  return undefined;
}
