/** What ends a command with one plain sentence and exit code 1: a mistake of its user, not a defect. */
export class UserError extends Error {}
