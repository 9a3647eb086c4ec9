// `GET /status`: asks each part of the platform that the service depends on. An isolate asks once in ten seconds, however many clients do.
import type { ServiceStatus } from "../../../../shared/contract/hosted/status.ts";
import type { ControlApiServer } from "../server.ts";

type Reading = Pick<
  ControlApiServer,
  "databases" | "files" | "cluster" | "tenant" | "nowMs" | "wait" | "report" | "statusCache" | "probeName"
>;
type PartName = ServiceStatus["parts"][number]["name"];

/** The milliseconds after which a part counts as not answering. */
const answerMs = 5_000;
/** The key of the only cached status. */
const cacheKey = "status";

const probes: Readonly<Record<PartName, (service: Reading) => Promise<unknown>>> = {
  database: ({ databases }) => Promise.all(databases.map((database) => database.bytes())),
  files: ({ files }) => files.list(1),
  sandboxes: ({ cluster, probeName }) => cluster(probeName).health(),
  organisations: ({ tenant, probeName }) => tenant(probeName).counts(),
};

export async function serviceStatusOf(service: Reading): Promise<ServiceStatus> {
  const cached = service.statusCache.get(cacheKey, service.nowMs());
  if (cached) return cached;
  const names = Object.keys(probes) as PartName[];
  const answers = await Promise.all(names.map((name) => askPart(service, name)));
  const status: ServiceStatus = {
    status: answers.every(({ ok }) => ok) ? "ok" : "degraded",
    checkedAt: new Date(service.nowMs()).toISOString(),
    parts: answers,
  };
  service.statusCache.keep(cacheKey, status, service.nowMs(), service.statusCache.now());
  return status;
}

async function askPart(service: Reading, name: PartName): Promise<ServiceStatus["parts"][number]> {
  const beganMs = service.nowMs();
  const answered = probes[name](service).then(
    () => true,
    (error: unknown) => {
      service.report(error, `the status of ${name}`);
      return false;
    },
  );
  const ok = await Promise.race([answered, service.wait(answerMs).then(() => false)]);
  return { name, ok, milliseconds: service.nowMs() - beganMs };
}
