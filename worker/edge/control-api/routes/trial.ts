// Routes of trials, which need no key.
import { serviceFailures } from "../../../../shared/contract/error.ts";
import { challenge, createTrial } from "../../../../shared/contract/hosted/trial.ts";
import { sandboxWithToken } from "../../../../shared/contract/sandbox.ts";
import { json, encodeCreated } from "../answers.ts";
import { route } from "../route.ts";
import { makeTrial, newChallenge } from "../tenancy/trial.ts";

export const trialRoutes = [
  route({
    method: "GET",
    path: "/v1/trial",
    id: "getTrialChallenge",
    access: { kind: "public" },
    summary: "Returns the proof of work that a trial requires. Not every service has trials.",
    answer: { status: 200, json: challenge },
    errors: ["not_found", "internal"],
    handle: async ({ controlApi, headers }) => json(await newChallenge(controlApi, headers)),
  }),
  route({
    method: "POST",
    path: "/v1/trial",
    id: "createTrial",
    access: { kind: "public" },
    summary:
      "Creates a small sandbox for an hour without a key, in return for a proof of work. As YAML, returns its kubeconfig.",
    body: createTrial,
    answer: { status: 201, json: sandboxWithToken, texts: ["application/yaml"] },
    errors: ["not_found", "limit_reached", "beyond_plan", "suspended", ...serviceFailures],
    handle: async (call) => encodeCreated(call, await makeTrial(call.controlApi, call.headers, call.body)),
  }),
];
