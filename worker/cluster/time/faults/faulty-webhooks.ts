// The faults of the calls of admission and conversion webhooks, whichever way the calls take.
import type { WebhookIdentity } from "../../../../shared/k8s/outbound-call.ts";
import type { WebhookFault } from "../../outside/outside.ts";
import type { FaultEngine } from "./engine.ts";

export class FaultyWebhooks {
  readonly #engine: FaultEngine;

  constructor(engine: FaultEngine) {
    this.#engine = engine;
  }

  /** Returns the faults of a call, and counts it. */
  take({ resource, configuration, name }: WebhookIdentity): WebhookFault | undefined {
    if (this.#engine.isIdle) return undefined;
    let result: WebhookFault | undefined;
    for (const entry of this.#engine.active) {
      const { action, selector } = entry.fault;
      if (!("webhook" in action || "webhookDelay" in action)) continue;
      const isSelected =
        (selector.resource ?? resource) === resource &&
        (selector.name ?? configuration) === configuration &&
        (action.of ?? name) === name;
      if (!isSelected || !this.#engine.happens(entry)) continue;
      const { delayMs = 0, failure = undefined } = result ?? {};
      const isDelay = "webhookDelay" in action;
      result = isDelay
        ? { delayMs: Math.max(delayMs, action.webhookDelay), failure }
        : { delayMs, failure: failure ?? action.webhook };
      const effect = isDelay ? `is delayed by ${action.webhookDelay} ms` : failureTexts[action.webhook];
      const webhook = name === "" ? "the conversion webhook" : `webhook ${name}`;
      this.#engine.noteEffect(entry, `${webhook} ${effect}`, { resource, name: configuration });
    }
    this.#engine.save();
    return result;
  }
}

const failureTexts = {
  timeout: "does not answer",
  refused: "refuses the connection",
  error: "answers 500",
} as const;
