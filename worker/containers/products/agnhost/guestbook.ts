// agnhost guestbook: a key-value store whose replicas have the data of their primary.
import type { Task } from "../../../../shared/shell/task.ts";
import type { ProgramCall } from "../../shell/program.ts";
import type { Edit } from "../../shell/files.ts";
import type { Page, Visit } from "../../shell/server.ts";
import { dialHttp, targetOf } from "../common/dial.ts";
import { flagsOf } from "./flags.ts";
import { logLine, logs } from "./log.ts";
import { fails, listen, queryOf, textPage } from "./serving.ts";

/** The file with the stored assignments, one in each line, as JSON. */
const storePath = "/run/agnhost/guestbook";

export function* guestbook(call: ProgramCall): Task<number> {
  const flags = flagsOf(call.args);
  const primary = flags.text("replicaof");
  const backend = flags.text("backend-port", "6379");
  if (primary !== "") call.err(logLine(call.process.clockMs, `Registered to node: ${primary}`));
  const ports = [{ port: flags.number("http-port", 80) }];
  return yield* listen(call, (visit) => guestbookAnswer(visit, [primary, backend]), ports);
}

/** `words`: the primary of a replica, or nothing, and the port of connections between servers. */
export function guestbookAnswer(visit: Visit, [primary = "", backend = "6379"]: readonly string[]): Page {
  const [bare = ""] = visit.path.split("?");
  const form = new URLSearchParams(queryOf(visit));
  const of = (name: string) => form.get(name) ?? "";
  const edits = logs(visit.nowMs, `GET ${bare}?${queryOf(visit)}`);
  switch (bare) {
    case "/register":
      return textPage(JSON.stringify({ data: storedEntries(visit) }), 200, {
        edits: [...edits, ...logs(visit.nowMs, `Node '${of("host")}' registered.`)],
      });
    case "/get":
      // A replica has the data of its primary.
      if (primary !== "") return forwardedAnswer(visit, primary, backend, `get?key=${encodeURIComponent(of("key"))}`);
      return textPage(
        JSON.stringify({ data: of("key") === "" ? storedEntries(visit) : (storedEntries(visit)[of("key")] ?? "") }),
        200,
        {
          edits,
        },
      );
    case "/set":
      if (of("key") === "") return fails("cannot set with empty key.", 400);
      return textPage(JSON.stringify({ message: "Updated" }), 200, {
        edits: [...edits, assignment(of("key"), of("value"))],
      });
    case "/guestbook":
      return forwardTo(visit, of, backend);
    default:
      return fails("404 page not found", 404);
  }
}

function forwardTo(visit: Visit, of: (name: string) => string, backend: string): Page {
  const verb = of("cmd").toLowerCase();
  if (verb !== "get" && verb !== "set") return fails(`unsupported cmd: '${verb}'`, 400);
  if (verb === "set" && of("key") === "") return fails("cannot set with empty key.", 400);
  const request = `${verb}?key=${encodeURIComponent(of("key"))}&value=${encodeURIComponent(of("value"))}`;
  return forwardedAnswer(visit, verb === "get" ? "agnhost-replica" : "agnhost-primary", backend, request);
}

function forwardedAnswer(visit: Visit, host: string, port: string, request: string): Page {
  const target = targetOf(visit, host, port);
  if (!target) return fails(`host and/or port param are invalid. lookup ${host}: no such host`, 400);
  const done = dialHttp(visit, target, request);
  return "error" in done ? fails(`encountered error: ${done.error}`, 417) : textPage(done.body);
}

function storedEntries({ files }: Visit): Record<string, string> {
  const lines = (files.get(storePath)?.text ?? "").split("\n").filter(Boolean);
  // `assignment` wrote them.
  return Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, string]));
}

function assignment(key: string, value: string): Omit<Edit, "atMs"> {
  return { path: storePath, text: `${JSON.stringify([key, value])}\n`, appends: true };
}
