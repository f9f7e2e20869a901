import { GROUP } from '../krm/remembered.ts'
import type { KubernetesObject } from '../krm/types.ts'
import type { GroupKind } from './account.ts'

/** How the identity of each kind of group begins. */
const KINDS: Readonly<Record<string, GroupKind>> = {
  value: 'value',
  range: 'range',
  class: 'class',
  group: 'explicit',
  default: 'default',
  remainder: 'remainder',
}

/** The kind of the group that an object was rendered for; undefined for what is for none. A user may have written anything there. */
export function kindOfGroup({ metadata }: KubernetesObject): GroupKind | undefined {
  const id: unknown = metadata.annotations?.[GROUP]
  if (typeof id !== 'string') return undefined
  const [start = ''] = id.split(/:|-[0-9]+$/)
  return Object.hasOwn(KINDS, start) ? KINDS[start] : undefined
}

/** A group's identity as a sentence has it behind the word group: an explicit one is called what the policy calls it. */
export function groupText(id: string): string {
  return id.startsWith('group:') ? id.slice('group:'.length) : id
}
