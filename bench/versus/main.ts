// `node bench/versus/main.ts [ours] [real] [rounds]`: runs the same client against this service and a real control plane, alternating, on
// this machine. Missing programs are built into `.sandbar/versus`. See the page beside this file.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/build.ts";
import { median } from "../statistics.ts";
import { buildClient, buildRealCluster, stagesFile } from "./build.ts";
import { type Cluster, startOurs, startReal } from "./clusters.ts";

const words = process.argv.slice(2);
const rounds = Number(words.find((word) => /^\d+$/.test(word)) ?? 3);
const both = { ours: startOurs, real: startReal };
const chosen = Object.entries(both).filter(([name]) => words.includes(name) || !words.some((word) => word in both));

/** The time limit of one cluster's round, above which something is broken. */
const roundMs = 10 * 60_000;
const folder = join(root, ".sandbar/versus");
mkdirSync(folder, { recursive: true });
const client = existsSync(join(folder, "client")) ? join(folder, "client") : buildClient(folder);
if (chosen.some(([name]) => name === "real") && !existsSync(join(folder, stagesFile))) buildRealCluster(folder);

const measured = new Map<string, Map<string, number[]>>();
for (let round = 0; round < rounds; round++) {
  for (const [name, start] of chosen) {
    const cluster: Cluster = await start(folder);
    try {
      const text = execFileSync(client, ["-kubeconfig", cluster.kubeconfig], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
        timeout: roundMs,
      });
      // The client's output: see its first line.
      for (const [figure, value] of Object.entries(JSON.parse(text) as Record<string, number>)) {
        const of = measured.get(figure) ?? new Map<string, number[]>();
        of.set(name, [...(of.get(name) ?? []), value]);
        measured.set(figure, of);
      }
    } finally {
      await cluster.stop();
    }
  }
}
console.log(["figure", ...chosen.map(([name]) => name), "real / ours"].join("\t"));
for (const [figure, of] of [...measured].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const [ours, real] = [of.get("ours"), of.get("real")].map((values) => (values ? median(values) : undefined));
  const medians = chosen.map(([name]) => median(of.get(name) ?? []).toFixed(1));
  console.log(
    [figure, ...medians, ours !== undefined && real !== undefined ? (real / ours).toFixed(2) : ""].join("\t"),
  );
}
