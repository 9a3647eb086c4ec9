// Validates and compiles the configuration of an issuer when the sandbox is created, with upstream's messages.
import { domainPathErrors } from "../../../shared/k8s/names.ts";
import type { Program } from "../../../shared/cel/program.ts";
import type { JwtAuthenticator } from "../../../shared/contract/jwt-authenticator.ts";
import { duplicate, type FieldError, type FieldPath, invalid, path, required } from "../../../shared/k8s/field.ts";
import { compiledFor, type Subject } from "./claim-expressions.ts";

interface Rule {
  readonly program: Program;
  readonly message: string;
}

/** The compiled expressions. Claims that are used directly stay in the configuration. */
export interface ClaimRules {
  readonly username?: Program;
  readonly groups?: Program;
  readonly uid?: Program;
  readonly extra: readonly { readonly key: string; readonly program: Program }[];
  readonly claims: readonly Rule[];
  readonly users: readonly Rule[];
}

export function authenticatorErrors(config: JwtAuthenticator, at: FieldPath): FieldError[] {
  return readRules(config, at).errors;
}

/** Compiles a validated configuration. */
export function claimRules(config: JwtAuthenticator): ClaimRules {
  return readRules(config, path("jwt")).rules;
}

interface Reading {
  readonly errors: FieldError[];
  compile(subject: Subject, source: string, isCondition: boolean, at: FieldPath): Program | undefined;
}

function newReading(): Reading {
  const errors: FieldError[] = [];
  return {
    errors,
    compile: (subject, source, isCondition, at) => {
      const compiled = compiledFor(subject, source, isCondition);
      if (typeof compiled !== "string") return compiled;
      errors.push(invalid(at, source, compiled));
      return undefined;
    },
  };
}

function readRules(config: JwtAuthenticator, at: FieldPath): { rules: ClaimRules; errors: FieldError[] } {
  const reading = newReading();
  const { claimMappings: mappings } = config;
  const mappingsAt = at.child("claimMappings");
  const claims = claimConditions(config, reading, at.child("claimValidationRules"));
  const username = mapped(mappings.username, reading, mappingsAt.child("username"), true);
  const groups = mapped(mappings.groups, reading, mappingsAt.child("groups"), false);
  const uid = uidOf(mappings.uid, reading, mappingsAt.child("uid"));
  const extra = extraOf(mappings.extra, reading, mappingsAt.child("extra"));
  const programs = [username, ...extra.map(({ program }) => program), ...claims.map(({ program }) => program)];
  if (mentions(username, "email") && !programs.some((program) => mentions(program, "email_verified"))) {
    const why =
      "claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression";
    reading.errors.push(invalid(mappingsAt.child("username", "expression"), mappings.username.expression, why));
  }
  const users = userConditions(config, reading, at.child("userValidationRules"));
  const claimPrograms = { ...(username ? { username } : {}), ...(groups ? { groups } : {}), ...(uid ? { uid } : {}) };
  return { rules: { ...claimPrograms, extra, claims, users }, errors: reading.errors };
}

function claimConditions({ claimValidationRules }: JwtAuthenticator, reading: Reading, at: FieldPath): Rule[] {
  const claimNames = new Set<string>();
  return claimValidationRules.flatMap(({ claim, requiredValue, expression, message = "" }, index) => {
    const { errors } = reading;
    const here = at.index(index);
    if (claim && expression) errors.push(invalid(here, claim, "claim and expression can't both be set"));
    else if (!claim && !expression) errors.push(required(here, "claim or expression is required"));
    else if (claim) {
      if (message) errors.push(invalid(here.child("message"), message, "may not be specified when claim is set"));
      if (claimNames.has(`claim ${claim}`)) errors.push(duplicate(here.child("claim"), claim));
      claimNames.add(`claim ${claim}`);
    } else if (expression) {
      if (requiredValue) {
        const why = "may not be specified when expression is set";
        errors.push(invalid(here.child("requiredValue"), requiredValue, why));
      }
      if (claimNames.has(expression)) errors.push(duplicate(here.child("expression"), expression));
      claimNames.add(expression);
      const program = reading.compile("claims", expression, true, here.child("expression"));
      if (program) return [{ program, message }];
    }
    return [];
  });
}

function userConditions({ userValidationRules }: JwtAuthenticator, reading: Reading, at: FieldPath): Rule[] {
  return userValidationRules.flatMap(({ expression, message = "" }, index) => {
    const here = at.index(index).child("expression");
    if (!expression) {
      reading.errors.push(required(here));
      return [];
    }
    if (userValidationRules.findIndex((rule) => rule.expression === expression) < index) {
      reading.errors.push(duplicate(here, expression));
    }
    const program = reading.compile("user", expression, true, here);
    return program ? [{ program, message }] : [];
  });
}

function mapped(
  { claim, prefix, expression }: JwtAuthenticator["claimMappings"]["username"],
  { errors, compile }: Reading,
  at: FieldPath,
  isRequired: boolean,
): Program | undefined {
  if (claim && expression) errors.push(invalid(at, "", "claim and expression can't both be set"));
  else if (expression) {
    if (prefix !== undefined) {
      errors.push(invalid(at.child("prefix"), prefix, "may not be specified when expression is set"));
    }
    return compile("claims", expression, false, at.child("expression"));
  } else if (claim && prefix === undefined) {
    const why = "prefix is required when claim is set. It can be set to an empty string to disable prefixing";
    errors.push(required(at.child("prefix"), why));
  } else if (!claim && isRequired) errors.push(required(at, "claim or expression is required"));
  return undefined;
}

function uidOf(
  { claim, expression }: JwtAuthenticator["claimMappings"]["uid"],
  { errors, compile }: Reading,
  at: FieldPath,
): Program | undefined {
  if (claim && expression) errors.push(invalid(at, "", "claim and expression can't both be set"));
  else if (expression) return compile("claims", expression, false, at.child("expression"));
  return undefined;
}

function extraOf(extra: JwtAuthenticator["claimMappings"]["extra"], reading: Reading, at: FieldPath) {
  return extra.flatMap(({ key, valueExpression }, index) => {
    const { errors } = reading;
    const [keyAt, valueAt] = [at.index(index).child("key"), at.index(index).child("valueExpression")];
    errors.push(...domainPathErrors(key, keyAt));
    if (key !== key.toLowerCase()) errors.push(invalid(keyAt, key, "must be lowercase"));
    if (/^([^/]+\.)?(kubernetes|k8s)\.io\//.test(key)) {
      const why = "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use";
      errors.push(invalid(keyAt, key, why));
    }
    if (extra.findIndex((mapping) => mapping.key === key) < index) {
      errors.push(duplicate(keyAt, key));
      return [];
    }
    if (!valueExpression) {
      errors.push(required(valueAt));
      return [];
    }
    const program = reading.compile("claims", valueExpression, false, valueAt);
    return program ? [{ key, program }] : [];
  });
}

/** Reports whether an expression uses a claim: `claims.email`, `claims.?email`. */
function mentions(program: Program | undefined, claim: string): boolean {
  const all = program?.source.matchAll(/\bclaims\s*\.\s*(?:\?\s*)?(\w+)/g) ?? [];
  return [...all].some(([, name]) => name === claim);
}
