/** What is said of one rendered object: that it is new, changed, removed, or that another stands in its way. */
import { difference } from './difference.ts'
import { type Finding, finding, listNames, type Subject } from './finding/index.ts'
import { isWireAnnotation } from './krm/annotation.ts'
import { describe } from './krm/identity.ts'
import { GROUP, ownerOf } from './krm/ownership.ts'
import type { Item, KubernetesObject } from './krm/types.ts'
import type { Rendering } from './rendering.ts'

const ANNOTATIONS = 'metadata.annotations.'

export function addedFinding(made: KubernetesObject, group: string, subject: Subject): Finding {
  return finding('GroupAdded', `${describe(made)} is new: there was none for ${group}`, { subject })
}

export function changedFinding({ object }: Item, made: KubernetesObject, subject: Subject): Finding {
  const isWire = (path: string) => path.startsWith(ANNOTATIONS) && isWireAnnotation(path.slice(ANNOTATIONS.length))
  const paths = difference(object, made).filter((path) => !isWire(path))
  return finding('GroupChanged', `${describe(made)} changed: ${listNames(paths)}`, { subject })
}

export function removedFinding({ object }: Item, { enabled, subject }: Rendering): Finding {
  const group = object.metadata.annotations?.[GROUP]
  const why = enabled ? `there is no node or shape for ${group ?? 'it'} any more` : 'the policy is disabled'
  return finding('GroupRemoved', `${describe(object)} is removed: ${why}`, { subject })
}

export function foreignFinding(foreign: Item, policy: string): Finding {
  const owner = ownerOf(foreign.object)
  const who = owner === undefined ? 'is not rendered by nodefit' : `is owned by ${owner}`
  return finding('ForeignObject', `${policy} needs the name of ${describe(foreign.object)}, which ${who}`, {
    subject: foreign.object,
  })
}
