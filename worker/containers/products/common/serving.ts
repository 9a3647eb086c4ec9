// Programs that only serve: their ports, and their output.
import { before } from "../../../../shared/base/trim.ts";
import { outPath } from "../../shell/outside-input.ts";
import { listenAs } from "../../shell/listen.ts";
import type { Program, ProgramCall } from "../../shell/program.ts";
import type { Page, Server, Visit } from "../../shell/server.ts";

export interface Serving {
  /** The ports if neither the arguments nor a variable names one. */
  readonly ports: readonly number[];
  readonly portVariable?: string;
  readonly prints?: string;
  readonly server: Server;
}

/** Returns a program that serves. `--version` and similar arguments end it at once. */
export function serving(settings: Serving | ((call: ProgramCall) => Serving)): Program {
  return function* (call) {
    const {
      ports,
      portVariable = "",
      prints = "",
      server,
    } = typeof settings === "function" ? settings(call) : settings;
    if (call.args.some((arg) => /^(-s|-t|-v|-V|--version|--help)$/.test(arg))) return 0;
    call.err(prints);
    const variable = Number(call.shell.variables.get(portVariable));
    const port = portIn(call.args) ?? (variable > 0 ? variable : undefined);
    return yield* listenAs(call, server, port === undefined ? ports : [port]);
  };
}

/** Returns the port that `--port`, `-p`, `--http-port` or `--web.listen-address` names. */
function portIn(args: readonly string[]): number | undefined {
  const at = args.findIndex((arg) => /^(--port|-p|--http-port)(=|$)/.test(arg));
  const port = Number(args[at]?.split("=")[1] ?? args[at + 1]);
  if (at >= 0 && port > 0) return port;
  const address = args.find((arg) => arg.startsWith("--web.listen-address="));
  const listen = Number(address?.split(":").at(-1));
  return listen > 0 ? listen : undefined;
}

/** Returns a page with a log line of its visitor. `stream`: the path of the stream; default: stdout. */
export function withLine(page: Page, nowMs: number, textAt: (atMs: number) => string, stream = outPath): Page {
  return { ...page, edits: [{ path: stream, text: textAt(nowMs), appends: true, textAt }] };
}

/** Returns the major version that the tag of an image names. */
export function release({ image }: Pick<Visit, "image">): string {
  const name = image.slice(image.lastIndexOf("/") + 1);
  return /:v?(\d+)/.exec(name)?.[1] ?? "1";
}

/** Returns the path of a request without its query. */
export function barePath({ path }: Pick<Visit, "path">): string {
  return before(path, "?#");
}
