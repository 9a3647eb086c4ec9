// DenyServiceExternalIPs (off by default): rejects new external IPs of Services.
import { services } from "../kinds/core/service/service.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { newForbidden } from "./common/errors.ts";
import { writtenObject } from "./common/handled.ts";

export const denyServiceExternalIps: AdmissionPlugin = {
  name: "DenyServiceExternalIPs",
  validate(request) {
    const write = writtenObject(services, request, "CREATE", "UPDATE");
    const previousIPs = write?.previous?.spec.externalIPs ?? [];
    if (write?.object.spec.externalIPs?.every((ip) => previousIPs.includes(ip)) === false) {
      throw newForbidden(request, "Use of external IPs is denied by admission control");
    }
  },
};
