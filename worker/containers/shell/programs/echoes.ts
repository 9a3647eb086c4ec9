// Servers that tell what they were asked: echoserver, whoami, http-echo.
import type { Page, Visit } from "./page.ts";

const text = "text/plain; charset=utf-8";
/** Where requests of the API's proxies come from. */
const proxy = "10.244.0.1";

/** By the name of the server; those with a slash are told what to say behind it. */
export const echoes: Readonly<Record<string, (visit: Visit) => Page>> = {
  echoserver: (visit) => ({ contentType: "text/plain", body: requestInformation(visit) }),
  whoami: (visit) => ({ contentType: text, body: whoami(visit) }),
  says: ({ server }) => ({
    contentType: "text/plain",
    body: server.slice("says/".length).replace(/^HTTP\/[^]*?\r?\n\r?\n/, ""),
  }),
  "http-echo": ({ server }) => ({ contentType: text, body: `${server.slice("http-echo/".length)}\n` }),
};

function whoami({ method, path, host, headers, address, from = proxy }: Visit): string {
  const own = ["127.0.0.1", "::1", address].filter(Boolean).map((ip) => `IP: ${ip}\n`);
  return `Hostname: ${host}\n${own.join("")}RemoteAddr: ${from}:43210\n${method} ${path} HTTP/1.1\n${told(headers)}\n`;
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

function told(headers: Visit["headers"]): string {
  return headers.map(([name, value]) => `${canonical(name)}: ${value}\n`).join("");
}

/** As Go writes a header's name. */
function canonical(name: string): string {
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
