// The cost of a creation beside a growing number of unrelated things: objects of its own kind, other kinds, watchers of other kinds. Prints
// the exponents, and draws the curves into docs/growth.svg. `--most=10000` limits the sizes.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/build.ts";
import { type Curve, drawn, exponent, type Point } from "../curves.ts";
import { inParallel } from "../http.ts";
import { definition, newLoad } from "../loads.ts";
import { processorSeconds } from "../processor.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { median } from "../statistics.ts";
import { type Figure, atMost } from "../table.ts";
import { type Watch, watch } from "../watch.ts";

const lanes = 8;
const perRound = 400;
const rounds = 5;
const warmUps = 2000;
/** The exponent that a constant cost may measure, on a machine that does other work. */
const mostExponent = 0.1;
const few = [0, 10, 100, 300, 1000];

/** Fills a sandbox from one size to the next. */
type Grow = (sandbox: Sandbox, from: number, to: number) => Promise<void>;

export async function growth(bench: Bench, flags: ReadonlySet<string>): Promise<Figure[]> {
  const most = Number(
    [...flags].find((flag) => flag.startsWith("most="))?.slice("most=".length) ?? Number.MAX_SAFE_INTEGER,
  );
  const upTo = (sizes: readonly number[]) => sizes.filter((size) => size <= most);
  const curves: Curve[] = [];
  for (const make of [
    () => curve(bench, "objects of the kind", upTo([0, 100, 1000, 10_000, 30_000, 100_000]), addObjects),
    () => curve(bench, "other kinds", upTo(few), addKinds),
    () => watchersCurve(bench, upTo(few)),
  ]) {
    curves.push(await make());
    writeFileSync(join(root, "docs/growth.svg"), drawn("A ConfigMap's creation, beside more and more of", curves));
  }
  return curves.map(({ what, points }) => {
    const grows = exponent(points);
    for (const { size, micros } of points)
      console.log(`${what}: ${size.toLocaleString("en")}: ${micros.toFixed(0)} µs`);
    return {
      what: `a creation beside ${what}, exponent`,
      value: grows,
      unit: "",
      bar: atMost(grows, mostExponent, ""),
    };
  });
}

async function watchersCurve(bench: Bench, sizes: readonly number[]): Promise<Curve> {
  const open: Watch[] = [];
  const add: Grow = (sandbox, from, to) =>
    inParallel(lanes, to - from, async () =>
      open.push(await watch(sandbox, "/api/v1/namespaces/default/secrets", ignore)),
    );
  const growthCurve = await curve(bench, "watchers of other kinds", sizes, add);
  for (const openWatch of open) openWatch.end();
  return growthCurve;
}

async function curve(bench: Bench, what: string, sizes: readonly number[], grow: Grow): Promise<Curve> {
  const sandbox = await makeSandbox(bench, { nodes: 0 });
  const warm = newLoad(sandbox, "create", "configmap", "json", lanes);
  await inParallel(lanes, warmUps, warm.once);
  warm.end();
  const points: Point[] = [];
  let size = 0;
  for (const next of sizes) {
    await grow(sandbox, size, next);
    size = next;
    const micros = await creation(sandbox);
    console.log(`${what}: ${size.toLocaleString("en")}: ${micros.toFixed(0)} µs`);
    points.push({ size, micros });
  }
  sandbox.agent.destroy();
  return { what, points };
}

async function creation(sandbox: Sandbox): Promise<number> {
  const load = newLoad(sandbox, "create", "configmap", "json", lanes);
  const all: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = processorSeconds();
    await inParallel(lanes, perRound, load.once);
    all.push(((processorSeconds() - start) * 1e6) / perRound);
  }
  load.end();
  return median(all);
}

async function addObjects(sandbox: Sandbox, from: number, to: number): Promise<void> {
  const load = newLoad(sandbox, "create", "configmap", "json", lanes);
  await inParallel(lanes, to - from, load.once);
  load.end();
}

async function addKinds(sandbox: Sandbox, from: number, to: number): Promise<void> {
  await inParallel(lanes, to - from, (index) => {
    const plural = `gauges${from + index}`;
    const names = { plural, kind: `Gauge${from + index}` };
    const { spec, metadata: _, ...rest } = definition;
    return sandbox.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      ...rest,
      metadata: { name: `${plural}.${spec.group}` },
      spec: { ...spec, names },
    });
  });
}

function ignore(): void {
  // Events are ignored here.
}
