// Sends a queued score to its platform and returns the outcome, as of any delivery.
import { type Asking, AccessTokens } from "../lti/access-token.ts";
import { askingPlatforms } from "../lti/ask.ts";
import { type Score, sendScore } from "../lti/score.ts";
import type { DeliverOptions } from "./deliver.ts";
import type { DueDelivery, AttemptResult } from "./webhooks.ts";

/** Sends with cached access tokens. Never rejects. */
export function scoreSender(): (sending: Pick<DueDelivery, "body">, options: DeliverOptions) => Promise<AttemptResult> {
  const tokens = new AccessTokens();
  return async ({ body }, { secret, node, nowMs }) => {
    const asking: Asking = { ask: askingPlatforms(node), tokens, secret, nowMs: nowMs() };
    try {
      // The edge wrote the JSON.
      return await sendScore(JSON.parse(body) as Score, asking);
    } catch (error) {
      // The key cannot be decrypted, because the service's secret has changed.
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
}
