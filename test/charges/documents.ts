// Turns over texts that come without a request to the Kubernetes API: checks of lessons, tokens of issuers, and files of states.
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { jwtAuthenticator } from "../../shared/contract/jwt-authenticator.ts";
import { type Evidence, runCheck } from "../../shared/lesson/expressions.ts";
import { readStateFile } from "../../shared/state/read-state.ts";
import { claimRules } from "../../worker/api/authentication/claim-rules.ts";
import { claimsOf } from "../../worker/api/authentication/claims.ts";
import { userOfClaims } from "../../worker/api/authentication/claims-user.ts";
import { configMap, stateFile } from "../state/files.ts";
import type { Turn } from "./verdict.ts";

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

/** A turn that charges a meter of its own, within the budget of a request. */
function budgeted(name: string, body: (meter: WorkMeter) => unknown): Turn {
  return {
    name,
    run: () => {
      const meter = new WorkMeter();
      try {
        meter.within(() => body(meter));
      } catch {
        // A refusal is an answer as well.
      }
      return meter.spent;
    },
  };
}

const pods = upTo(1_000).map((at) => ({
  metadata: { name: `p${at}`, labels: { app: `a${at % 10}` } },
  spec: { containers: [{ name: "c", image: "i" }] },
}));

const evidence: Evidence = {
  objects: () => pods,
  object: () => pods[0],
  changes: () => [],
  http: () => {
    throw new Error("there is no network");
  },
  logs: () => "line\n".repeat(20_000),
  file: () => "line\n".repeat(20_000),
  decide: () => ({ allowed: false, reason: "" }),
  may: () => false,
};

const checks: readonly string[] = [
  "true",
  "objects('v1', 'Pod').size() == 1000",
  "objects('v1', 'Pod').all(p, p.metadata.name.startsWith('p'))",
  "objects('v1', 'Pod').exists(p, objects('v1', 'Pod').exists(q, q.metadata.name == p.metadata.name + 'x'))",
  "objects('v1', 'Pod').map(p, p.metadata.name).join(',').size() > 0",
  "objects('v1', 'Pod').filter(p, p.metadata.labels.app == 'a1').size() == 100",
  "logs('p', 'c').contains('none') == false",
  "logs('p', 'c').split('\\n').all(l, l.size() >= 0)",
  "logs('p', 'c').matches('^(l|i)*none$') == false",
  "objects('v1', 'Pod') == objects('v1', 'Pod')",
  `${"(".repeat(100)}true${")".repeat(100)}`,
  upTo(1_000)
    .map((at) => `answer != 'a${at}'`)
    .join(" && "),
];

const lessons = checks.map((source) =>
  budgeted(`lesson: ${source}`, (meter) => runCheck(source, evidence, "answer", meter)),
);

const issuer = { url: "https://login.example.org", audiences: ["kubernetes"] };

function tokenOf(claims: object): string {
  const piece = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${piece({ alg: "RS256" })}.${piece(claims)}.AAAA`;
}

const claims = (count: number) => ({ iss: issuer.url, sub: "ada", groups: upTo(count).map((at) => `group-${at}`) });

const expressions: readonly string[] = [
  "claims.groups",
  "claims.groups.map(g, 'x:' + g)",
  "claims.groups.filter(g, claims.groups.exists(h, h == g))",
  "claims.groups.filter(g, g.matches('^(a|g)*roup-[0-9]+$'))",
];

const authentication = expressions.flatMap((expression) => {
  const username = { expression: "claims.sub" };
  const config = jwtAuthenticator.parse({ issuer, claimMappings: { username, groups: { expression } } });
  const rules = claimRules(config);
  return [10, 300, 3_000].map((count) => {
    const token = tokenOf(claims(count));
    return budgeted(`authentication: ${expression} of ${count} groups`, (meter) => {
      userOfClaims(config, rules, claimsOf(token) ?? {}, meter);
    });
  });
});

const states = [10, 300, 3_000].map((count) => {
  const file = stateFile(upTo(count).map((at) => configMap(`c${at}`, "v".repeat(100))));
  return budgeted(`state file: ${count} objects`, () => [...readStateFile(file).entries()].length);
});

export function documentTurns(): Turn[] {
  return [...lessons, ...authentication, ...states];
}
