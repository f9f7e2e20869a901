import type { Finding, Subject } from '../krm/finding/index.ts'
import { parseDuration, unlessMalformed } from '../kube/index.ts'
import { finding, invalidValue, refusedValue } from './codes.ts'
import type { SizingPolicy } from './generated/types.ts'

/** How many nodes may get a new agent at once, and how the others are held back. */
export interface Rollout {
  /** Returns how many of a policy's nodes may change at once. */
  readonly mostOf: (nodeCount: number) => number
  /** As written. */
  readonly maxNodes: string
  /** The interval between batches, in nanoseconds; undefined if groups follow each other in sync waves. */
  readonly every?: bigint
}

const PERCENTAGE = /^(100|[1-9][0-9]?)%$/

/** Reads `rollout`: a node count or percentage, and either an interval or waves. */
export function readRollout(
  written: SizingPolicy['spec']['rollout'],
  subject: Subject,
  path = 'spec.rollout',
): { rollout?: Rollout; findings: Finding[] } {
  if (written === undefined) return { findings: [] }
  const { maxNodes, every, waves = false } = written
  const mostOf = readMost(maxNodes)
  const time = every === undefined ? undefined : readTime(every)
  const bad = (field: string, value: unknown, wanted: string) =>
    invalidValue(subject, `${path}.${field}`, String(value), wanted)
  const missing = finding('InvalidField', `${subject.metadata.name}: spec.rollout needs every, or waves: true`, {
    subject,
    field: { path: 'spec.rollout.every' },
  })
  const findings = [
    ...(mostOf === undefined ? [bad('maxNodes', maxNodes, 'a positive number or a percentage from 1% to 100%')] : []),
    ...(every !== undefined && time === undefined ? [bad('every', every, 'a positive duration, such as 10m')] : []),
    ...(waves && every !== undefined
      ? [refusedValue(subject, 'spec.rollout.waves', 'true', 'cannot be set together with every')]
      : []),
    ...(!waves && every === undefined ? [missing] : []),
  ]
  if (mostOf === undefined || findings.length > 0) return { findings }
  return { rollout: { mostOf, maxNodes: String(maxNodes), every: time }, findings }
}

function readMost(maxNodes: string | number): Rollout['mostOf'] | undefined {
  if (typeof maxNodes === 'number') return maxNodes > 0 ? () => maxNodes : undefined
  const percentage = PERCENTAGE.exec(maxNodes)?.[1]
  return percentage === undefined ? undefined : (count) => Math.floor((count * Number(percentage)) / 100)
}

function readTime(every: string): bigint | undefined {
  const time = unlessMalformed(() => parseDuration(every))
  return time !== undefined && time > 0n ? time : undefined
}
