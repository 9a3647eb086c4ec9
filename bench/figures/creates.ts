// ConfigMaps created per second over eight connections, compared with a bare write of the same bytes.
import { type Ask, connections, expect } from "../http.ts";
import { makeSandbox } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { median } from "../statistics.ts";
import { type Figure, atLeastRatio } from "../table.ts";

const sockets = 8;
const rounds = 9;
const roundMs = 1500;
const body = JSON.stringify({
  metadata: { generateName: "bench-" },
  data: { "config.yaml": "level: info\n".repeat(40) },
});

export async function creates(bench: Bench): Promise<Figure[]> {
  const sandbox = await makeSandbox(bench);
  const url = `${sandbox.url}/api/v1/namespaces/default/configmaps`;
  const ours: number[] = [];
  const bare: number[] = [];
  await rate(url, { method: "POST", token: sandbox.token, body });
  await rate(bench.bare, { method: "POST", body });
  for (let round = 0; round < rounds; round++) {
    ours.push(await rate(url, { method: "POST", token: sandbox.token, body }));
    bare.push(await rate(bench.bare, { method: "POST", body }));
  }
  sandbox.agent.destroy();
  const ratio = median(ours.map((value, round) => value / (bare[round] ?? Number.NaN)));
  return [
    { what: "bare writes, 8 connections", value: median(bare), unit: "1/s" },
    {
      what: "ConfigMap creates, 8 connections",
      value: median(ours),
      unit: "1/s",
      ratio,
      bar: atLeastRatio(ratio, 0.5),
    },
  ];
}

async function rate(url: string, options: Ask): Promise<number> {
  const agent = connections(sockets);
  const startMs = performance.now();
  let count = 0;
  const lane = async () => {
    while (performance.now() - startMs < roundMs) {
      await expect(201, agent, url, options);
      count++;
    }
  };
  await Promise.all(Array.from({ length: sockets }, lane));
  const seconds = (performance.now() - startMs) / 1000;
  agent.destroy();
  return count / seconds;
}
