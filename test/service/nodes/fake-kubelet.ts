// A kubelet in a few lines, started by `sandbar node join` like a real one. It registers its node, requires the API server's client
// certificate, and answers for every pod.
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import { setDefaultCACertificates, type TLSSocket } from "node:tls";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { readTarget } from "../../../client/tunnel/kubeconfig.ts";
import { localCertificate } from "../../../scripts/local/certificate.ts";
import { dataFrame, newFrameReader, replyFrame } from "../../../worker/edge/session/spdy/frames.ts";
import { newHeaderReader, newHeaderWriter } from "../../../worker/edge/session/spdy/headers.ts";

interface Configuration {
  readonly port: number;
  readonly authentication: { readonly x509: { readonly clientCAFile: string } };
  readonly registerWithTaints: readonly object[];
}

const { values } = parseArgs({ strict: false });
const path = String(values["config"]);
// The command under test has written the file.
const configuration = parse(readFileSync(path, "utf8")) as Configuration;
const name = String(values["hostname-override"]);
const folder = dirname(path);
const { certificate, key } = localCertificate(`${folder}/serving`, Date.now());
const ca = readFileSync(configuration.authentication.x509.clientCAFile, "utf8");
const summary = { node: { cpu: { usageNanoCores: 125_000_000 }, memory: { workingSetBytes: 64 * 1024 * 1024 } } };

const server = createServer({ key, cert: certificate, ca, requestCert: true }, ({ url = "", socket }, response) => {
  // This server's sockets speak TLS.
  const subject = (socket as TLSSocket).getPeerCertificate().subject;
  if (url.startsWith("/containerLogs/")) response.end(`${url} for ${String(subject.CN)} of ${String(subject.O)}\n`);
  else if (url.startsWith("/stats/summary")) response.end(JSON.stringify(summary));
  else response.writeHead(404).end("no such page");
});

/** Answers a command by its path, and its input in capital letters. */
server.on("upgrade", ({ url = "" }, socket: Socket) => {
  socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n");
  const [readFrames, readHeaders, writeHeaders] = [newFrameReader(), newHeaderReader(), newHeaderWriter()];
  const streams = new Map<string, number>();
  let input = "";
  socket.on("data", (bytes: Buffer) => {
    for (const frame of readFrames(new Uint8Array(bytes)) ?? []) {
      if (frame.type === "open") {
        streams.set(readHeaders(frame.block)?.["streamtype"] ?? "", frame.stream);
        socket.write(replyFrame(frame.stream, writeHeaders({})));
      }
      if (frame.type !== "data" || frame.stream !== streams.get("stdin")) continue;
      input += Buffer.from(frame.bytes).toString();
      if (frame.isLast) end();
    }
  });
  const end = () => {
    const send = (stream: string, text: string) =>
      socket.write(dataFrame(streams.get(stream) ?? 0, new TextEncoder().encode(text), true));
    send("stdout", `${url} ${input.toUpperCase()}`);
    send("stderr", "");
    send("error", JSON.stringify({ metadata: {}, status: "Success" }));
  };
});
server.listen(configuration.port, "127.0.0.1");

const target = readTarget(`${folder}/tunnel.conf`);
if (target.ca) setDefaultCACertificates([target.ca]);
const send = (method: string, at: string, body: object) =>
  fetch(`${target.server}${at}`, {
    method,
    headers: { authorization: `Bearer ${target.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const node = { apiVersion: "v1", kind: "Node", metadata: { name } };
await send("POST", "/api/v1/nodes", { ...node, spec: { taints: configuration.registerWithTaints } });
const status = {
  addresses: [{ type: "InternalIP", address: "192.168.7.2" }],
  daemonEndpoints: { kubeletEndpoint: { Port: configuration.port } },
  conditions: [{ type: "Ready", status: "True" }],
  capacity: { cpu: "2", memory: "1Gi", pods: "10" },
};
await send("PUT", `/api/v1/nodes/${name}/status`, { ...node, status });
