// A table of services with their addresses.
import { messages } from "../messages.ts";
import { useComputed } from "@preact/signals";
import type { Service } from "../../shared/k8s/api/core-v1.ts";
import { compareText } from "../live/order.ts";
import { compareNamespaces } from "../live/workloads.ts";
import { Age } from "../parts/age.tsx";
import { useLive } from "./context.ts";
import { ObjectButton } from "./object-button.tsx";

export function ServiceTable() {
  const { cluster, namespace } = useLive();
  const services = useComputed(() =>
    cluster.services.all.value
      .filter(({ metadata }) => namespace.value === "" || metadata.namespace === namespace.value)
      .sort(byPlace),
  );
  if (services.value.length === 0) return <p class="empty">{messages.overview.noServices}</p>;
  return (
    <div class="scroll">
      <table class="services">
        <thead>
          <tr>
            <th scope="col">{messages.overview.name}</th>
            <th scope="col">{messages.overview.namespace}</th>
            <th scope="col">{messages.overview.type}</th>
            <th scope="col">{messages.overview.clusterIp}</th>
            <th scope="col">{messages.overview.ports}</th>
            <th scope="col">{messages.overview.age}</th>
          </tr>
        </thead>
        <tbody>
          {services.value.map((service) => (
            <tr key={service.metadata.uid} data-kind="Service" data-name={service.metadata.name}>
              <th scope="row">
                <ObjectButton kind="Service" object={service} />
              </th>
              <td data-label={messages.overview.namespace}>{service.metadata.namespace}</td>
              <td data-label={messages.overview.type}>{service.spec.type}</td>
              <td data-label={messages.overview.clusterIp}>{service.spec.clusterIP ?? service.spec.externalName}</td>
              <td data-label={messages.overview.ports}>{ports(service)}</td>
              <td data-label={messages.overview.age}>
                <Age time={service.metadata.creationTimestamp} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Formats ports like kubectl's PORT(S): `80:30080/TCP`. */
function ports({ spec }: Service): string {
  const text = (spec.ports ?? []).map(({ port, nodePort, protocol }) => {
    return `${port}${nodePort ? `:${nodePort}` : ""}/${protocol ?? "TCP"}`;
  });
  return text.join(", ");
}

function byPlace({ metadata: left }: Service, { metadata: right }: Service): number {
  return (
    compareNamespaces(left.namespace ?? "", right.namespace ?? "") || compareText(left.name ?? "", right.name ?? "")
  );
}
