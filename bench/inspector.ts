// The inspector of the isolate that runs edge and clusters, over its socket.
import type { Bench } from "./service.ts";

export interface Inspector {
  /** Calls a method of the inspector's protocol. Rejects with its error. */
  call<Result>(method: string, params?: object): Promise<Result>;
  end(): void;
}

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Open sessions by port, with their number of users. workerd supports one session at a time; a second would disconnect the first. */
const sharedSessions = new Map<number, { readonly session: Promise<Inspector>; users: number }>();

export async function openInspector(bench: Bench): Promise<Inspector> {
  const sharedSession = sharedSessions.get(bench.inspectorPort) ?? { session: newSession(bench), users: 0 };
  sharedSessions.set(bench.inspectorPort, sharedSession);
  sharedSession.users++;
  const { call, end } = await sharedSession.session;
  return {
    call,
    end: () => {
      if (--sharedSession.users > 0) return;
      sharedSessions.delete(bench.inspectorPort);
      end();
    },
  };
}

async function newSession({ inspectorPort }: Bench): Promise<Inspector> {
  const list = await fetch(`http://127.0.0.1:${inspectorPort}/json`);
  const targets = (await list.json()) as { id: string; webSocketDebuggerUrl: string }[];
  const target = targets.find((candidate) => candidate.id.includes("sandbar"));
  if (!target) throw new Error(`no inspector among ${targets.map((candidate) => candidate.id).join(", ")}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  const opened = Promise.withResolvers<void>();
  socket.addEventListener("open", () => opened.resolve());
  socket.addEventListener("error", () => opened.reject(new Error("the inspector cannot be reached")));
  await opened.promise;
  const pendingCalls = new Map<number, PromiseWithResolvers<unknown>>();
  socket.addEventListener("message", ({ data }) => {
    const { id = 0, result, error } = JSON.parse(String(data)) as Message;
    const pendingCall = pendingCalls.get(id);
    pendingCalls.delete(id);
    if (error) pendingCall?.reject(new Error(error.message));
    else pendingCall?.resolve(result);
  });
  let lastId = 0;
  return {
    call: <Result>(method: string, params: object = {}) => {
      const id = ++lastId;
      const pendingCall = Promise.withResolvers<unknown>();
      pendingCalls.set(id, pendingCall);
      socket.send(JSON.stringify({ id, method, params }));
      // The inspector's protocol defines the result of each method.
      return pendingCall.promise as Promise<Result>;
    },
    end: () => socket.close(),
  };
}
