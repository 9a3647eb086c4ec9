// Renders the templates of a chart and of its dependencies.
import type { Clock } from "../../../../../shared/base/clock.ts";
import type { Random } from "../../../../../shared/base/random.ts";
import { isObject, type JsonObject } from "../../../../../shared/schema/json-values.ts";
import { collectionFunctions } from "../functions/collections.ts";
import { dataFunctions } from "../functions/data.ts";
import { dateFunctions } from "../functions/dates.ts";
import { type Effects, withEffects } from "../functions/effects.ts";
import { numberFunctions } from "../functions/numbers.ts";
import { patternFunctions } from "../functions/patterns.ts";
import { secretFunctions } from "../functions/secrets.ts";
import { textFunctions } from "../functions/text.ts";
import { versionFunctions } from "../functions/versions.ts";
import { builtins, define, type Functions } from "../template/builtins.ts";
import { CallError, TemplateError, TemplateLimit } from "../template/errors.ts";
import { type Budget, execute, TemplateSet, Warning } from "../template/exec.ts";
import type { Template } from "../template/nodes.ts";
import { parseTemplates } from "../template/parser.ts";
import { compareText, deepCopy, isNil } from "../template/values.ts";
import { type Chart, pathOfChart } from "./chart.ts";
import { type Capabilities, capabilitiesStruct, chartStruct, filesStruct } from "./objects.ts";

export interface Rendering {
  readonly chart: Chart;
  /** The coalesced values. */
  readonly values: JsonObject;
  readonly release: JsonObject;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  /** Creates the same randomness for each attempt. */
  newRandom(): Random;
  /** Reads an object or a list of the cluster. Undefined if the command does not reach the cluster. */
  lookup?(apiVersion: string, kind: string, namespace: string, name: string): Promise<JsonObject>;
  /** True for `helm lint`, where `required` and `fail` do not fail. */
  isLint?: boolean;
}

/** The limits of one rendering. */
export interface RenderLimits {
  readonly steps: number;
  readonly outputBytes: number;
  readonly ms: number;
  /** The work of all regular expressions in microseconds. */
  readonly patternUnits: number;
}

export const renderLimits: RenderLimits = {
  steps: 20_000_000,
  outputBytes: 32 * 1024 * 1024,
  ms: 30_000,
  patternUnits: 10_000_000,
};

/** The nesting of one template in itself that Helm allows. */
const maxNesting = 1000;

interface Renderable {
  readonly name: string;
  readonly text: string;
  readonly data: JsonObject;
  readonly basePath: string;
}

/** Returns the output of each template by its path. Throws with Helm's messages. */
export function renderChart(rendering: Rendering, limits: RenderLimits = renderLimits): Promise<Map<string, string>> {
  // All attempts together have the time of one.
  const endMs = rendering.clock.nowMs() + limits.ms;
  return withEffects((effects) => new Engine(rendering, effects, limits, endMs).render());
}

const noRendering: Omit<Rendering, "clock" | "newRandom"> = {
  chart: {
    name: "",
    metadata: {},
    templates: [],
    files: [],
    raw: [],
    schema: undefined,
    lock: null,
    values: {},
    requirements: [],
    dependencies: [],
    parent: undefined,
  },
  values: {},
  release: {},
  capabilities: { kubeVersion: "", apiVersions: new Set() },
};

/** Renders the template of a release's name, which sees no values, and only sprig's functions. */
export function renderName(
  text: string,
  { clock, newRandom }: Pick<Rendering, "clock" | "newRandom">,
): Promise<string> {
  const rendering: Rendering = { ...noRendering, clock, newRandom };
  return withEffects((effects) =>
    new Engine(rendering, effects, renderLimits, clock.nowMs() + renderLimits.ms).renderName(text),
  );
}

/** The functions that Helm adds to those of sprig. */
const helmFunctions = [
  ..."include tpl required lookup toYaml toYamlPretty mustToYaml fromYaml fromYamlArray fromJson fromJsonArray toToml fromToml".split(
    " ",
  ),
];

class Engine {
  readonly #rendering: Rendering;
  readonly #functions: Functions;
  readonly #budget: Budget;
  readonly #parsed = new Map<string, readonly Template[]>();
  readonly #nesting = new Map<string, number>();

