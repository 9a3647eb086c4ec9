// The commands of agnhost, the image of upstream's tests and of many examples.
import type { Task } from "../../../../shared/shell/task.ts";
import type { ProgramCall, Program } from "../../shell/program.ts";
import { acceptWithoutAnswer } from "../../shell/server.ts";
import { connect } from "./connect.ts";
import { crdConversionWebhook } from "./conversion.ts";
import { guestbook } from "./guestbook.ts";
import { inClusterClient } from "./in-cluster-client.ts";
import { mounttest } from "./mounttest.ts";
import { netexec } from "./netexec.ts";
import { nettest } from "./nettest.ts";
import { porter } from "./porter.ts";
import { issuerDiscovery } from "./issuer-discovery.ts";
import { listen } from "./serving.ts";
import { liveness, serveHostname, testWebserver } from "./simple-servers.ts";
import { dnsServerList, dnsSuffix, entrypointTester, etcHosts, logsGenerator, pause } from "./small.ts";
import { webhook } from "./webhook.ts";

const commands: Readonly<Record<string, Program>> = {
  connect,
  "crd-conversion-webhook": crdConversionWebhook,
  "dns-server-list": dnsServerList,
  "dns-suffix": dnsSuffix,
  "etc-hosts": etcHosts,
  "grpc-health-checking": (call) => listen(call, acceptWithoutAnswer, [{ port: 5000 }, { port: 8080 }]),
  guestbook,
  inclusterclient: inClusterClient,
  liveness,
  "logs-generator": logsGenerator,
  mounttest,
  netexec,
  nettest,
  pause,
  porter,
  "serve-hostname": serveHostname,
  *stress({ shell, args }) {
    yield* shell.run(shell, ["stress", ...args]);
    return shell.exitCode;
  },
  "test-service-account-issuer-discovery": issuerDiscovery,
  "test-webserver": testWebserver,
  webhook,
};

const version = "2.63.0";

/** Commands that the image has and that are not simulated. */
const unsimulatedCommands = new Set(
  "audit-proxy external-metrics fake-gitserver fake-registry-server mtlsclient mtlsserver net no-snat-test no-snat-test-proxy nonewprivs podcertificatesigner port-forward-tester resource-consumer-controller tcp-reset".split(
    " ",
  ),
);

export function agnhost(call: ProgramCall): number | Task<number> {
  const [name = "", ...args] = call.args;
  // This command prints all arguments, with its own name.
  if (name === "entrypoint-tester") return entrypointTester(call);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command({ ...call, args });
  if (name === "--version") {
    call.out(`app version ${version}\n`);
    return 0;
  }
  if (name === "" || name === "--help" || name === "-h" || name === "help") {
    const all = [...Object.keys(commands), "entrypoint-tester", ...unsimulatedCommands].sort();
    call.out(`Usage:\n  app [command]\n\nAvailable Commands:\n${all.map((command) => `  ${command}\n`).join("")}`);
    return 0;
  }
  if (unsimulatedCommands.has(name)) {
    call.err(`agnhost ${name} is not simulated\n`);
    return 127;
  }
  call.err(`Error: unknown command ${JSON.stringify(name)} for "app"\nRun 'app --help' for usage.\n`);
  return 1;
}
