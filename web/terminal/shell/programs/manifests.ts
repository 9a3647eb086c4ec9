// Programs for manifests, charts, certificates and repositories. Large ones are loaded when they are first run.
import { Failure } from "../failure.ts";
import type { ProgramCall, Programs } from "../program.ts";
import { readAll } from "../streams.ts";

export const manifestPrograms: Programs = {
  yq: async (call) => (await import("../yq/yq.ts")).yq(call),
  openssl: async (call) => (await import("../openssl/openssl.ts")).openssl(call),
  git: async (call) => (await import("../git/git.ts")).git(call),
  helm: async (call) => (await import("../helm/helm.ts")).helm(call),
  kustomize,
};

async function kustomize(call: ProgramCall): Promise<number> {
  const [command, folder = "."] = call.args;
  if (command !== "build")
    throw new Failure(`unknown command ${JSON.stringify(command ?? "")} for "kustomize": only build is simulated`, 1);
  return call.shell.machine.kubectl.run(["kustomize", folder], {
    out: (text) => call.out.write(text),
    err: (text) => call.err.write(text),
    input: () => readAll(call.input, call.signal),
    signal: call.signal,
  });
}
