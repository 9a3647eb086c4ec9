// Servers that repeat the request: echoserver, whoami, http-echo.
import { byteLength } from "../../../shared/base/byte-text.ts";
import { before } from "../../../shared/base/trim.ts";
import { image, ownProgram } from "../images/known-image.ts";
import { listenAs } from "../shell/listen.ts";
import type { Program, ProgramCall } from "../shell/program.ts";
import type { Server, Visit } from "../shell/server.ts";
import { serving, withLine } from "./common/serving.ts";
import { errorTime } from "../shell/log-lines.ts";
import type { Product } from "./module.ts";

const text = "text/plain; charset=utf-8";
/** The source address of requests of the API's proxies. */
const proxy = "10.244.0.1";

function whoami({ method, path, host, headers, address, from = proxy }: Visit): string {
  const addressLines = ["127.0.0.1", "::1", address].filter(Boolean).map((ip) => `IP: ${ip}\n`);
  return `Hostname: ${host}\n${addressLines.join("")}RemoteAddr: ${from}:43210\n${method} ${path} HTTP/1.1\n${headerLines(headers)}\n`;
}

function requestInformation({ method, path, host, headers, body, address, from = proxy }: Visit): string {
  const [bare = "", query = ""] = path.split("?");
  return [
    `\n\nHostname: ${host}\n`,
    "Pod Information:\n\t-no pod information available-\n",
    "Server values:\n\tserver_version=nginx: 1.14.2 - lua: 10015\n",
    `Request Information:\n\tclient_address=${from}\n\tmethod=${method}\n\treal path=${path}\n\tquery=${query}\n\trequest_version=1.1\n\trequest_scheme=http\n\trequest_uri=http://${address}:8080${bare}${query === "" ? "" : `?${query}`}\n`,
    `Request Headers:\n${headers.map(([name, value]) => `\t${name.toLowerCase()}=${value}\n`).join("")}`,
    `Request Body:\n${body === "" ? "\t-no body in request-" : body}\n`,
  ].join("\n");
}

function headerLines(headers: Visit["headers"]): string {
  return headers.map(([name, value]) => `${canonical(name)}: ${value}\n`).join("");
}

/** Formats a header's name as Go does. */
function canonical(name: string): string {
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

const echoserver: Server = { answer: (visit) => ({ contentType: "text/plain", body: requestInformation(visit) }) };

/** Runs `http-echo -text=hello -listen=:5678`. */
const httpEcho: Program = (call) => {
  const echoText = valueOf(call, "text") ?? call.shell.variables.get("ECHO_TEXT") ?? "hello-world";
  const port = Number(/:(\d+)$/.exec(valueOf(call, "listen") ?? "")?.[1] ?? 5678);
  return listenAs(call, echoOf(echoText), [port]);
};

function valueOf({ args }: ProgramCall, name: string): string | undefined {
  const at = args.findIndex((arg) => [`-${name}`, `--${name}`].includes(before(arg, "=")));
  return args[at]?.split("=").slice(1).join("=") || args[at + 1 || args.length];
}

function echoOf(echoText: string): Server {
  return {
    answer: (visit) => {
      const { host, port = 5678, from = "10.128.0.1", method, path, headers, nowMs } = visit;
      const agent = headers.find(([name]) => name.toLowerCase() === "user-agent")?.[1] ?? "";
      const body = `${echoText}\n`;
      const line = `${host}:${port} ${from}:43210 "${method} ${path} HTTP/1.1" 200 ${byteLength(body)} "${agent}" 25.481µs\n`;
      return withLine({ contentType: text, body }, nowMs, (atMs) => `${errorTime(atMs)} ${line}`);
    },
  };
}

export const echoes: Product = {
  names: ["echoserver", "echo-server", "http-echo"],
  images: {
    echoserver: image(46_237_695, "echoserver"),
    "echo-server": image(14_102_311, "echoserver"),
    "http-echo": image(5_050_000, "http-echo", ownProgram),
    whoami: image(2_929_714, "/whoami", ownProgram),
  },
  configurations: "traefik/whoami - 80 - /whoami |",
  hub: `
containous whoami
ealen echo-server
emilevauge whoami
inanimate echo-server
jmalloc echo-server
mendhak http-https-echo`,
  programs: {
    echoserver: serving({ ports: [8080, 8443], portVariable: "PORT", server: echoserver }),
    "/whoami": serving({
      ports: [80],
      server: { answer: (visit) => ({ contentType: text, body: whoami(visit) }) },
    }),
    "http-echo": httpEcho,
  },
};
