import type { Rendered, Trust } from '../../core/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { describe } from '../../krm/identity.ts'
import { isDeepEqual, isMap, listOf, memberOf } from '../../krm/map.ts'
import { ACTIONS, ENDED, PROOF, REASON, REQUESTER } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { finding } from './codes.ts'
import { isTrustedImage } from './trust.ts'

/** An image that is named by its content. */
const PINNED = /@sha256:[0-9a-f]{64}$/

/** How much of a value a message shows: a Job that somebody made up may be of any size. */
const MOST_SHOWN = 200

/** What the Job of an earlier run may differ in from the one that its action gives now. */
export interface KeptOptions {
  readonly trust: Trust | undefined
  /** The arguments of a label Job for all keys of its action: an earlier one may have had fewer. */
  readonly widest?: readonly string[]
}

/**
 * Returns the Job of an earlier run as it is, since the template of a Job cannot be changed, or what is rendered where
 * there is none; with what nodefit says on it of the action. The earlier one must be a Job that the signed action can
 * give: it is compared, not believed. Another node affinity, labels and annotations that nodefit does not write, and
 * another image that the trust has do not count.
 */
export function keptOr(
  rendered: Rendered,
  jobs: ReadonlyMap<string, Item>,
  options: KeptOptions,
): { readonly rendered: Rendered; readonly findings: readonly Finding[] } {
  const earlier = jobs.get(rendered.object.metadata.name)
  if (earlier === undefined) return { rendered, findings: [] }
  const { object: subject } = earlier
  const kept = {
    rendered: { ...rendered, object: withOwnWords(subject, rendered.object), isKept: true } as const,
    findings: [],
  }
  const difference = differenceOf(subject, rendered.object, options)
  if (difference === undefined) return kept
  const [path, is, wanted] = difference
  const sentence = `${describe(subject)}: ${path} is ${valueText(is)}, and its signed action gives ${valueText(wanted)}`
  return { ...kept, findings: [finding('JobDiffers', sentence, { subject, field: { path, currentValue: is } })] }
}

/** What nodefit says on a Job of its action. */
const WORDS = [ACTIONS, REASON, REQUESTER, PROOF, ENDED]

/** An earlier Job with what nodefit says on it of its action; one of an earlier version lacks the action itself. */
function withOwnWords(earlier: KubernetesObject, { metadata: { annotations: own = {} } }: KubernetesObject) {
  const { annotations = {} } = earlier.metadata
  if (WORDS.every((key) => annotations[key] === own[key])) return earlier
  const others = Object.entries(annotations).filter(([key]) => !WORDS.includes(key) || Object.hasOwn(own, key))
  return { ...earlier, metadata: { ...earlier.metadata, annotations: { ...Object.fromEntries(others), ...own } } }
}

type Difference = readonly [path: string, is: unknown, wanted: unknown]

function differenceOf(is: KubernetesObject, wanted: KubernetesObject, options: KeptOptions): Difference | undefined {
  if (is.metadata.namespace !== wanted.metadata.namespace)
    return ['metadata.namespace', is.metadata.namespace, wanted.metadata.namespace]
  return within('spec', is.spec, wanted.spec, options)
}

/** Compares maps member by member, so that the path of what differs is known. */
function within(path: string, is: unknown, wanted: unknown, options: KeptOptions): Difference | undefined {
  if (path === 'spec.template.metadata') return undefined
  if (path === 'spec.template.spec.affinity') return affinityDifference(path, is)
  if (/^spec\.template\.spec\.(initContainers|containers)$/.test(path)) return containers(path, is, wanted, options)
  if (!isMap(is) || !isMap(wanted)) return isDeepEqual(is, wanted) ? undefined : [path, is, wanted]
  for (const key of [...new Set([...Object.keys(wanted), ...Object.keys(is)])]) {
    const found = within(`${path}.${key}`, is[key], wanted[key], options)
    if (found !== undefined) return found
  }
  return undefined
}

/** Where a Job runs does not count, as far as nodes say so. */
function affinityDifference(path: string, is: unknown): Difference | undefined {
  if (is === undefined) return undefined
  const other = isMap(is) ? Object.keys(is).find((key) => key !== 'nodeAffinity') : ''
  return other === undefined
    ? undefined
    : [other === '' ? path : `${path}.${other}`, memberOf(is, other) ?? is, undefined]
}

function containers(path: string, is: unknown, wanted: unknown, options: KeptOptions): Difference | undefined {
  const [own, given] = [listOf(is), listOf(wanted)]
  if (own.length !== given.length) return [path, own.map(containerName), given.map(containerName)]
  for (const [index, one] of own.entries()) {
    const other = given[index]
    if (!isMap(one) || !isMap(other)) return [`${path}.${index}`, one, other]
    for (const key of [...new Set([...Object.keys(other), ...Object.keys(one)])]) {
      const isSame =
        isDeepEqual(one[key], other[key]) ||
        (key === 'image' && isKeptImage(one[key], options.trust)) ||
        (key === 'args' && isFewer(one[key], options.widest))
      if (!isSame) return [`${path}.${index}.${key}`, one[key], other[key]]
    }
  }
  return undefined
}

const containerName = (container: unknown) => memberOf(container, 'name')

/** Whether a Job that was begun with another image may go on: one of the trust; by digest where the package decides. */
function isKeptImage(image: unknown, trust: Trust | undefined): boolean {
  return typeof image === 'string' && PINNED.test(image) && (trust === undefined || isTrustedImage(image, trust))
}

/** Whether the arguments of a label Job are some of those for all keys, each once. */
function isFewer(args: unknown, widest: readonly string[] | undefined): boolean {
  if (widest === undefined || !Array.isArray(args)) return false
  const [head, rest] = [widest.slice(0, 3), new Set(widest.slice(3))]
  const more = args.slice(3)
  return isDeepEqual(args.slice(0, 3), head) && new Set(more).size === more.length && more.every((one) => rest.has(one))
}

function valueText(value: unknown): string {
  const text = value === undefined ? 'nothing' : typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}...` : text
}
