// How many columns of a terminal a text takes.

/** The character ranges that are two columns wide, and those that have no width. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const none = /\p{M}|\u200b|\u200d|\ufe0f/u;

export function widthOf(letter: string): number {
  if (letter < "\x7f") return 1;
  return none.test(letter) ? 0 : wide.test(letter) ? 2 : 1;
}

/** Without sequences that only colour. */
export function plainWidth(text: string): number {
  let width = 0;
  for (const letter of text.replace(/\x1b\[[\d;]*m/g, "")) width += widthOf(letter);
  return width;
}
