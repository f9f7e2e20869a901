import type { Toleration } from '../../kube/index.ts'

/** A toleration without its empty texts: they say nothing, and korder, which writes it back, leaves them out. */
export function bareToleration(toleration: Toleration): Toleration {
  return Object.fromEntries(
    Object.entries(toleration).filter(([, value]) => value !== '' && value !== null),
  ) as Toleration
}
