// Functions that run in the measured page. A frame counts as painted when the task after it begins.

export const pageClock = `
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now());
    port2.postMessage(undefined);
  }));
  const held = async (isDone) => {
    for (let at = 0; at < 3600; at++) {
      // The condition holds before the frame is painted.
      const holds = isDone();
      const nowMs = await painted();
      if (holds) return nowMs;
    }
    throw new Error("the page does not change: " + isDone);
  };
  globalThis.paintedAfter = async (act, isDone) => {
    await painted();
    const startedMs = performance.now();
    act();
    await new Promise((resolve) => requestAnimationFrame(resolve));
    return (await held(isDone)) - startedMs;
  };
  const firstRows = held(() => document.querySelectorAll("table.sandboxes tbody tr").length >= 20);
  globalThis.rowsPaintedAt = () => firstRows;
  globalThis.type = (selector, text) => {
    const input = document.querySelector(selector);
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, text);
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
  };
  globalThis.choose = (name, value) => {
    const select = document.querySelector('select[aria-label="' + name + '"]');
    select.value = value;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  };
  globalThis.press = (selector) => document.querySelector(selector).click();
  globalThis.scrollToEnd = async (rows, count) => {
    for (let at = 0; at < 200 && document.querySelectorAll(rows).length < count; at++) {
      document.querySelector(rows + ":last-child").scrollIntoView();
      await painted();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  let longestMs = 0;
  globalThis.watchTasks = () => new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestMs = Math.max(longestMs, duration);
  }).observe({ type: "longtask" });
  globalThis.longestTask = () => longestMs;
`;
