// Renders a chart into the parts of a release: manifest, hooks and notes.
import type { JsonObject } from "../../../../../shared/schema/json-values.ts";
import { type Chart, crdsOf } from "../chart/chart.ts";
import { coalesceValues } from "../chart/coalesce.ts";
import type { Capabilities } from "../chart/objects.ts";
import { type Hook, type Manifest, sortManifests } from "../chart/manifests.ts";
import { type Rendering, renderChart } from "../chart/render.ts";
import { schemaProblems } from "../chart/schema.ts";
import { isCompatible } from "../functions/versions.ts";
import { type Context, lookup } from "./context.ts";

export interface RenderRequest {
  readonly chart: Chart;
  readonly values: JsonObject;
  readonly name: string;
  readonly namespace: string;
  readonly revision: number;
  readonly isUpgrade: boolean;
  readonly capabilities: Capabilities;
  /** Reports whether `lookup` reads the cluster. */
  readonly reachesCluster: boolean;
  readonly includesCrds?: boolean;
  readonly withSubchartNotes?: boolean;
  readonly skipsSchema?: boolean;
  readonly hidesSecrets?: boolean;
}

export interface Rendered {
  readonly manifest: string;
  readonly manifests: readonly Manifest[];
  readonly hooks: Hook[];
  readonly notes: string;
}

/** Values do not fit the schema of their chart. */
export class SchemaMismatch extends Error {
  override name = "SchemaMismatch";
}

/** A template's output is no YAML. `outputs` helps to debug it. */
export class InvalidOutput extends Error {
  override name = "InvalidOutput";
  readonly outputs: string;

  constructor(message: string, outputs: string) {
    super(message);
    this.outputs = outputs;
  }
}

function checkKubeVersion({ metadata }: Chart, { kubeVersion }: Capabilities): void {
  const range = metadata.kubeVersion;
  if (typeof range !== "string" || range === "") return;
  if (!isCompatible(range, kubeVersion))
    throw new Error(`chart requires kubeVersion: ${range} which is incompatible with Kubernetes ${kubeVersion}`);
}

export async function render(context: Context, request: RenderRequest): Promise<Rendered> {
  const { chart, name, namespace, revision, isUpgrade, capabilities } = request;
  const values = coalesceValues(chart, request.values, context.warn);
  if (!request.skipsSchema) {
    const problems = schemaProblems(chart, values, context.warn);
    if (problems !== "")
      throw new SchemaMismatch(
        `values don't meet the specifications of the schema(s) in the following chart(s):\n${problems}`,
      );
  }
  checkKubeVersion(chart, capabilities);
  const rendering: Rendering = {
    chart,
    values,
    release: {
      Name: name,
      Namespace: namespace,
      IsUpgrade: isUpgrade,
      IsInstall: !isUpgrade,
      Revision: BigInt(revision),
      Service: "Helm",
    },
    capabilities,
    clock: context.surroundings.clock,
    newRandom: () => context.newRandom(),
    ...(request.reachesCluster
      ? { lookup: (apiVersion, kind, place, object) => lookup(context, apiVersion, kind, place, object) }
      : {}),
  };
  const outputs = await renderChart(rendering);
  const notes = takeNotes(outputs, chart, request.withSubchartNotes === true);
  return assembled(outputs, notes, request, context);
}

/** Removes the notes from the outputs and returns them. */
function takeNotes(outputs: Map<string, string>, chart: Chart, withSubcharts: boolean): string {
  const notes: string[] = [];
  for (const [path, text] of [...outputs]) {
    if (!path.endsWith("NOTES.txt")) continue;
    outputs.delete(path);
    if (withSubcharts || path === `${chart.name}/templates/NOTES.txt`) notes.push(text);
  }
  return notes.join("\n");
}

function assembled(
  outputs: ReadonlyMap<string, string>,
  notes: string,
  request: RenderRequest,
  context: Context,
): Rendered {
  try {
    const { hooks, manifests } = sortManifests(outputs, (text) => context.warn(text));
    const crds = request.includesCrds ? crdsOf(request.chart) : [];
    const manifest = [
      ...crds.map(({ name, text }) => `---\n# Source: ${name}\n${text}\n`),
      ...manifests.map(({ path, text, kind }) =>
        request.hidesSecrets && kind === "Secret"
          ? `---\n# Source: ${path}\n# HIDDEN: The Secret output has been suppressed\n`
          : `---\n# Source: ${path}\n${text}\n`,
      ),
    ].join("");
    return { manifest, manifests, hooks: [...hooks], notes };
  } catch (error) {
    const all = [...outputs]
      .filter(([, text]) => text.trim() !== "")
      .map(([path, text]) => `---\n# Source: ${path}\n${text}\n`);
    throw new InvalidOutput(error instanceof Error ? error.message : String(error), all.join(""));
  }
}
