// Learning management systems that launch lessons by LTI: what they are told, which are registered, and what was sent to them.
import type { Ask } from "./ask.ts";
import type * as T from "./types.ts";

const platforms = "/v1/lti/platforms";

export class Lti {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** What the administrator of a learning management system enters there. */
  getLtiTool(): Promise<T.LtiTool> {
    return this.#answer("GET", "/v1/lti/tool");
  }

  /** A link by which one learning management system registers itself. */
  createLtiRegistration(): Promise<T.LtiRegistration> {
    return this.#answer("POST", "/v1/lti/registrations", {});
  }

  createLtiPlatform(input: T.CreateLtiPlatform): Promise<T.LtiPlatform> {
    return this.#answer("POST", platforms, input);
  }

  listLtiPlatforms(): Promise<T.LtiPlatformList> {
    return this.#answer("GET", platforms);
  }

  getLtiPlatform(platform: string): Promise<T.LtiPlatform> {
    return this.#answer("GET", one(platform));
  }

  changeLtiPlatform(platform: string, change: T.PatchLtiPlatform): Promise<T.LtiPlatform> {
    return this.#answer("PATCH", one(platform), change);
  }

  async deleteLtiPlatform(platform: string): Promise<void> {
    await this.#ask(one(platform), { method: "DELETE" });
  }

  /** What was sent of learners' scores, and what came of it. */
  listLtiScores(platform: string): Promise<T.DeliveryList> {
    return this.#answer("GET", `${one(platform)}/scores`);
  }

  // The service answers what its contract says.
  async #answer<A>(method: "GET" | "POST" | "PATCH", path: string, body?: unknown): Promise<A> {
    return (await this.#ask(path, { method, ...(body === undefined ? {} : { body }) })).json() as Promise<A>;
  }
}

function one(platform: string): string {
  return `${platforms}/${encodeURIComponent(platform)}`;
}
