import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './hosts.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

interface Listed {
  readonly what: string
  readonly hosts: readonly string[]
  readonly reason: string
}

/** All that may differ between hosts: order, a host's own annotations, ours that only the next run reads, a field that follows one, and a label that depends on what was kept back. */
const MAY_BE_LISTED =
  /^(order|order of fields|annotation ((internal\.)?config\.kubernetes\.io\/\S+|nodefit\.dev\/(basis|begun|cluster|namespace|nodes|rendered|selector))|field spec\.window\.startTime of a Ticket|label korder\.dev\/order of a Ticket)$/
const ANNOTATION = /^annotation (.*)$/

/** What is known to differ on a host, sorted. Throws where the list has what may not differ, no reason, or an unknown host. */
export function listedDifferences(host: string, hosts: readonly string[]): string[] {
  const listed = JSON.parse(readFileSync(join(ROOT, 'e2e/differences.json'), 'utf8')) as Listed[]
  for (const { what, hosts: named, reason } of listed) {
    if (!MAY_BE_LISTED.test(what)) throw new Error(`${what} must not differ`)
    if (reason.length < 20) throw new Error(`${what} differs without a reason`)
    for (const name of named) if (!hosts.includes(name)) throw new Error(`there is no host ${name}`)
  }
  return listed
    .filter((one) => one.hosts.includes(host))
    .map(({ what }) => what)
    .sort()
}

/** What of a Ticket may be listed, and the Ticket without it. */
const OF_TICKETS: ReadonlyArray<readonly [what: string, without: (ticket: Any) => Any]> = [
  ['field spec.window.startTime of a Ticket', withoutBegin],
  ['label korder.dev/order of a Ticket', withoutOrderLabel],
]

/** How what came out of a host differs from what has to: order and annotations by name, all else by object. */
export function differencesOf(expected: readonly Any[], found: readonly Any[]): Set<string> {
  const differences = new Set<string>()
  const [wanted, there] = [expected.map(identityOf), found.map(identityOf)]
  const byIdentity = new Map(found.map((object) => [identityOf(object), object]))
  if (there.length !== byIdentity.size) differences.add('an object comes twice')
  for (const name of wanted) if (!byIdentity.has(name)) differences.add(`${name} is missing`)
  for (const name of there) if (!wanted.includes(name)) differences.add(`${name} is there`)
  if (differences.size > 0) return differences
  if (wanted.join() !== there.join()) differences.add('order')
  for (const object of expected)
    for (const one of ofObject(object, byIdentity.get(identityOf(object)))) differences.add(one)
  return differences
}

/** Annotations that are listed for a host, and are there in what it rendered all the same. */
export function writtenAllTheSame(listed: readonly string[], found: readonly Any[]): string[] {
  const keys = new Set(listed.flatMap((what) => ANNOTATION.exec(what)?.[1] ?? []))
  return found.flatMap((object) =>
    Object.keys(object.metadata.annotations ?? {})
      .filter((key) => key.startsWith('nodefit.dev/') && keys.has(key))
      .map((key) => `${identityOf(object)} has ${key}`),
  )
}

function ofObject(expected: Any, found: Any): string[] {
  const [wanted, there] = [expected.metadata.annotations ?? {}, found.metadata.annotations ?? {}]
  const annotations = [...new Set([...Object.keys(wanted), ...Object.keys(there)])]
    .filter((key) => wanted[key] !== there[key])
    .map((key) => `annotation ${key}`)
  const [one, other] = [withoutAnnotations(expected), withoutAnnotations(found)]
  if (JSON.stringify(one) === JSON.stringify(other)) return annotations
  const isSame = (change: (object: Any) => Any) =>
    JSON.stringify(change(one), sorted) === JSON.stringify(change(other), sorted)
  if (isSame((object) => object)) return [...annotations, 'order of fields']
  if (expected.kind === 'Ticket') {
    for (const [what, without] of OF_TICKETS) if (isSame(without)) return [...annotations, what]
    if (isSame((ticket) => OF_TICKETS.reduce((rest, [, without]) => without(rest), ticket)))
      return [...annotations, ...OF_TICKETS.map(([what]) => what)]
  }
  return [...annotations, `${identityOf(expected)} has other fields`]
}

function identityOf({ apiVersion, kind, metadata }: Any): string {
  return `${apiVersion} ${kind} ${metadata.namespace ?? ''}/${metadata.name}`
}

function withoutAnnotations(object: Any): Any {
  const { annotations: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** A Ticket of the window dialect without what says when it began; that follows `nodefit.dev/begun`. */
function withoutBegin(ticket: Any): Any {
  const { window: { startTime: _, ...window } = {} as Any, ...spec } = ticket.spec
  return { ...ticket, spec: { ...spec, window } }
}

/** A Ticket without the label by which older versions of korder claim. */
function withoutOrderLabel({ metadata, ...ticket }: Any): Any {
  const { 'korder.dev/order': _, ...labels } = metadata.labels ?? {}
  return { ...ticket, metadata: { ...metadata, labels } }
}

/** For JSON.stringify: maps with their keys in order. */
function sorted(_key: string, value: Any): Any {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
