// Whether what is shown is live.
import type { LinkState } from "../live/informer.ts";

const words = { connecting: "Connecting", live: "Live", waiting: "Reconnecting", refused: "Disconnected" };
const tones = { connecting: "busy", live: "ok", waiting: "busy", refused: "bad" };

export function LinkIndicator({ state }: { readonly state: LinkState }) {
  return (
    <span class={`link ${tones[state.phase]}`} role="status">
      <span class="lamp" aria-hidden="true" />
      {words[state.phase]}
    </span>
  );
}
