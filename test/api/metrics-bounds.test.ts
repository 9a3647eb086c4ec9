// Bounds of the cluster's own metrics: the number of series is limited, since clients can invent paths and priority levels.
import { expect, test } from "vitest";
import { metricsOf } from "../../worker/api/non-resource/metrics.ts";
import { nominalSeats } from "../../worker/api/non-resource/seats.ts";
import { newServer } from "./server.ts";

test("at most 5,000 series are created, and all requested priority levels", () => {
  const { service } = newServer();
  const metrics = metricsOf(service);
  for (let at = 0; at < 5_100; at++) {
    const url = new URL(`https://test/apis/g${at}/v1/things`);
    const info = {
      isResource: true,
      verb: "get",
      group: `g${at}`,
      version: "v1",
      plural: "things",
      path: url.pathname,
    };
    metrics.begin(new Request(url), url)(info as never, 200, 1);
  }
  const lines = metrics.text(service.registry).split("\n");
  expect(lines.filter((line) => line.startsWith("apiserver_request_total{"))).toHaveLength(5_000);
  expect(nominalSeats(service.registry, 3)).toHaveLength(3);
});
