import type { Finding } from '../finding/index.ts'
import { isLabelValue, type Labels } from '../kube/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import { finding } from './codes.ts'
import type { Group } from './group.ts'
import type { Member, Without } from './membership.ts'
import { sanitize } from './name.ts'
import { remainderTerms } from './remainder.ts'
import { allOf, and, anyOf, notAll, type Terms } from './terms.ts'

const EMPTY = 'empty'
const MOST_TERMS = 64
const REMAINDER = { kind: 'remainder', id: 'remainder', namePart: 'remainder', aliases: ['remainder'] } as const

/**
 * Groups the members: explicit groups first, the first match wins; then by label values, where absent, empty and
 * each value are different things; at last the remainder, for values nobody has seen yet. Groups come in order of
 * their identity, whatever the order of the members.
 */
export function groupMembers(
  members: readonly Member[],
  settings: SizingSettings,
): { groups: Group[]; without: Without[]; findings: Finding[] } {
  const findings: Finding[] = []
  const alternatives = settings.explicitGroups.reduce(
    (count, { nodeSelector }) => count * Object.keys(nodeSelector).length,
    1,
  )
  if (alternatives > MOST_TERMS) {
    const sentence = `${settings.subject.metadata.name}: excluding the explicit groups takes ${alternatives} terms`
    return {
      groups: [],
      without: [],
      findings: [finding('TooManyTerms', sentence, { subject: settings.subject, field: { path: 'spec.groups' } })],
    }
  }
  const explicit = explicitGroups(members, settings)
  findings.push(...explicit.findings)
  const exclusion = (selector: Labels) => exclude(explicit.selectors, selector)
  const labelled = new Map<string, { values: string[]; members: Member[] }>()
  const unlabelled: Member[] = []
  for (const member of explicit.rest) {
    const values = settings.groupLabels.map((label) => ownValue(member.shape.labels, label))
    if (values.every((value) => value !== undefined)) {
      const key = JSON.stringify(values)
      const entry = labelled.get(key) ?? { values: values as string[], members: [] }
      entry.members.push(member)
      labelled.set(key, entry)
    } else unlabelled.push(member)
  }
  findings.push(...labelsOnNoNode(explicit.rest, settings))
  const groups = [...explicit.groups]
  for (const key of [...labelled.keys()].sort()) {
    const entry = labelled.get(key)
    if (entry === undefined) continue
    const illegal = entry.values.find((value) => !isLabelValue(value))
    if (illegal !== undefined)
      findings.push(finding('NameInvalid', `"${illegal}" is not the value of a label`, { subject: settings.subject }))
    groups.push(valueGroup(entry.values, entry.members, settings, exclusion))
  }
  const without: Without[] = []
  if (settings.defaultNodeGroup === '') {
    const nodes = unlabelled.flatMap((member) => member.nodes).sort()
    if (nodes.length > 0)
      without.push({
        reason: `the label ${settings.groupLabels.join(' or ')} is missing and there is no default group`,
        mayStay: false,
        nodes,
      })
  } else if (unlabelled.length > 0) groups.push(defaultGroup(unlabelled, settings, exclusion))
  if (settings.remainder && groups.length > 0) {
    const terms = and(
      remainderTerms(
        settings.groupLabels,
        [...labelled.values()].map(({ values }) => values),
      ),
      exclusion({}),
    )
    groups.push({ ...REMAINDER, nodeSelector: {}, terms, members })
  }
  return { groups, without, findings }
}

function explicitGroups(members: readonly Member[], settings: SizingSettings) {
  const findings: Finding[] = []
  let rest = [...members]
  const groups: Group[] = []
  const selectors: Labels[] = []
  for (const [index, { name, nodeSelector, ...rule }] of settings.explicitGroups.entries()) {
    const own = rest.filter(({ shape }) => carries(shape.labels, nodeSelector))
    const taken = new Set(own)
    rest = rest.filter((member) => !taken.has(member))
    if (own.length === 0) {
      const field = { path: `spec.groups.${index}.nodeSelector`, currentValue: nodeSelector }
      findings.push(
        finding('EmptyGroup', `${settings.subject.metadata.name}: group ${name} has no nodes`, {
          subject: settings.subject,
          field,
        }),
      )
    } else {
      const terms = exclude(selectors, nodeSelector)
      groups.push({
        kind: 'explicit',
        id: `group:${name}`,
        namePart: sanitize(name),
        aliases: [name],
        nodeSelector,
        terms,
        members: own,
        rule,
      })
    }
    selectors.push(nodeSelector)
  }
  return { groups, selectors, rest, findings }
}

function valueGroup(
  values: string[],
  members: Member[],
  settings: SizingSettings,
  exclusion: (selector: Labels) => Terms,
): Group {
  const nodeSelector = Object.fromEntries(settings.groupLabels.map((label, index) => [label, values[index] ?? '']))
  const text = values.map((value) => (value === '' ? EMPTY : value)).join('-')
  const namePart = sanitize(text)
  const raw = values.length === 1 ? values[0] : text
  return {
    kind: 'value',
    id: `value:${values.join(',')}`,
    namePart,
    aliases: [raw || EMPTY, namePart],
    value: raw,
    nodeSelector,
    terms: exclusion(nodeSelector),
    members,
  }
}

/** Nodes that lack one of the labels. */
function defaultGroup(
  members: Member[],
  { groupLabels, defaultNodeGroup }: SizingSettings,
  exclusion: (selector: Labels) => Terms,
): Group {
  const absent = anyOf(groupLabels.map((key) => ({ key, operator: 'DoesNotExist' })))
  const namePart = sanitize(defaultNodeGroup)
  return {
    kind: 'default',
    id: 'default',
    namePart,
    aliases: [defaultNodeGroup, namePart],
    nodeSelector: {},
    terms: and(absent, exclusion({})),
    members,
  }
}

/** Terms that keep out the nodes of earlier explicit groups; those the selector contradicts anyway are left out. */
function exclude(earlier: readonly Labels[], selector: Labels): Terms {
  const relevant = earlier.filter(
    (other) => !Object.entries(other).some(([key, value]) => (selector[key] ?? value) !== value),
  )
  const single = relevant.filter((other) => Object.keys(other).length === 1)
  const several = relevant.filter((other) => Object.keys(other).length > 1)
  const simple = allOf(
    single.flatMap((other) =>
      Object.entries(other).map(([key, value]) => ({ key, operator: 'NotIn', values: [value] })),
    ),
  )
  return several.reduce<Terms>((terms, other) => and(terms, notAll(other)), simple)
}

/** A label that no node has is a mistake, unless explicit groups took every node before it was looked at. */
function labelsOnNoNode(
  members: readonly Member[],
  { groupLabels, groupLabelPath, subject }: SizingSettings,
): Finding[] {
  if (members.length === 0) return []
  const missing = groupLabels.filter(
    (label) => !members.some(({ shape }) => ownValue(shape.labels, label) !== undefined),
  )
  return missing.map((label) =>
    finding('LabelOnNoNode', `${subject.metadata.name}: no node of the policy has the label ${label}`, {
      subject,
      field: { path: groupLabelPath, currentValue: label },
    }),
  )
}

function carries(labels: Labels, selector: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => ownValue(labels, key) === value)
}

function ownValue(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}
