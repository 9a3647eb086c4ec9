// The secret from which the service derives ids, tokens and encryption keys. It has two values while it is being rotated.

/** The current value, from which everything new is derived, and retired ones, which still verify and decrypt. */
export type Secret = string | readonly [current: string, ...earlier: string[]];

export interface SecretBindings {
  readonly SANDBAR_SECRET: string;
  /** The value of `SANDBAR_SECRET` before its rotation. If undefined or empty, no retired value is accepted. */
  readonly SANDBAR_SECRET_OLD?: string | undefined;
}

/** Cached, so that the same bindings return the same object, which can be a cache key. */
const secrets = new WeakMap<SecretBindings, Secret>();

/** Throws without a current value, because everybody could derive keys from an empty one. */
export function secretOf(bindings: SecretBindings): Secret {
  const cached = secrets.get(bindings);
  if (cached) return cached;
  const { SANDBAR_SECRET: current, SANDBAR_SECRET_OLD: earlier } = bindings;
  if (!current) throw new Error("the secret SANDBAR_SECRET is missing");
  const secret: Secret = earlier && earlier !== current ? [current, earlier] : current;
  secrets.set(bindings, secret);
  return secret;
}

export function currentSecret(secret: Secret): string {
  return typeof secret === "string" ? secret : secret[0];
}

/** Returns all values, the current one first. */
export function secretValues(secret: Secret): readonly [string, ...string[]] {
  return typeof secret === "string" ? [secret] : secret;
}
