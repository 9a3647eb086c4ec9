// The secret from which the service derives ids, tokens and keys of ciphers. While it is being replaced it has two values.

/** The current value, which everything new follows from, and earlier ones, which still verify and open what they made. */
export type Secret = string | readonly [current: string, ...earlier: string[]];

export interface SecretBindings {
  readonly SANDBAR_SECRET: string;
  /** The value before `SANDBAR_SECRET` was replaced. Undefined or empty: nothing of an earlier value is accepted. */
  readonly SANDBAR_SECRET_OLD?: string | undefined;
}

/** The same object for the same bindings, so that it can be the key of a cache. */
const secrets = new WeakMap<SecretBindings, Secret>();

/** Throws if there is no current value: everybody could derive what follows from an empty one. */
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

/** All values, the current one first. */
export function secretValues(secret: Secret): readonly [string, ...string[]] {
  return typeof secret === "string" ? [secret] : secret;
}
