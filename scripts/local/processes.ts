// The workerd processes of a local service, one for each core. Each runs the whole Worker and holds the clusters of its share of the
// sandboxes. The first process owns the tenants' database; the others reach it through Miniflare's shared storage. A further process is
// started when its first sandbox is created, or at the start of the service if it holds sandboxes already.
import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import { host } from "./settings.ts";
import type { Service } from "./service.ts";
import { type Supervisor, supervise } from "./supervisor.ts";

export interface ProcessesOptions {
  /** The processes that hold sandboxes already. */
  readonly occupied: readonly number[];
  open(process: number): Service;
  /** Prepares the tenants' database, before any other process is started. */
  prepareDatabase(service: Service): Promise<void>;
  /** Prepares what needs the clusters of all processes. */
  prepareSandboxes(): Promise<void>;
  log(line: string): void;
}

export interface Processes extends Pick<Supervisor, "served" | "failed" | "end"> {
  /** The port of a process. Of a process that was never started, no sandbox exists; the port is then the first process's. */
  portOf(process: number): number | undefined;
  /** Starts a further process unless it runs. Resolves when it serves. */
  start(process: number): Promise<void>;
}

/** Milliseconds before a further process that could not be started again is tried once more. */
const retryMs = 30_000;
/** Milliseconds between two looks at a process that is being started again, and their bound. */
const lookMs = 50;
const longestWaitMs = 20_000;

export function openProcesses(options: ProcessesOptions): Processes {
  const { occupied, open, prepareDatabase, prepareSandboxes, log } = options;
  const services: (Service | undefined)[] = [];
  const supervisors = new Map<number, Supervisor>();
  let isEnding = false;
  const superviseProcess = (process: number, prepare: (service: Service) => Promise<void>): Supervisor => {
    const supervisor = supervise({
      open: () => (services[process] = open(process)),
      prepare,
      ask: (signal) => fetch(`http://${host}:${services[process]?.port ?? 0}/healthz`, { signal }),
      log: process === 0 ? log : (line) => log(`process ${process}: ${line}`),
    });
    supervisors.set(process, supervisor);
    return supervisor;
  };
  /** Starts a further process. The others serve their sandboxes without it, so its failure does not end the service. */
  const superviseFurther = (process: number): Supervisor => {
    const supervisor = superviseProcess(process, async () => undefined);
    supervisor.served.catch(() => supervisors.delete(process));
    void supervisor.failed.then((message) => {
      log(`process ${process}: ${message}`);
      setTimeout(() => void (isEnding || superviseFurther(process)), retryMs).unref();
    });
    return supervisor;
  };
  const start = async (process: number) => {
    const supervisor = supervisors.get(process) ?? superviseFurther(process);
    await supervisor.served;
    for (let waitedMs = 0; supervisor.state !== "serving" && waitedMs < longestWaitMs; waitedMs += lookMs)
      await setTimeoutPromise(lookMs);
  };
  const first = superviseProcess(0, async (service) => {
    await prepareDatabase(service);
    await Promise.all(occupied.map(start));
    await prepareSandboxes();
  });
  return {
    served: first.served,
    failed: first.failed,
    portOf: (process) => services[supervisors.has(process) ? process : 0]?.port,
    start: async (process) => {
      if (Number.isInteger(process) && process > 0) await start(process);
    },
    end: async () => {
      isEnding = true;
      await Promise.all([...supervisors.values()].map((supervisor) => supervisor.end()));
    },
  };
}
