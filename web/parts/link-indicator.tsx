// The indicator of the live connection.
import { messages } from "../messages.ts";
import type { LinkState } from "../live/informer.ts";

const tones = { connecting: "busy", live: "ok", waiting: "busy", refused: "bad" };

export function LinkIndicator({ state }: { readonly state: LinkState }) {
  return (
    <span class={`link ${tones[state.phase]}`} role="status">
      <span class="lamp" aria-hidden="true" />
      {messages.overview.link[state.phase]}
    </span>
  );
}
