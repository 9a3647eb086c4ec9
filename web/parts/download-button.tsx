// A button that downloads an answer of the API as a file, and shows how much has arrived. A second press stops it.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Control } from "../api/control.ts";
import { messageOf } from "../api/control-failure.ts";
import { texts as all } from "../messages/components.ts";
import { Alert } from "./alert.tsx";
import { useNotice } from "./notice.ts";
import { bytesText } from "./numbers.ts";
import { saveBlob } from "./save-file.ts";

const texts = all.download;

interface Props {
  readonly control: Control;
  readonly label: string;
  readonly path: string;
  readonly file: string;
}

export function DownloadButton({ control, label, path, file }: Props) {
  const [received, setReceived] = useState<number>();
  const [notice, say] = useNotice();
  const [failure, setFailure] = useState("");
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const download = async () => {
    const stop = new AbortController();
    running.current = stop;
    setFailure("");
    setReceived(0);
    try {
      const answer = await control.ask(path, { signal: stop.signal });
      say(saveBlob(await bodyOf(answer, setReceived), file));
    } catch (error) {
      if (!stop.signal.aborted) setFailure(error instanceof TypeError ? texts.brokeOff : messageOf(error));
    } finally {
      running.current = null;
      setReceived(undefined);
    }
  };
  return (
    <>
      <button type="button" onClick={() => (running.current ? running.current.abort() : void download())}>
        <span aria-live={received === undefined ? "polite" : "off"}>
          {received === undefined ? notice || label : texts.stop(bytesText(received))}
        </span>
      </button>
      <Alert text={failure} />
    </>
  );
}

async function bodyOf(answer: Response, progress: (bytes: number) => void): Promise<Blob> {
  let bytes = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      progress(bytes);
      controller.enqueue(chunk);
    },
  });
  return new Response(answer.body?.pipeThrough(counting) ?? null, { headers: answer.headers }).blob();
}
