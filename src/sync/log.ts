/** What a line of the log has besides its message: plain values by name. */
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>

/** Where the controller says what it does; secrets are taken out before anything is written. */
export interface Log {
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
  /** The same log with these fields in each of its lines. */
  with(fields: Fields): Log
}

/** Says nothing. */
export const silentLog: Log = {
  info: () => {},
  warn: () => {},
  error: () => {},
  with: () => silentLog,
}
