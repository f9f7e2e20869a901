/** A mistake of the user: it ends a command with its message and without a stack trace. */
export class UserError extends Error {}
