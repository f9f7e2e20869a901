import { KrmError } from '../../krm/error.ts'
import { KubeError } from '../../kube/index.ts'

/** A mistake of the user: it ends a command with its message and without a stack trace. */
export class UserError extends Error {}

/**
 * The message that ends a program: for a mistake in the input its sentence, with the code if it has one; for a system
 * error that of the system; for a defect of nodefit the stack trace, cut to `frames` lines.
 */
export function errorText(error: unknown, frames = Number.POSITIVE_INFINITY): string {
  if (error instanceof UserError) return error.message
  if (error instanceof KrmError || error instanceof KubeError) return `${error.code}: ${error.message}`
  const { code, message, stack } = error as NodeJS.ErrnoException
  // Node's ERR_INVALID_… are wrong calls of its functions: defects of nodefit
  if (code?.startsWith('E') && !code.startsWith('ERR_INVALID')) return message
  const lines = (stack ?? message).split('\n').slice(0, frames + 1)
  return `internal error, please report it: ${lines.join('\n')}`
}
