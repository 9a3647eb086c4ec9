// Compares the sandbox of a release with the real API server of that release: all cases of test/parity, and the OpenAPI documents.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import type { KubernetesVersion } from "../../shared/k8s/settings/release.ts";
import { difference } from "../../test/kinds/difference.ts";
import { caseFiles, readCases } from "../../test/parity/cases.ts";
import type { PlainAnswer } from "../../test/parity/normalise.ts";
import { play, type Send } from "../../test/parity/play.ts";
import { newSandbox } from "../../test/parity/sandbox.ts";
import { openApiDifferences, readOpenApi, type OpenApiDocuments } from "./openapi.ts";

export interface RealServer {
  readonly send: Send;
  stop(): Promise<void>;
}

/** The paths at which a case may differ, by `file: case`, from the list of the newest release. */
const listedPaths = knownDifferences();

/**
 * Prints every difference. `start` starts a real server. Its answers are stored in the folder, and used again by the next comparison.
 */
export async function compareRelease(
  folder: string,
  version: KubernetesVersion,
  names: readonly string[],
  start: () => Promise<RealServer>,
): Promise<void> {
  let [cases, differing] = [0, 0];
  for (const name of names.length > 0 ? names : caseFiles()) {
    const real = await stored(folder, name, () => ask(start, (send) => play(readCases(name), send)));
    const ours = await play(readCases(name), newSandbox(version).send);
    for (const [caseName, answer] of Object.entries(real)) {
      cases++;
      const paths = differingPaths(answer, ours.get(caseName));
      if (isDeepStrictEqual(paths, listedPaths.get(`${name}: ${caseName}`) ?? [])) continue;
      differing++;
      console.log(`${name}: ${caseName}: ${paths.join(" ")}`);
      if (process.env.SANDBAR_PARITY_DETAILS) console.log(details(answer, ours.get(caseName)));
    }
  }
  console.log(`${version}: ${cases} cases, ${differing} differ beside those of docs/parity.md`);
  if (names.length > 0) return;
  const documents = await stored(folder, "openapi", () => ask(start, readOpenApi));
  const lines = openApiDifferences(
    documents as unknown as OpenApiDocuments,
    await readOpenApi(newSandbox(version).send),
  );
  for (const line of lines) console.log(line);
  console.log(`${version}: ${lines.length} differences of OpenAPI documents`);
}

async function ask<T>(start: () => Promise<RealServer>, question: (send: Send) => Promise<T>): Promise<T> {
  const { send, stop } = await start();
  try {
    return await question(send);
  } finally {
    await stop();
  }
}

async function stored(
  folder: string,
  name: string,
  record: () => Promise<ReadonlyMap<string, unknown>>,
): Promise<Record<string, PlainAnswer>> {
  const file = join(folder, "answers", `${name}.json`);
  if (!existsSync(file)) {
    mkdirSync(join(folder, "answers"), { recursive: true });
    writeFileSync(file, JSON.stringify(Object.fromEntries(await record())));
  }
  return JSON.parse(readFileSync(file, "utf8")) as Record<string, PlainAnswer>;
}

function differingPaths(real: unknown, ours: unknown): string[] {
  const { set, removed } = difference(real, ours);
  return [...Object.keys(set), ...removed].sort();
}

function details(real: unknown, ours: unknown): string {
  const [theirs, mine] = [difference(ours, real).set, difference(real, ours).set];
  return `  real ${JSON.stringify(theirs).slice(0, 600)}\n  ours ${JSON.stringify(mine).slice(0, 600)}`;
}

function knownDifferences(): ReadonlyMap<string, readonly string[]> {
  const file = join(import.meta.dirname, "../../test/parity/differences.yaml");
  const byReason = parse(readFileSync(file, "utf8")) as Record<string, Record<string, readonly string[]>>;
  const all = new Map<string, readonly string[]>();
  for (const cases of Object.values(byReason)) {
    for (const [name, paths] of Object.entries(cases)) all.set(name, [...(all.get(name) ?? []), ...paths].sort());
  }
  return all;
}
