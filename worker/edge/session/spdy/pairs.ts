// The streams of a forwarding session. A pair of an error and a data stream is one connection to a port.
import { type Connection, type ForwardOptions, newConnection } from "../forward/connection.ts";
import { dataFrame, replyFrame, resetFrame, statuses } from "./frames.ts";
import { newHeaderWriter, type SpdyHeaders } from "./headers.ts";

export interface Pairs {
  open(stream: number, headers: SpdyHeaders, isLast: boolean): void;
  receive(stream: number, bytes: Uint8Array, isLast: boolean): void;
  /** Handles a stream that the client has reset. */
  reset(stream: number): void;
  dropAll(): void;
  size(): number;
}

interface Pair {
  readonly port: number;
  error?: number;
  data?: number;
  connection?: Connection;
}

const mostPairs = 200;
const nothing = new Uint8Array();

export function newPairs(send: (frame: Uint8Array) => void, { nowMs, ask }: ForwardOptions): Pairs {
  const pairs = new Map<string, Pair>();
  const buffer = { bytes: 0 };
  const writeHeaders = newHeaderWriter();
  const connect = (id: string, pair: Pair, error: number, data: number) => {
    const sendData = (bytes: Uint8Array) => send(dataFrame(data, bytes, false));
    const connection = newConnection({ port: pair.port, buffer, nowMs, ask, send: sendData });
    pair.connection = connection;
    void connection.done.then((ending) => {
      // Send nothing about a dropped pair.
      if (pairs.get(id) !== pair) return;
      pairs.delete(id);
      send(dataFrame(error, new TextEncoder().encode(ending.error ?? ""), true));
      send(dataFrame(data, nothing, true));
    });
  };
  const open = (stream: number, headers: SpdyHeaders, isLast: boolean) => {
    const { streamtype: type, port: written, requestid: id } = headers;
    const port = Number(written);
    const isPort = Number.isInteger(port) && port > 0 && port < 65_536;
    if (!isPort || id === undefined || (type !== "error" && type !== "data")) {
      return send(resetFrame(stream, statuses.protocolError));
    }
    const pair: Pair = pairs.get(id) ?? { port };
    if (pair[type] !== undefined || pair.port !== port || (!pairs.has(id) && pairs.size >= mostPairs)) {
      return send(resetFrame(stream, statuses.refusedStream));
    }
    pair[type] = stream;
    pairs.set(id, pair);
    send(replyFrame(stream, writeHeaders({})));
    if (pair.error !== undefined && pair.data !== undefined) connect(id, pair, pair.error, pair.data);
    if (isLast && type === "data") pair.connection?.finish();
  };
  const reset = (stream: number) => {
    for (const [id, pair] of pairs) {
      if (pair.error !== stream && pair.data !== stream) continue;
      pairs.delete(id);
      pair.connection?.drop();
      const pairedStream = pair.error === stream ? pair.data : pair.error;
      if (pairedStream !== undefined) send(dataFrame(pairedStream, nothing, true));
    }
  };
  return {
    open,
    reset,
    receive: (stream, bytes, isLast) => {
      const pair = [...pairs.values()].find((candidate) => candidate.data === stream);
      if (bytes.length > 0) pair?.connection?.receive(bytes);
      if (isLast) pair?.connection?.finish();
    },
    dropAll: () => {
      for (const { connection } of pairs.values()) connection?.drop();
      pairs.clear();
    },
    size: () => pairs.size,
  };
}
