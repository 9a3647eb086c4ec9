// git's colors, which it uses on a terminal only.
const codes = { red: "31", green: "32", yellow: "33", cyan: "36", bold: "1" } as const;

export type Color = keyof typeof codes;

export type Paint = (color: Color, text: string) => string;

export const inColor: Paint = (color, text) => (text === "" ? "" : `\u001b[${codes[color]}m${text}\u001b[m`);

export const plain: Paint = (_color, text) => text;