  constructor(rendering: Rendering, effects: Effects, limits: RenderLimits, endMs: number) {
    const { clock } = rendering;
    this.#rendering = rendering;
    this.#budget = {
      steps: limits.steps,
      outputBytes: limits.outputBytes,
      depth: 0,
      check: () => {
        if (clock.nowMs() > endMs) throw new TemplateLimit(`the templates take longer than ${limits.ms / 1000} s`);
      },
    };
    this.#functions = {
      ...builtins,
      ...textFunctions,
      ...numberFunctions,
      ...collectionFunctions,
      ...dataFunctions,
      ...versionFunctions,
      ...dateFunctions(clock),
      ...patternFunctions(limits.patternUnits),
      ...secretFunctions(effects, rendering.newRandom(), () => clock.nowMs()),
      ...this.#ownFunctions(effects),
    };
  }

  #ownFunctions(effects: Effects): Functions {
    const { isLint, lookup } = this.#rendering;
    return {
      required: define("sa", (message: string, value: unknown) => {
        if (!isNil(value) && value !== "") return value;
        if (isLint) return "";
        throw new Warning(message);
      }),
      fail: define("s", (message: string) => {
        if (isLint) return "";
        throw new Warning(message);
      }),
      lookup: define("ssss", (apiVersion: string, kind: string, namespace: string, name: string) => {
        if (!lookup) return {};
        const key = `lookup ${JSON.stringify([apiVersion, kind, namespace, name])}`;
        return deepCopy(effects.result(key, () => lookup(apiVersion, kind, namespace, name)));
      }),
    };
  }

  /** Returns the functions of a set; `include` and `tpl` see its templates. */
  #functionsOf(set: TemplateSet): Functions {
    const functions: Record<string, Functions[string]> = { ...this.#functions };
    const execution = { set, functions, budget: this.#budget };
    functions.include = define("sa", (name: string, data: unknown) => {
      const nesting = this.#nesting.get(name) ?? 0;
      if (nesting > maxNesting)
        throw new CallError(`rendering template has a nested reference name: ${name}: unable to execute template`);
      const template = set.find(name);
      if (!template)
        throw new CallError(`template: no template ${JSON.stringify(name)} associated with template "gotpl"`);
      this.#nesting.set(name, nesting + 1);
      try {
        return execute(template, data, execution);
      } finally {
        this.#nesting.set(name, nesting);
      }
    });
    functions.tpl = define("sa", (text: string, data: unknown) => this.#tpl(text, data, set));
    return functions;
  }

  #tpl(text: string, data: unknown, parent: TemplateSet): string {
    if (!text.includes("{{")) return text;
    const set = new TemplateSet(parent);
    let main: Template | undefined;
    try {
      for (const template of this.#parse("gotpl", text)) {
        if (template.name === "gotpl") main = template;
        else set.add(template);
      }
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      throw new CallError(`cannot parse template ${JSON.stringify(text)}: ${error.message}`);
    }
    if (!main) return "";
    try {
      const output = execute(main, data, { set, functions: this.#functionsOf(set), budget: this.#budget });
      return output.replaceAll("<no value>", "");
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      throw new TemplateError(
        `error during tpl function execution for ${JSON.stringify(text)}: ${error.message}`,
        error.warning,
      );
    }
  }

  #parse(name: string, text: string): readonly Template[] {
    const key = `${name}\0${text}`;
    const before = this.#parsed.get(key);
    if (before) return before;
    const templates = parseTemplates(
      name,
      text,
      (word) => word === "include" || word === "tpl" || Object.hasOwn(this.#functions, word),
    );
    this.#parsed.set(key, templates);
    return templates;
  }

  renderName(text: string): string {
    const name = "name-template";
    const names = new Set(Object.keys(this.#functions).filter((word) => !helmFunctions.includes(word)));
    const set = new TemplateSet();
    for (const template of parseTemplates(name, text, (word) => names.has(word))) set.add(template);
    const main = set.find(name);
    return main ? execute(main, null, { set, functions: this.#functions, budget: this.#budget }) : "";
  }

  render(): Map<string, string> {
    const renderables: Renderable[] = [];
    const { values, release, capabilities, chart } = this.#rendering;
    this.#collect(
      chart,
      { Release: release, Capabilities: capabilitiesStruct(capabilities), Values: values },
      renderables,
    );
    renderables.sort((a, b) => b.name.split("/").length - a.name.split("/").length || compareText(b.name, a.name));
    const set = new TemplateSet();
    for (const { name, text } of renderables) {
      try {
        for (const template of this.#parse(name, text)) set.add(template);
      } catch (error) {
        throw error instanceof TemplateError ? parseError(name, error) : error;
      }
    }
    const execution = { set, functions: this.#functionsOf(set), budget: this.#budget };
    const outputs = new Map<string, string>();
    for (const { name, data, basePath } of renderables) {
      const template = set.find(name);
      if (name.slice(name.lastIndexOf("/") + 1).startsWith("_") || !template) continue;
      data.Template = { Name: name, BasePath: basePath };
      try {
        outputs.set(name, execute(template, data, execution).replaceAll("<no value>", ""));
      } catch (error) {
        throw error instanceof TemplateError ? executionError(error) : error;
      }
    }
    return outputs;
  }

  #collect(chart: Chart, outer: JsonObject, into: Renderable[]): JsonObject {
    const subcharts: JsonObject = {};
    const outerValues = isObject(outer.Values) ? outer.Values : {};
    const scoped = chart.parent === undefined ? outerValues : outerValues[chart.name];
    const data: JsonObject = {
      Chart: chartStruct(chart),
      Files: filesStruct(chart.files),
      Release: outer.Release,
      Capabilities: outer.Capabilities,
      Values: isObject(scoped) ? scoped : {},
      Subcharts: subcharts,
    };
    for (const dependency of chart.dependencies) subcharts[dependency.name] = this.#collect(dependency, data, into);
    const path = pathOfChart(chart);
    const { type } = chart.metadata;
    const isLibrary = typeof type === "string" && type.toLowerCase() === "library";
    for (const template of chart.templates) {
      const isPartial = template.name.slice(template.name.lastIndexOf("/") + 1).startsWith("_");
      if (isLibrary && !isPartial) continue;
      into.push({ name: `${path}/${template.name}`, text: template.text, data, basePath: `${path}/templates` });
    }
    return data;
  }
}

function parseError(name: string, { message }: TemplateError): Error {
  const tokens = message.split(": ");
  return new Error(
    tokens.length === 1
      ? `parse error in (${name}): ${message}`
      : `parse error at (${tokens[1] ?? ""}): ${tokens.at(-1) ?? ""}`,
  );
}

function executionError(error: TemplateError): Error {
  const [, location = ""] = error.message.split(": ", 3);
  return error.warning === undefined ? error : new Error(`execution error at (${location}): ${error.warning}`);
}
