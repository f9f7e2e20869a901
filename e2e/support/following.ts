/** Where nodefit sync and what follows it begin. */
export const OUTPUT = 'clusters/prod/rendered'
/** After it, a push waits for nothing but its change to be quiet. */
export const MIN_PUSH_INTERVAL = 10_000
/** Nodes by which a cluster begins, and the groups that serve them. */
export const FIRST = [
  ['node-1', 'm5.large'],
  ['node-2', 'm5.large'],
  ['node-3', 'm5.large'],
  ['node-4', 'm5.4xlarge'],
  ['node-5', 'm5.4xlarge'],
] as const
export const SERVED = Object.fromEntries(FIRST.map(([name, type]) => [name, type.replace('.', '-')]))
