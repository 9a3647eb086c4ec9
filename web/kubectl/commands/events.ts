// `kubectl events`.
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { age } from "../../../shared/k8s/time.ts";
import type { CommandCall, Command } from "../command.ts";
import { boolFlag, stringFlag, stringsFlag } from "../flag.ts";
import { Exit, asError } from "../errors.ts";
import { groupVersionOf } from "../cluster/discovery.ts";
import { listAll } from "../describe/describer.ts";
import { namespaceOf, numberAt, stringAt, textOf } from "../object.ts";
import { escapeTerminal } from "../print/escape.ts";
import { outputFlags, printerOf } from "../print/printer.ts";
import { newTabWriter, wideColumns } from "../print/tab-writer.ts";
import { allNamespacesFlag, chunkFlag, tupleOf } from "../resources/select.ts";

export const events: Command = {
  name: "events",
  use: "[(-o|--output=)json|yaml|kyaml|name|go-template|go-template-file|template|templatefile|jsonpath|jsonpath-as-json|jsonpath-file] [--for TYPE/NAME] [--watch] [--types=Normal,Warning] [options]",
  short: "List events",
  completes: "none",
  flags: [
    ...outputFlags,
    allNamespacesFlag,
    chunkFlag,
    boolFlag("watch", "After listing the requested events, watch for more events.", { short: "w" }),
    stringFlag("for", "Filter events to only those pertaining to the specified resource."),
    stringsFlag("types", "Output only events of given types."),
    boolFlag("no-headers", "When using the default output format, don't print headers."),
  ],
  run: async (call) => {
    const { flags, streams, namespace, surroundings } = call;
    const selector = await fieldSelector(call);
    const types = flags.list("types").map((type) => type.toLowerCase());
    if (types.some((type) => type !== "normal" && type !== "warning"))
      throw new Error("valid --types are Normal or Warning");
    const isSelected = (event: JsonObject) => types.length === 0 || types.includes(textOf(event.type).toLowerCase());
    const print = flags.text("output") ? printerOf({ flags, files: surroundings.files, operation: "" }) : undefined;
    const path = flags.bool("all-namespaces") ? "/api/v1/events" : `/api/v1/namespaces/${namespace}/events`;
    const writer = newTabWriter(wideColumns);
    let isFirst = !flags.bool("no-headers");
    const show = (some: readonly JsonObject[]) => {
      const head = isFirst
        ? `${flags.bool("all-namespaces") ? "NAMESPACE\t" : ""}LAST SEEN\tTYPE\tREASON\tOBJECT\tMESSAGE\n`
        : "";
      isFirst = false;
      streams.out(writer.align(head + some.map((event) => line(call, event)).join("")));
    };
    if (flags.bool("watch")) {
      for await (const { type, object } of call.cluster.watch(path, { query: { fieldSelector: selector } })) {
        if (type === "DELETED" || type === "BOOKMARK" || !isSelected(object)) continue;
        if (print) streams.out(print(object));
        else show([object]);
      }
      return;
    }
    const events = (await listAll(call, path, { fieldSelector: selector, limit: "500" }))
      .filter(isSelected)
      .map((event): JsonObject => ({ apiVersion: "v1", kind: "Event", ...event }));
    if (events.length === 0)
      return streams.err(
        flags.bool("all-namespaces") ? "No events found.\n" : `No events found in ${namespace} namespace.\n`,
      );
    events.sort((a, b) => timeMs(a) - timeMs(b));
    if (print) streams.out(print({ apiVersion: "v1", kind: "EventList", metadata: {}, items: events }));
    else show(events);
  },
};

async function fieldSelector({ flags, cluster }: CommandCall): Promise<string> {
  const argument = flags.text("for");
  if (!argument) return "";
  if (!argument.includes("/")) throw new Error("--for must be in resource/name form");
  const [type, name] = tupleOf(argument);
  const mapping = await cluster.resource(type).catch((error: unknown) => {
    throw new Exit(1, asError(error).message);
  });
  return `involvedObject.kind=${mapping.kind},involvedObject.apiVersion=${groupVersionOf(mapping)},involvedObject.name=${name}`;
}

/** Returns the time of an event in milliseconds, or 0 if it has none. */
function timeMs(event: JsonObject): number {
  const text =
    (isObject(event.series) ? textOf(event.series.lastObservedTime) : "") ||
    textOf(event.lastTimestamp) ||
    textOf(event.eventTime);
  return Date.parse(text) || 0;
}

function line({ flags, surroundings }: CommandCall, event: JsonObject): string {
  const nowMs = surroundings.clock.nowMs();
  const first = age(textOf(event.eventTime) || textOf(event.firstTimestamp), nowMs);
  const count = numberAt(event, "count") ?? 0;
  const when = isObject(event.series)
    ? `${age(textOf(event.series.lastObservedTime), nowMs)} (x${numberAt(event.series, "count") ?? 0} over ${first})`
    : count > 1
      ? `${age(textOf(event.lastTimestamp), nowMs)} (x${count} over ${first})`
      : first;
  const involved = `${stringAt(event, "involvedObject", "kind")}/${stringAt(event, "involvedObject", "name")}`;
  const cells = [when, textOf(event.type), textOf(event.reason), involved, textOf(event.message).trim()].map(
    escapeTerminal,
  );
  return `${[...(flags.bool("all-namespaces") ? [namespaceOf(event)] : []), ...cells].join("\t")}\n`;
}
