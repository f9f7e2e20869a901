// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects, written and read back
type Any = any

/** Where what is stored says something else than what was written; what the server adds is its own. */
export function notAsWritten(written: Any, stored: Any, path = ''): string[] {
  if (typeof written !== 'object' || written === null)
    return written === stored ? [] : [`${path}: ${JSON.stringify(written)} is ${JSON.stringify(stored)}`]
  return Object.entries(written).flatMap(([key, value]) => notAsWritten(value, stored?.[key], `${path}.${key}`))
}
