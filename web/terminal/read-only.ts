// A read-only connection. Requests that would change the cluster are refused before they are sent.
import type { ClusterConnection, Socket } from "../kubectl/surroundings.ts";
import { texts as all } from "../messages/terminal.ts";

const texts = all.readOnly;

const message = texts.terminalReadOnly;

/** Access reviews use `POST` but change nothing. */
const isQuestion = /^\/apis\/authorization\.k8s\.io\/v1\/(?:selfsubject|subject|localsubject)/;

/** Paths that lead into a container, or through the cluster to one. */
const isConnection = /\/(?:pods|services|nodes)\/[^/]+\/(?:exec|attach|portforward|proxy)\b/;

export function readOnly(connection: ClusterConnection): ClusterConnection {
  return {
    ...connection,
    fetch: (path, init) => {
      const method = (init.method ?? "GET").toUpperCase();
      const isReading = (method === "GET" || method === "HEAD") && !isConnection.test(path);
      return isReading || isQuestion.test(path) ? connection.fetch(path, init) : Promise.resolve(refusal());
    },
    socket: () => closedSocket(),
  };
}

function refusal(): Response {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", message, code: 403 };
  return new Response(JSON.stringify(status), { status: 403, headers: { "content-type": "application/json" } });
}

/** Returns a socket that could not be opened. */
function closedSocket(): Socket {
  return {
    binaryType: "arraybuffer",
    protocol: "",
    send: () => undefined,
    close: () => undefined,
    addEventListener: (type: string, listener: (event: { code: number; reason: string; data: undefined }) => void) => {
      if (type === "close") queueMicrotask(() => listener({ code: 1006, reason: message, data: undefined }));
    },
  };
}
