import { type Finding, listNames } from '../finding/index.ts'
import { describe } from '../krm/identity.ts'
import { OWNED_BY } from '../krm/remembered.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { foreignOwners } from '../object/index.ts'
import { finding } from './codes.ts'

/**
 * Said of a template as long as it carries marks of others that apply it: they bring it back beside what is rendered from it. A
 * ConfigMap may come back, since it does nothing by itself; only what somebody recorded on it is said.
 */
export function ownedElsewhereFindings(subject: KubernetesObject): Finding[] {
  if (subject.kind === 'ConfigMap' && subject.metadata.annotations?.[OWNED_BY] === undefined) return []
  const owners = foreignOwners(subject)
  if (owners.length === 0) return []
  const texts = owners.map(({ text, off }) => `${text} (can be switched off ${off})`)
  const sentence = `${describe(subject)} is also applied by ${listNames(texts, texts.length)}, which ${owners.length === 1 ? 'brings' : 'bring'} it back beside what is rendered from it`
  return [finding('OwnedElsewhere', sentence, { subject })]
}
