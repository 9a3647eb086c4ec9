// `kubectl wait`: waits until objects exist, are deleted, or satisfy a condition or a JSONPath expression.
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall, Command } from "../command.ts";
import { arrayFlag, durationFlag } from "../flag.ts";
import { StatusError, asError, isNotFound, throwAll } from "../errors.ts";
import { groupResource, pathOf } from "../cluster/discovery.ts";
import { type Info, listAt, numberAt, textOf, metadataOf, stringAt } from "../object.ts";
import { newTemplate, type Template } from "../print/json-path.ts";
import { goValue } from "../print/go-value.ts";
import { outputFlags } from "../print/printer.ts";
import { relaxedPath } from "../print/sort.ts";
import { allFlag, allNamespacesFlag, fieldSelectorFlag, fileFlags, select, selectorFlag } from "../resources/select.ts";
import { writePrinter } from "../writes/dry-run.ts";

type Condition =
  | { readonly form: "create" }
  | { readonly form: "delete" }
  | { readonly form: "met"; readonly isMet: (object: JsonObject) => boolean };

const weekMs = 168 * 3_600_000;

export const wait: Command = {
  name: "wait",
  use: "([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) [--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]] [options]",
  short: "Wait for a specific condition on one or many resources",
  completes: "resources",
  flags: [
    ...outputFlags,
    ...fileFlags,
    selectorFlag,
    fieldSelectorFlag,
    allFlag,
    allNamespacesFlag,
    arrayFlag(
      "for",
      "The condition to wait on: [create|delete|condition=condition-name[=condition-value]|jsonpath='{JSONPath expression}'=[JSONPath value]].",
    ),
    durationFlag(
      "timeout",
      "The length of time to wait before giving up. Zero means check once and don't wait, negative means wait for a week.",
      { default: "30s" },
    ),
  ],
  run: async (call) => {
    const { flags } = call;
    const print = writePrinter(call, "condition met");
    const conditions = conditionsOf(flags.list("for"));
    const timeoutMs = flags.durationMs("timeout");
    const endMs = call.surroundings.clock.nowMs() + (timeoutMs < 0 ? weekMs : timeoutMs);
    const allNamespaces = flags.bool("all-namespaces");
    const choose = () =>
      select(call, { args: call.args, keepsGoing: true, allNamespaces, allowsAll: flags.bool("all") });
    if (conditions.some(({ form }) => form === "create")) await untilThere(call, choose, endMs);
    const selection = await choose();
    const isForDelete = conditions.some(({ form }) => form === "delete");
    const failed = selection.errors.filter((error) => !isForDelete || !isNotFound(error));
    for (const info of selection.infos) {
      try {
        for (const condition of conditions) {
          const object = await until(call, info, condition, endMs, timeoutMs === 0);
          call.streams.out(print(object));
        }
      } catch (error) {
        failed.push(asError(error));
      }
    }
    throwAll(failed);
    if (selection.infos.length === 0 && !isForDelete) throw new Error("no matching resources found");
  },
};

function conditionsOf(texts: readonly string[]): Condition[] {
  if (texts.length === 0) throw new Error(`unrecognized condition: []`);
  return texts.map((text): Condition => {
    const word = text.toLowerCase();
    if (word === "create" || word === "delete") return { form: word };
    if (text.startsWith("condition=")) {
      const [name = "", ...value] = text.slice("condition=".length).split("=");
      return {
        form: "met",
        isMet: (object) => hasCondition(object, name, value.length > 0 ? value.join("=") : "true"),
      };
    }
    if (text.startsWith("jsonpath=")) return pathCondition(text.slice("jsonpath=".length));
    throw new Error(`unrecognized condition: ${JSON.stringify(text)}`);
  });
}

function hasCondition(object: JsonObject, name: string, expectedStatus: string): boolean {
  const condition = listAt(object, "status", "conditions").find(
    ({ type }) => textOf(type).toLowerCase() === name.toLowerCase(),
  );
  if (!condition) return false;
  const generation = numberAt(object, "metadata", "generation");
  const observed = numberAt(condition, "observedGeneration") ?? numberAt(object, "status", "observedGeneration");
  if (generation !== undefined && observed !== undefined && observed < generation) return false;
  return textOf(condition.status).toLowerCase() === expectedStatus.toLowerCase();
}

function pathCondition(text: string): Condition {
  const pieces: string[] = [...(text.match(/(?:==|[^=])+/g) ?? [])].concat(
    text.endsWith("=") && !text.endsWith("==") ? [""] : [],
  );
  if (pieces.length < 1 || pieces.length > 2) {
    throw new Error(
      "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'",
    );
  }
  const path = relaxedPath(pieces[0] ?? "");
  const value = pieces[1] === undefined ? undefined : unquoted(pieces[1]);
  if (value === "") {
    throw new Error(
      "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3",
    );
  }
  if (path === "") throw new Error("jsonpath expression cannot be empty");
  const template = newTemplate(path);
  return { form: "met", isMet: (object) => pathIsMet(template, object, value) };
}

