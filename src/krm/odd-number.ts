const QUOTED = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g
/** A scalar that begins as a number, from its start to the end of the line or entry. */
const SCALAR = /(?:^|[:,[{]|- )[ \t]*([-+.]?\d[\w.+-]*)[ \t]*(?=[,\]}#\r\n]|$)/gm
const NUMBER = /^(?:[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|0[xob][\da-fA-F_]+)$/
const INTEGER = /^(?:0|-?[1-9]\d*)$/

/** Returns a number of a text that is not written as an integer of digits alone: `1.0`, `1e0`, `13.`, `007`, `0x10`. */
export function oddNumber(text: string): string | undefined {
  for (const [, scalar = ''] of text.replaceAll(QUOTED, '""').matchAll(SCALAR))
    if (NUMBER.test(scalar) && !INTEGER.test(scalar)) return scalar
  return undefined
}
