// A shell of the terminal beside a whole cluster in this process, on a stepped clock.
import { handle } from "../../../../worker/api/handler.ts";
import { memoryFiles } from "../../../../web/kubectl/files.ts";
import { newKubectl } from "../../../../web/kubectl/kubectl.ts";
import { seededRandom } from "../../../../shared/base/random.ts";
import { TerminalProcess } from "../../../../web/terminal/shell/budget.ts";
import { Jobs } from "../../../../web/terminal/shell/jobs.ts";
import { History } from "../../../../web/terminal/shell/line/history.ts";
import { runLine } from "../../../../web/terminal/shell/line/run-line.ts";
import { host } from "../../../../web/terminal/shell/programs.ts";
import { home, newShell, type TerminalState } from "../../../../web/terminal/shell/shell.ts";
import { Collected, Interrupted, newReader, textSource } from "../../../../web/terminal/shell/streams.ts";
import { adminToken, newServer } from "../../../api/server.ts";

/** Creates the shell. `entries` are files of the home folder. */
export function shellWithCluster(entries: Readonly<Record<string, string>>) {
  const server = newServer({ base: "layered", nowMs: Date.parse("2026-09-01T00:00:00Z") });
  const { cluster, service } = server;
  const fetch = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${adminToken}`);
    if (init.body && !headers.has("content-type")) headers.set("content-type", "application/json");
    return handle(service, new Request(`https://test${path}`, { ...init, headers }));
  };
  const homeEntries = Object.fromEntries(Object.entries(entries).map(([name, text]) => [`${home}/${name}`, text]));
  const files = memoryFiles({ [`${home}/`]: "", "/tmp/": "", ...homeEntries }, home);
  const machine: TerminalState = {
    kubectl: newKubectl({
      fetch,
      socket: () => {
        throw new Error("no socket");
      },
      context: { name: "c", cluster: "c", user: "u", server: "https://c", namespace: "default" },
      files,
      clock: cluster.clock,
      random: seededRandom(1),
      wait: (ms) => {
        cluster.step(ms);
        return Promise.resolve();
      },
    }),
    device: {
      size: () => ({ columns: 80, rows: 24 }),
      key: () => Promise.reject(new Interrupted()),
      edit: () => Promise.resolve(undefined),
    },
    history: new History(),
    jobs: new Jobs(),
    forwarded: new Map(),
    isTurnOver: () => false,
    yieldToPage: () => Promise.resolve(),
  };
  const shell = newShell(machine, new TerminalProcess(new AbortController().signal), host);
  const run = async (text: string) => {
    const out = new Collected();
    const err = new Collected();
    const signal = AbortSignal.timeout(20_000);
    const code = await runLine(shell, text, { input: newReader(textSource("")), out, err, signal });
    return { code, out: out.take(), err: err.take() };
  };
  return { run, files, server };
}
