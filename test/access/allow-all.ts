// An authorizer that allows everything, for tests of later steps.
import type { Authorizer } from "../../shared/k8s/authorizer.ts";

export const allowAll: Authorizer = {
  decide: () => ({ allowed: true, reason: "" }),
  ofPast: () => allowAll,
  rulesOf: () => ({ resourceRules: [], nonResourceRules: [], evaluationError: "", incomplete: false }),
  grantedTo: () => ({ rules: [], missing: [] }),
  rulesOfRole: () => [],
};
