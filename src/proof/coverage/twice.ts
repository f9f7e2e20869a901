import type { Finding } from '../../finding/index.ts'
import { describe } from '../../krm/identity.ts'
import { firstOverlap } from '../../kube/index.ts'
import { finding } from '../codes.ts'
import type { Served } from './places.ts'
import { nodeText } from './words.ts'

/** No node may be served by two objects of one policy; the first two that meet are named. */
export function twiceFindings(served: readonly Served[]): Finding[] {
  const meeting = firstOverlap(served.map(({ region }) => region))
  const [one, other] = meeting === undefined ? [] : [served[meeting.later], served[meeting.earlier]]
  if (meeting === undefined || one === undefined || other === undefined) return []
  const sentence = `${describe(other.object)} and ${describe(one.object)} would both run on ${nodeText(meeting.node)}`
  const subject = one.by.subject.object
  return [finding('CoveredTwice', sentence, { subject, field: { path: 'spec', currentValue: meeting.node } })]
}
