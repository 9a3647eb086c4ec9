// Times as the logs of servers write them.

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** `22/Nov/2026:22:34:38 +0000` */
export function localTime(ms: number): string {
  const [day = "", clock = ""] = new Date(ms).toISOString().slice(0, 19).split("T");
  const [year = "", month = "", date = ""] = day.split("-");
  return `${date}/${months[Number(month) - 1] ?? ""}/${year}:${clock} +0000`;
}

/** `2026/11/22 22:34:38` */
export function errorTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replaceAll("-", "/").replace("T", " ");
}
