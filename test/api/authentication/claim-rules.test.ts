// Issuers with a structured authentication configuration: user mapping, validation rules, and invalid configurations.
import { WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import { expect, test } from "vitest";
import { type JwtAuthenticator, jwtAuthenticator } from "../../../shared/contract/jwt-authenticator.ts";
import { path } from "../../../shared/k8s/field.ts";
import { authenticatorErrors, claimRules } from "../../../worker/api/authentication/claim-rules.ts";
import { userOfClaims } from "../../../worker/api/authentication/claims-user.ts";
import { issuersProblem } from "../../../worker/cluster/identities.ts";

const issuer = { url: "https://login.example.org", audiences: ["kubernetes"] };
const claims = {
  iss: issuer.url,
  sub: "ada",
  email: "ada@example.org",
  email_verified: true,
  team: { name: "blue", roles: ["dev", "", "ops"] },
  level: 3,
  hd: "example.org",
};

function config(changes: object): JwtAuthenticator {
  return jwtAuthenticator.parse({ issuer, claimMappings: { username: { claim: "sub", prefix: "" } }, ...changes });
}

function userOf(changes: object) {
  const parsed = config(changes);
  expect(authenticatorErrors(parsed, path("jwt"))).toEqual([]);
  return userOfClaims(parsed, claimRules(parsed), claims, new WorkMeter());
}

function complaints(changes: object): string[] {
  return authenticatorErrors(config(changes), path("jwt")).map(({ field, message }) => `${field}: ${message}`);
}

test("expressions map claims to the user, its groups, its uid and its extra attributes", () => {
  const mappings = {
    username: { expression: "'oidc:' + claims.sub" },
    groups: { expression: "claims.team.roles.map(role, claims.team.name + ':' + role) + ['']" },
    uid: { expression: "claims.sub + '-uid'" },
    extra: [
      { key: "example.org/level", valueExpression: "string(claims.level)" },
      { key: "example.org/none", valueExpression: "claims.?nothing.orValue('')" },
      { key: "example.org/roles", valueExpression: "claims.team.roles" },
    ],
  };
  expect(userOf({ claimMappings: mappings })).toEqual({
    name: "oidc:ada",
    groups: ["blue:dev", "blue:", "blue:ops"],
    uid: "ada-uid",
    extra: { "example.org/level": ["3"], "example.org/roles": ["dev", "ops"] },
  });
});

test("claims are mapped by name, each with its prefix", () => {
  const username = { claim: "sub", prefix: "x:" };
  const groups = { claim: "hd", prefix: "g:" };
  expect(userOf({ claimMappings: { username, groups, uid: { claim: "email" } } })).toEqual({
    name: "x:ada",
    groups: ["g:example.org"],
    uid: "ada@example.org",
  });
});

test("claims are read as Go reads JSON: numbers are doubles, and names with dots may be written as identifiers", () => {
  const username = { expression: "claims.a__dot__b.c[0] + ' ' + string(claims.large)" };
  const odd = { ...claims, large: 12_345_678_901, "a.b": { c: ["x"] } };
  const parsed = config({ claimMappings: { username } });
  expect(userOfClaims(parsed, claimRules(parsed), odd, new WorkMeter()).name).toBe("x 1.2345678901e+10");
});

test("rules about claims and about the user reject a token with their messages", () => {
  const wrong = { expression: "claims.hd == 'else.org'", message: "another domain" };
  expect(() => userOf({ claimValidationRules: [wrong] })).toThrow(
    "error evaluating claim validation expression: validation expression 'claims.hd == 'else.org'' failed: another domain",
  );
  const system = { expression: "!user.username.startsWith('a') && user.groups.size() == 0", message: "no such names" };
  expect(() => userOf({ userValidationRules: [system] })).toThrow(
    "error evaluating user info validation rule: validation expression '!user.username.startsWith('a') && user.groups.size() == 0' failed: no such names",
  );
  expect(() => userOf({ claimValidationRules: [{ claim: "hd", requiredValue: "z" }] })).toThrow(
    "required claim hd value does not match. Got = example.org, want = z",
  );
  expect(userOf({ claimValidationRules: [{ ...wrong, expression: "claims.level > 2" }] }).name).toBe("ada");
});

test("expressions must return usable values", () => {
  const username = (expression: string) => () => userOf({ claimMappings: { username: { expression } } });
  expect(username("claims.level")).toThrow("username claim expression must return a string");
  expect(username("''")).toThrow("empty username via CEL expression is not allowed");
  expect(username("claims.nobody")).toThrow("expression 'claims.nobody' resulted in error: no such key: nobody");
  const groups = { username: { claim: "sub", prefix: "" }, groups: { expression: "claims.team" } };
  expect(() => userOf({ claimMappings: groups })).toThrow(
    "error evaluating group claim expression: expression must return a string or a list of strings",
  );
});

test("an invalid configuration is refused field by field when the sandbox is created", () => {
  const username = { claim: "sub", prefix: "" };
  expect(complaints({ claimMappings: { username: {} } })).toEqual([
    "jwt.claimMappings.username: Required value: claim or expression is required",
  ]);
  expect(complaints({ claimMappings: { username: { claim: "sub" } } })).toEqual([
    "jwt.claimMappings.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing",
  ]);
  expect(complaints({ claimMappings: { username: { expression: "claims.email" } } })).toEqual([
    'jwt.claimMappings.username.expression: Invalid value: "claims.email": claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
  ]);
  expect(complaints({ claimMappings: { username, extra: [{ key: "a.k8s.io/X", valueExpression: "'a'" }] } })).toEqual([
    'jwt.claimMappings.extra[0].key: Invalid value: "a.k8s.io/X": must be lowercase',
    'jwt.claimMappings.extra[0].key: Invalid value: "a.k8s.io/X": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use',
  ]);
  expect(complaints({ claimValidationRules: [{ claim: "a", expression: "true" }, {}] })).toEqual([
    'jwt.claimValidationRules[0]: Invalid value: "a": claim and expression can\'t both be set',
    "jwt.claimValidationRules[1]: Required value: claim or expression is required",
  ]);
  expect(complaints({ userValidationRules: [{ expression: "user.username" }] })).toEqual([
    'jwt.userValidationRules[0].expression: Invalid value: "user.username": must evaluate to bool',
  ]);
  expect(complaints({ userValidationRules: [{ expression: "user.name == ''" }] })[0]).toContain(
    "undefined field 'name'",
  );
});

test("an issuer may be configured once, in either form", () => {
  const flags = {
    issuerUrl: issuer.url,
    audiences: ["a"],
    usernameClaim: "sub",
    groupsPrefix: "",
    requiredClaims: {},
  };
  const both = { anonymousAccess: false, oidcIssuers: [flags], jwtAuthenticators: [config({})] };
  expect(issuersProblem(both)).toMatchObject({ field: "jwtAuthenticators[0].issuer.url" });
  expect(issuersProblem({ ...both, oidcIssuers: [] })).toBeUndefined();
});
