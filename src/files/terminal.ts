import { isatty } from 'node:tty'
import { styleText } from 'node:util'
import { type Paint, plain, type Role } from '../view/index.ts'

const STDERR = 2
const STYLES = {
  error: 'red',
  warning: 'yellow',
  info: 'cyan',
  heading: 'bold',
  less: 'yellow',
  quiet: 'gray',
} as const satisfies Record<Role, unknown>

/** How a terminal shows text; as it is where nobody looks, or where colours are not wanted (no-color.org) or not possible. */
export function paintFor(isTerminal: boolean, { NO_COLOR, TERM }: NodeJS.ProcessEnv): Paint {
  if (!isTerminal || NO_COLOR || TERM === 'dumb') return plain
  // newer Node otherwise asks stdout, which is not what is written to
  return (role, text) => styleText(STYLES[role], text, { validateStream: false })
}

/** Whether somebody watches stderr. */
export function isWatched(): boolean {
  return isatty(STDERR)
}
