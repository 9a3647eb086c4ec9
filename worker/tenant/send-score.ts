// Sends a score that waits to its platform, and says what came of it as of any delivery.
import { type Asking, AccessTokens } from "../lti/access-token.ts";
import { askingPlatforms } from "../lti/ask.ts";
import { type Score, sendScore } from "../lti/score.ts";
import type { DeliverOptions } from "./deliver.ts";
import type { Sending, Sent } from "./webhooks.ts";

/** Sends with access tokens that it remembers. Never rejects. */
export function scoreSender(): (sending: Pick<Sending, "body">, options: DeliverOptions) => Promise<Sent> {
  const tokens = new AccessTokens();
  return async ({ body }, { secret, node, nowMs }) => {
    const asking: Asking = { ask: askingPlatforms(node), tokens, secret, nowMs: nowMs() };
    try {
      // As the edge wrote it.
      return await sendScore(JSON.parse(body) as Score, asking);
    } catch (error) {
      // A key that this service cannot open: its secret is another now.
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
}
