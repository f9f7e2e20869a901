import { memberOf } from '../../krm/map.ts'
import { ownerOf } from '../../krm/remembered.ts'
import { parseDuration } from '../../kube/index.ts'
import { isSizingPolicy } from '../../policy/index.ts'
import type { Plan } from '../../types.ts'
import { untilOf } from '../../view/index.ts'
import { once } from '../../world/index.ts'
import type { FileChanges } from '../git/repository.ts'
import type { Projection } from '../nodes/project.ts'
import { changeDigest, inputDigest, outputDigest } from './digests.ts'
import { effectOf } from './effect-of.ts'
import type { Effect, EffectSettings, Evaluation } from './evaluation.ts'
import { type MessageParts, messageOf, summaryOf } from './message.ts'
import { saidNodes } from './node-changes.ts'
import { saidChanges } from './object-changes.ts'
import { INVENTORY, type Owned } from './owned-folder.ts'
import { findingsOf, guardOf, otherSource, type Rendered, renderedWith } from './rendered.ts'

/** What is decided about: the repository, what the owned folder has, and what it is to hold. */
export interface Inputs {
  readonly root: string
  readonly owned: Owned
  readonly own: Owned['files']
  readonly projection: Projection
  /** Milliseconds since 1970, in whole seconds. */
  readonly time: number
  readonly settings: EffectSettings
}

/** Renders with what Git has and with what it is to have, and tells what comes of the difference. */
export function decide(inputs: Inputs): Evaluation {
  const { owned, own, settings, time, projection } = inputs
  const next = renderedWith(sourceOf(inputs), own)
  const findings = findingsOf(next)
  const oldest =
    settings.maxAge === undefined || owned.observedAt === undefined ? undefined : owned.observedAt + settings.maxAge
  const rendered = next.kind === 'rendered' ? untilOf(next.plan)?.getTime() : undefined
  const asked = next.kind === 'rendered' ? askedInterval(next.plan) : undefined
  const until = nextOf([projection.until, oldest, rendered, asked === undefined ? undefined : time + asked], time)
  const wrong = otherSource(next.items, own.get(INVENTORY) ?? '', settings.cluster) ?? guardOf(next)
  if (wrong !== undefined) return { kind: 'stopped', sentence: wrong, until, findings }
  const before = once(() => renderedWith(sourceOf(inputs), owned.files))
  const effect =
    effectOf({ owned, projection, next, before }) ??
    (projection.isOverdue ? 'inventory' : oldest !== undefined && oldest <= time ? 'age' : undefined)
  const failure = next.kind === 'failed' ? next.sentence : undefined
  if (effect === undefined) return { kind: 'unchanged', why: 'effect', until, failure, findings }
  const reportingMembers = effect === 'age' ? next : weigh(inputs, next, before)
  const guard = guardOf(reportingMembers)
  if (guard !== undefined) return { kind: 'stopped', sentence: guard, until, findings: findingsOf(reportingMembers) }
  const parts = partsOf(inputs, effect, next, reportingMembers)
  const commit = {
    changes: changesOf(inputs, next),
    message: messageOf(parts, settings.template),
    digest: changeDigest({ owned, projection, next, settings }),
  }
  return { kind: 'commit', commit, effect, until, summary: summaryOf(parts), failure, findings }
}

function sourceOf({ root, settings: { folder, packages, output } }: Inputs): Parameters<typeof renderedWith>[0] {
  return { root, folder, packages, output }
}

/**
 * What the render changes of what is applied. Where others render from the repository, that is held against what they render from what Git
 * has: the guards count from it, too.
 */
function weigh(inputs: Inputs, next: Rendered, before: () => Rendered): Rendered {
  const { owned, own, settings } = inputs
  const isSeen = next.items.some(({ object }) => ownerOf(object) !== undefined)
  if (settings.output !== undefined || isSeen || next.kind !== 'rendered' || !owned.files.has(INVENTORY)) return next
  if (before().kind !== 'rendered') return next
  const first = renderedWith(sourceOf(inputs), owned.files, [])
  const second = first.kind === 'rendered' ? renderedWith(sourceOf(inputs), own, first.manifests) : next
  // an error that is not a guard's is one of rendering twice
  return second.kind === 'rendered' || guardOf(second) !== undefined ? second : next
}

function partsOf(
  { owned, projection, settings }: Inputs,
  effect: Effect,
  next: Rendered,
  reportingMembers: Rendered,
): MessageParts {
  const { cluster, version, folder, packages, output } = settings
  return {
    effect,
    isFirst: !owned.files.has(INVENTORY),
    changes:
      reportingMembers.kind === 'rendered' && effect !== 'age'
        ? saidChanges(reportingMembers.plan)
        : { brief: '', lines: [] },
    nodes: saidNodes(owned.known.shapes, projection.shapes, settings.retainShapes),
    failure: next.kind === 'failed' ? next.sentence : undefined,
    trailers: {
      cluster,
      effect,
      version,
      folder,
      packages,
      output,
      inputDigest: inputDigest(next.items, next.earlier),
      outputDigest: next.kind === 'rendered' ? outputDigest(next.manifests) : undefined,
    },
  }
}

function changesOf({ owned, own, settings: { folder, output = '' } }: Inputs, next: Rendered): FileChanges {
  const write = new Map<string, string>()
  const remove: string[] = []
  for (const [name, text] of own) if (owned.files.get(name) !== text) write.set(`${folder}/${name}`, text)
  for (const name of owned.files.keys()) if (!own.has(name)) remove.push(`${folder}/${name}`)
  const change = next.kind === 'rendered' ? next.change : undefined
  for (const [name, text] of change?.write ?? []) write.set(`${output}/${name}`, text)
  for (const name of change?.remove ?? []) remove.push(`${output}/${name}`)
  return { write, remove }
}

const NANOSECONDS = 1_000_000n
/** A policy cannot ask for more. */
const SHORTEST = 10_000

/**
 * The shortest `reconcileInterval` of the policies that were planned, in milliseconds and at least ten seconds: so long may it take to the
 * next evaluation. Undefined where no policy says one.
 */
export function askedInterval({ packages }: Plan): number | undefined {
  const texts = packages
    .flatMap(({ planned }) => planned)
    .filter(({ subject, isEnabled }) => isEnabled && isSizingPolicy(subject.object))
    .map(({ subject }) => memberOf(memberOf(subject.object, 'spec'), 'reconcileInterval'))
  const intervals = texts.flatMap((text) =>
    typeof text === 'string' ? [Number(parseDuration(text) / NANOSECONDS)] : [],
  )
  return intervals.length === 0 ? undefined : Math.max(Math.min(...intervals), SHORTEST)
}

/** The earliest of some instants after a time, all in milliseconds since 1970; rounded up, since an evaluation knows whole seconds only. */
export function nextOf(instants: ReadonlyArray<number | undefined>, time: number): Date | undefined {
  const next = instants.flatMap((one) => (one !== undefined && one > time ? [one] : []))
  return next.length === 0 ? undefined : new Date(Math.ceil(Math.min(...next) / 1000) * 1000)
}
