// Objects of kinds that are not shown as they are stored: with nulls, by the clock, or in another version.
import { expect } from "vitest";
import { customResourceDefinitions } from "../../worker/kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { configMap, core, newServer, type TestServer } from "./server.ts";

export const scalersV1 = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
export const scalersV2 = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
export const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
export const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
export const gearsV1 = "/apis/example.com/v1/namespaces/default/gears";
export const gearsV2 = "/apis/example.com/v2/namespaces/default/gears";

function version(name: string, storage: boolean) {
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const additionalPrinterColumns = [{ name: "Größe", type: "integer", jsonPath: ".spec.size" }];
  return { name, served: true, storage, schema: { openAPIV3Schema: schema }, additionalPrinterColumns };
}

/** Returns a cluster with two objects, `a` and `b`, of each of these kinds and of ConfigMaps. */
export async function withObjects(): Promise<TestServer> {
  const server = newServer({ nodes: 2 });
  server.cluster.apply(customResourceDefinitions, {
    metadata: { name: "gears.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "gears", kind: "Gear", singular: "gear", listKind: "GearList" },
      scope: "Namespaced",
      versions: [version("v1", true), version("v2", false)],
    },
  });
  server.cluster.runUntilQuiet();
  const scaleTargetRef = { kind: "Deployment", name: "web", apiVersion: "apps/v1" };
  const make = async (path: string, body: object) => {
    const { code, text } = await server.ask("POST", path, { body });
    expect([code, text]).toEqual([201, expect.anything()]);
  };
  for (const name of ["a", "b"]) {
    const metadata = { name, labels: { mine: "yes" } };
    await make(`${core}/configmaps`, configMap(name, { k: "v" }, metadata));
    await make(slices, { metadata, addressType: "IPv4" });
    await make(scalersV1, { metadata, spec: { scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 50 } });
    await make(gearsV1, { apiVersion: "example.com/v1", kind: "Gear", metadata, spec: { size: 3 } });
  }
  // Heartbeats have another time than the stored one.
  server.cluster.step(3_605_000);
  return server;
}
