// DenyServiceExternalIPs (off by default): no Service gets an external IP that it has not had.
import { services } from "../kinds/core/service/service.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { forbiddenBy } from "./refuse.ts";
import { writeOf } from "./writes.ts";

export const denyServiceExternalIps: AdmissionPlugin = {
  name: "DenyServiceExternalIPs",
  validate(request) {
    const write = writeOf(services, request, "CREATE", "UPDATE");
    const known = write?.previous?.spec.externalIPs ?? [];
    if (write?.object.spec.externalIPs?.every((ip) => known.includes(ip)) === false) {
      throw forbiddenBy(request, "Use of external IPs is denied by admission control");
    }
  },
};
