// `history`, and background jobs: `jobs`, `kill`, `wait`, `fg`.
import { jobLine } from "../jobs.ts";
import type { Programs } from "../program.ts";
import { Failure } from "../failure.ts";
import { interruptedCode } from "../host.ts";
import { Interrupted } from "../streams.ts";

export const jobPrograms: Programs = {
  history: ({ args, shell, out }) => {
    const { history } = shell.machine;
    if (args[0] === "-c") history.clear();
    else {
      const all = history.all();
      const from = Math.max(0, all.length - Number(args[0] ?? all.length));
      for (const [at, line] of all.entries()) if (at >= from) out.write(`${String(at + 1).padStart(5)}  ${line}\n`);
    }
    return 0;
  },
  jobs: ({ shell, out }) => {
    const all = shell.machine.jobs.all();
    for (const [at, job] of all.entries()) out.write(jobLine(job, at === all.length - 1));
    return 0;
  },
  kill: ({ args, shell }) => {
    const { jobs } = shell.machine;
    for (const name of args.filter((argument) => !argument.startsWith("-"))) {
      const job = jobs.find(/^1\d{3}$/.test(name) ? String(Number(name) - 1000) : name);
      if (!job) throw new Failure(`${name}: no such job`);
      job.stop.abort();
    }
    return 0;
  },
  wait: async ({ args, shell, signal }) => {
    const { jobs } = shell.machine;
    const named = args.map((name) => jobs.find(name) ?? missing(name));
    let code = 0;
    for (const { done } of named.length > 0 ? named : jobs.all()) code = await unlessAborted(done, signal);
    return code;
  },
  fg: async ({ args, shell, out, signal }) => {
    const { jobs } = shell.machine;
    const job = jobs.find(args[0]) ?? missing(args[0] ?? "current");
    out.write(`${job.line}\n`);
    const stop = () => job.stop.abort();
    signal.addEventListener("abort", stop, { once: true });
    const code = await job.done;
    signal.removeEventListener("abort", stop);
    jobs.forget(job);
    if (code === interruptedCode && signal.aborted) throw new Interrupted();
    return code;
  },
};

function missing(name: string): never {
  throw new Failure(`${name}: no such job`);
}

function unlessAborted<T>(done: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Interrupted()), { once: true });
    done.then(resolve, reject);
  });
}
