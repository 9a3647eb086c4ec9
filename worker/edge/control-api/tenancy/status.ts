// `GET /status`: asks each part of the platform that the service depends on. An isolate asks once in ten seconds, however many clients do.
import type { ServiceStatus } from "../../../../shared/contract/hosted/status.ts";
import type { ControlApiServer } from "../server.ts";

type Reading = Pick<
  ControlApiServer,
  "databases" | "files" | "cluster" | "tenant" | "nowMs" | "wait" | "report" | "statusCache"
>;
type PartName = ServiceStatus["parts"][number]["name"];

/** The milliseconds after which a part counts as not answering. */
const answerMs = 5_000;
/** The name of objects that store nothing. */
const probe = "status";

const probes: Readonly<Record<PartName, (service: Reading) => Promise<unknown>>> = {
  database: ({ databases }) => Promise.all(databases.map((database) => database.bytes())),
  files: ({ files }) => files.list(1),
  sandboxes: ({ cluster }) => cluster(probe).health(),
  organisations: ({ tenant }) => tenant(probe).counts(),
};

export async function serviceStatusOf(service: Reading): Promise<ServiceStatus> {
  const cached = service.statusCache.get(probe, service.nowMs());
  if (cached) return cached;
  const names = Object.keys(probes) as PartName[];
  const parts = await Promise.all(names.map((name) => partOf(service, name)));
  const status: ServiceStatus = {
    status: parts.every(({ ok }) => ok) ? "ok" : "degraded",
    checkedAt: new Date(service.nowMs()).toISOString(),
    parts,
  };
  service.statusCache.keep(probe, status, service.nowMs(), service.statusCache.now());
  return status;
}

async function partOf(service: Reading, name: PartName): Promise<ServiceStatus["parts"][number]> {
  const beganMs = service.nowMs();
  const asked = probes[name](service).then(
    () => true,
    (error: unknown) => {
      service.report(error, `the status of ${name}`);
      return false;
    },
  );
  const ok = await Promise.race([asked, service.wait(answerMs).then(() => false)]);
  return { name, ok, milliseconds: service.nowMs() - beganMs };
}
