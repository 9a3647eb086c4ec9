// The outcome of a button, which takes the place of its label for a moment.
import { useEffect, useState } from "preact/hooks";

const shownMs = 2500;

/** Returns the text to show, which is empty again after a moment, and its setter. */
export function useNotice(): readonly [notice: string, say: (text: string) => void] {
  const [notice, say] = useState("");
  useEffect(() => {
    if (notice === "") return undefined;
    const timer = setTimeout(() => say(""), shownMs);
    return () => clearTimeout(timer);
  }, [notice]);
  return [notice, say];
}
