import { createHash } from 'node:crypto'
import { apiGroup, identityOf } from '../krm/identity.ts'
import type { KubernetesObject } from '../krm/types.ts'

const OTHER = /[^a-z0-9.-]/g
/** What file systems take is 255 bytes. */
const LONGEST = 200
const HASH_DIGITS = 10

/**
 * The file of an object in an output folder: resource, namespace and name, as in `daemonset.apps_logging_fluent-bit-m5-large.yaml`.
 * It depends on the object alone. None of the three can hold an underscore; what a file system may not keep apart (RBAC names
 * with colons or capitals) or is too long is told apart by a hash behind two of them.
 */
export function fileNameOf(object: KubernetesObject): string {
  const { namespace = '', name } = object.metadata
  const group = apiGroup(object.apiVersion)
  const kind = object.kind.toLowerCase()
  const parts = [group === '' ? kind : `${kind}.${group}`, namespace, name].filter((part) => part !== '')
  const whole = parts.map((part) => part.toLowerCase().replaceAll(OTHER, '-')).join('_')
  const isPlain = whole.length <= LONGEST && whole === [parts[0]?.toLowerCase(), ...parts.slice(1)].join('_')
  return isPlain ? `${whole}.yaml` : `${whole.slice(0, LONGEST)}__${hashOf(identityOf(object))}.yaml`
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS)
}