function pathIsMet(template: Template, object: JsonObject, expectedValue: string | undefined): boolean {
  const results = template.results(object);
  const [first = []] = results;
  if (first.length === 0) return false;
  if (results.length > 1) throw new Error("given jsonpath expression matches more than one list");
  if (first.length > 1) throw new Error("given jsonpath expression matches more than one value");
  if (expectedValue === undefined) return true;
  if (typeof first[0] === "object" && first[0] !== null) {
    throw new Error("jsonpath leads to a nested object or list which is not supported");
  }
  return goValue(first[0]).trim() === expectedValue.trim();
}

async function untilThere(call: CommandCall, choose: () => ReturnType<typeof select>, endMs: number): Promise<void> {
  for (;;) {
    const { infos, errors } = await choose();
    if (infos.length > 0) return;
    throwAll(errors.filter((error) => !isNotFound(error)));
    if (call.surroundings.clock.nowMs() + 500 > endMs) throw new Error("timed out waiting for the condition");
    await call.surroundings.wait(500, call.streams.signal);
    if (call.streams.signal.aborted) return;
  }
}

async function until(
  call: CommandCall,
  info: Info,
  condition: Condition,
  endMs: number,
  isOnce: boolean,
): Promise<JsonObject> {
  if (condition.form === "create") return info.object;
  if (condition.form === "delete") return untilGone(call, info, endMs, isOnce);
  const name = `${info.mapping.resource}/${info.name}`;
  if (isOnce) {
    const object = await call.cluster.json(pathOf(info.mapping, info.namespace, info.name));
    if (condition.isMet(object)) return object;
    throw new Error(`condition not met for ${name}`);
  }
  return watchUntil(
    call,
    info,
    endMs,
    (event, object) => event !== "DELETED" && condition.isMet(object),
    () => {
      throw new StatusError({
        reason: "NotFound",
        message: `${groupResource(info.mapping)} ${JSON.stringify(info.name)} not found`,
      });
    },
  );
}

/** Waits until an object is deleted. An object of the same name with another uid counts as deleted. */
export async function untilGone(
  call: CommandCall,
  info: Info,
  endMs: number,
  isOnce: boolean,
  uid?: string,
): Promise<JsonObject> {
  let object: JsonObject;
  try {
    object = await call.cluster.json(pathOf(info.mapping, info.namespace, info.name));
  } catch (error) {
    if (isNotFound(error)) return info.object;
    throw error;
  }
  if (uid !== undefined && stringAt(object, "metadata", "uid") !== uid) return object;
  if (isOnce) throw new Error(`condition not met for ${info.mapping.resource}/${info.name}`);
  const isOther = (now: JsonObject) => uid !== undefined && stringAt(now, "metadata", "uid") !== uid;
  return watchUntil(
    call,
    info,
    endMs,
    (event, now) => event === "DELETED" || isOther(now),
    () => object,
  );
}

/** The duration of one watch. A command without a timeout starts another watch, because timers have a maximum. */
const watchMs = 3_600_000;

/** Watches one object until `isDone` accepts a change. `missing` is called if the object does not exist at first. */
export async function watchUntil(
  call: CommandCall,
  { mapping, namespace, name }: Pick<Info, "mapping" | "namespace" | "name">,
  endMs: number,
  isDone: (event: string, object: JsonObject) => boolean,
  missing: () => JsonObject,
): Promise<JsonObject> {
  const fieldSelector = `metadata.name=${name}`;
  const path = pathOf(mapping, namespace);
  const timedOut = () => new Error(`timed out waiting for the condition on ${mapping.resource}/${name}`);
  for (;;) {
    const list = await call.cluster.json(path, { query: { fieldSelector } });
    const [first] = Array.isArray(list.items) ? list.items.filter(isObject) : [];
    if (!first) return missing();
    const object = { apiVersion: list.apiVersion, kind: mapping.kind, ...first };
    if (isDone("ADDED", object)) return object;
    const leftMs = Math.min(endMs - call.surroundings.clock.nowMs(), watchMs);
    if (leftMs <= 0) throw timedOut();
    const query = {
      fieldSelector,
      resourceVersion: textOf(metadataOf(list).resourceVersion),
      timeoutSeconds: String(Math.max(1, Math.ceil(leftMs / 1000))),
    };
    for await (const event of timed(call, call.cluster.watch(path, { query }), leftMs)) {
      if (event.type === "ERROR" || event.type === "BOOKMARK") break;
      if (isDone(event.type, event.object)) return event.object;
    }
    if (call.streams.signal.aborted || call.surroundings.clock.nowMs() >= endMs) throw timedOut();
  }
}

/** Yields the values that arrive before a deadline. */
async function* timed<T>(call: CommandCall, from: AsyncGenerator<T>, ms: number): AsyncGenerator<T> {
  const over = new AbortController();
  const end = call.surroundings.wait(ms, over.signal).then(() => undefined);
  try {
    for (;;) {
      const next = await Promise.race([from.next(), end]);
      if (!next || next.done) return;
      yield next.value;
    }
  } finally {
    over.abort();
    // The request ends with the command, so its end is not awaited.
    void from.return(undefined);
  }
}

function unquoted(text: string): string {
  const isQuote = (at: number) => text[at] === "'" || text[at] === '"';
  let [start, end] = [0, text.length];
  while (start < end && isQuote(start)) start += 1;
  while (end > start && isQuote(end - 1)) end -= 1;
  return text.slice(start, end);
}
