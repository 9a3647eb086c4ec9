// The output of `kubectl describe`, read again whenever the object changes.
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../api/control-failure.ts";
import { argumentOf } from "../../live/reference.ts";
import { messages } from "../../messages.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { useLive } from "../../view/context.ts";
import { Command } from "../command.tsx";
import { lineOf, runKubectl } from "../run.ts";
import type { PaneProps } from "./pane.ts";

export function DescribePane({ mapping, of, object, isThere }: PaneProps) {
  const { cluster } = useLive();
  const [text, setText] = useState("");
  const words = ["describe", argumentOf(mapping, of.name), ...(of.namespace ? ["-n", of.namespace] : [])];
  useEffect(() => {
    if (!isThere) return;
    const stop = new AbortController();
    runKubectl(cluster.access, words, {}, stop.signal)
      .then(({ out, err }) => !stop.signal.aborted && setText(out || err))
      .catch((error: unknown) => !stop.signal.aborted && setText(messageOf(error)));
    return () => stop.abort();
  }, [object.metadata.resourceVersion, isThere]);
  return (
    <div class="text-pane">
      <Command line={lineOf(words)} />
      <pre class="yaml" tabIndex={0} aria-label={messages.detail.panes.describe}>
        {text || messages.common.loading}
      </pre>
      <CopyButton class="quiet" label={messages.common.copy} text={() => text} file={`${of.name}.txt`} />
    </div>
  );
}
