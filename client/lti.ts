// Learning management systems that launch lessons by LTI: their registration, and the scores that are sent to them.
import type { Ask, ListQuery } from "./ask.ts";
import { below, type Requests, requestsOf } from "./requests.ts";
import type * as T from "./types.ts";

const platforms = "/v1/lti/platforms";

export class Lti {
  readonly #api: Requests;

  constructor(ask: Ask) {
    this.#api = requestsOf(ask);
  }

  /** Returns the values that an administrator enters into a learning management system. */
  getLtiTool(): Promise<T.LtiTool> {
    return this.#api.get("/v1/lti/tool");
  }

  /** Creates a link by which one learning management system registers itself. */
  createLtiRegistration(): Promise<T.LtiRegistration> {
    return this.#api.post("/v1/lti/registrations", {});
  }

  createLtiPlatform(input: T.CreateLtiPlatform): Promise<T.LtiPlatform> {
    return this.#api.post(platforms, input);
  }

  listLtiPlatforms(): Promise<T.LtiPlatformList> {
    return this.#api.get(platforms);
  }

  getLtiPlatform(platform: string): Promise<T.LtiPlatform> {
    return this.#api.get(below(platforms, platform));
  }

  changeLtiPlatform(platform: string, change: T.PatchLtiPlatform): Promise<T.LtiPlatform> {
    return this.#api.patch(below(platforms, platform), change);
  }

  deleteLtiPlatform(platform: string): Promise<void> {
    return this.#api.remove(below(platforms, platform));
  }

  /** Lists the scores that were sent, with the results of sending them. */
  listLtiScores(platform: string, page: ListQuery = {}): Promise<T.DeliveryList> {
    return this.#api.get(below(platforms, platform, "scores"), page);
  }
}
