// agnhost porter: serves the values of variables at the ports that the variables name.
import type { Task } from "../../../../shared/shell/task.ts";
import type { ProgramCall } from "../../shell/program.ts";
import { isMounted } from "./certificate.ts";
import type { Protocol } from "../../shell/contact.ts";
import { type Page, type Visit } from "../../shell/server.ts";
import { flagsOf } from "./flags.ts";
import { listen, textPage } from "./serving.ts";

const kinds: Readonly<Record<string, Protocol>> = { "": "TCP", TCP_: "TCP", UDP_: "UDP", TLS_: "TCP", SCTP_: "SCTP" };

export function* porter(call: ProgramCall): Task<number> {
  const servedPorts = [...call.shell.variables].flatMap(([name, value]) => {
    const [, kind = "", port = ""] = /^SERVE_(TCP_|UDP_|TLS_|SCTP_|)PORT_(\d{1,5})$/.exec(name) ?? [];
    if (port === "" || (kind === "TLS_" && !isMounted(call))) return [];
    return [{ port: Number(port), protocol: kinds[kind] ?? "TCP", value }];
  });
  const isJson = flagsOf(call.args, ["json-response"]).is("json-response");
  const words = [
    isJson ? "json" : "plain",
    ...servedPorts.map(({ port, protocol, value }) => `${protocol}/${port}=${value}`),
  ];
  return yield* listen(call, (visit) => porterAnswer(visit, words), servedPorts);
}

/** `words`: whether answers are JSON, and `TCP/80=value` for each port. */
export function porterAnswer(
  { method, port = 0, protocol = "TCP", data }: Visit,
  [form, ...words]: readonly string[],
): Page {
  const start = `${protocol}/${port}=`;
  const value = words.find((word) => word.startsWith(start))?.slice(start.length) ?? "";
  if (data !== undefined) return textPage(value);
  if (form === "json") {
    return { contentType: "application/json", body: JSON.stringify({ Method: method, Body: value }), status: 200 };
  }
  const isHtml = /^\s*<(!doctype|html|head|script|a|p|div|body)\b/i.test(value);
  return isHtml ? { contentType: "text/html; charset=utf-8", body: value, status: 200 } : textPage(value);
}
