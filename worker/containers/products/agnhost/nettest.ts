// agnhost nettest: a server that counts the sources of requests.
import type { Task } from "../../../../shared/shell/task.ts";
import { ending } from "../../shell/outside-input.ts";
import type { ProgramCall } from "../../shell/program.ts";
import type { Page, Visit } from "../../shell/server.ts";
import { flagsOf } from "./flags.ts";
import { fails, listen, textPage } from "./serving.ts";

/** The file with the sources, one in each line. */
const sourcesPath = "/run/agnhost/nettest";

export function* nettest(call: ProgramCall): Task<number> {
  const flags = flagsOf(call.args);
  const words = [String(flags.number("peers", 8))];
  return yield* listen(call, (visit) => nettestAnswer(visit, words), [{ port: flags.number("port", 8080) }]);
}

/** `words`: the required number of peers. */
export function nettestAnswer(visit: Visit, [peers = "8"]: readonly string[]): Page {
  const { path, host, body, files } = visit;
  const received: Record<string, number> = {};
  for (const source of (files.get(sourcesPath)?.text ?? "").split("\n").filter(Boolean)) {
    received[source] = (received[source] ?? 0) + 1;
  }
  switch (path.split("?")[0]) {
    case "/read": {
      const state = { Hostname: host, Sent: null, Received: received, Errors: null, Log: null };
      return textPage(JSON.stringify({ ...state, StillContactingPeers: true }, null, "\t"));
    }
    case "/write": {
      const source = sourceOf(body);
      const answer = textPage(`${JSON.stringify({ Hostname: host })}\n`);
      return source === "" ? answer : { ...answer, edits: [{ path: sourcesPath, text: `${source}\n`, appends: true }] };
    }
    case "/status":
      return textPage(Object.keys(received).length >= Number(peers) ? "pass" : "running");
    case "/quit":
      return textPage("", 200, { edits: [ending(0)] });
    default:
      return fails("404 page not found", 404);
  }
}

function sourceOf(body: string): string {
  try {
    const { Source: source } = JSON.parse(body) as { Source?: unknown };
    return typeof source === "string" ? source.replaceAll("\n", " ") : "";
  } catch {
    return "";
  }
}
