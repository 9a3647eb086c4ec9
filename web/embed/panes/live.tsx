// The live view of a frame's cluster.
import type { FrameState, Opened } from "../frame/model.ts";
import { LiveView } from "../../view/live-view.tsx";

export function LivePane({ frame, opened }: { readonly frame: FrameState; readonly opened: Opened }) {
  const { access, cluster } = opened;
  return <LiveView access={access} namespace={frame.settings.namespace} {...(cluster ? { cluster } : {})} />;
}
