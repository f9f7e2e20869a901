/** The laws of regions, whatever the pods and nodes: against matchesNode, daemonEligibility and sets. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  daemonEligibility,
  firstOverlap,
  isDns1123Subdomain,
  isQualifiedName,
  matchesNode,
  type NodeIdentity,
  type PodPlacement,
  Region,
  regionOfPod,
} from '../../src/kube/index.ts'
import { anyNode, isLegal, node, placement } from '../support/draw-nodes.ts'
import { suite } from '../support/suite.ts'

const LIMIT = 1000
const without = (from: Region, ...regions: Region[]) => {
  const left = from.minus(Region.union(regions), LIMIT)
  assert.ok(left !== undefined)
  return left as Region
}
const pair = fc.tuple(placement, placement)
const regions = placement.map(regionOfPod)
const isNode = ({ name, labels }: NodeIdentity) =>
  isDns1123Subdomain(name) && isLegal(labels) && Object.keys(labels).every(isQualifiedName)

suite('Region, whatever the pods and nodes', (test) => {
  test('a node is in a region where the DaemonSet’s pod may be on it', () => {
    fc.assert(
      fc.property(placement, node, (pod, one) => {
        const isNamed = !pod.nodeName || pod.nodeName === one.name
        const inRegion = regionOfPod(pod).has(one)
        assert.is(inRegion, isNamed && matchesNode(one, pod))
        assert.is(inRegion, daemonEligibility({ spec: pod }, { metadata: one }).shouldRun)
      }),
      { numRuns: 500 },
    )
  })
  test('also a node with labels that no node should have, where the region has alternatives', () => {
    fc.assert(
      fc.property(placement, anyNode, (pod, one) => {
        const region = regionOfPod(pod)
        if (region.has(one)) assert.ok(matchesNode(one, pod))
      }),
      { numRuns: 500 },
    )
  })
  test('a witness is a node that may be, and matches; where there is none, no node does', () => {
    fc.assert(
      fc.property(placement, node, (pod, drawn) => {
        const region = regionOfPod(pod)
        const witness = region.witness()
        assert.is(witness === undefined, region.isEmpty())
        if (witness === undefined) assert.not(matchesNode(drawn, pod) && (!pod.nodeName || pod.nodeName === drawn.name))
        else {
          assert.ok(isNode(witness))
          assert.ok(daemonEligibility({ spec: pod }, { metadata: witness }).shouldRun)
        }
      }),
      { numRuns: 500 },
    )
  })
  test('and, or and minus are those of sets', () => {
    fc.assert(
      fc.property(regions, regions, node, (left, right, one) => {
        const [inLeft, inRight] = [left.has(one), right.has(one)]
        const [both, rest] = [left.and(right), without(left, right)]
        assert.is(both.has(one), inLeft && inRight)
        assert.is(left.or(right).has(one), inLeft || inRight)
        assert.is(rest.has(one), inLeft && !inRight)
        assert.is(rest.or(both).has(one), inLeft)
        assert.is(without(Region.everywhere, without(Region.everywhere, left)).has(one), inLeft)
        assert.is(left.meets(right), !both.isEmpty())
        assert.not(rest.meets(right))
        assert.not(rest.alternatives.some((part) => part.isEmpty() || part.witness() === undefined))
      }),
      { numRuns: 500 },
    )
  })
  test('a witness of what is left matches what it is left of, and not what was taken', () => {
    fc.assert(
      fc.property(pair, fc.array(placement, { maxLength: 3 }), ([pod, other], more) => {
        const taken = [other, ...more]
        const witness = without(regionOfPod(pod), ...taken.map(regionOfPod)).witness()
        if (witness === undefined) return
        const runs = (spec: PodPlacement) => daemonEligibility({ spec: spec as never }, { metadata: witness }).shouldRun
        assert.ok(isNode(witness))
        assert.ok(runs(pod))
        assert.not(taken.some(runs))
      }),
      { numRuns: 500 },
    )
  })
  test('what is left of one alternative is in parts that share no node', () => {
    fc.assert(
      fc.property(fc.array(regions, { maxLength: 3 }), node, (taken, one) => {
        const { alternatives } = without(Region.everywhere, ...taken)
        assert.ok(alternatives.filter((part) => part.has(one)).length <= 1)
        for (const [index, part] of alternatives.entries())
          for (const other of alternatives.slice(index + 1)) assert.not(part.meets(other))
      }),
      { numRuns: 500 },
    )
  })
  test('regions of which none meets another are disjoint, and a meeting is one', () => {
    fc.assert(
      fc.property(fc.array(regions, { maxLength: 4 }), node, (all, drawn) => {
        const meeting = firstOverlap(all)
        if (meeting === undefined) assert.ok(all.filter((region) => region.has(drawn)).length <= 1)
        else {
          assert.ok(meeting.earlier < meeting.later && isNode(meeting.node))
          assert.ok(all[meeting.earlier]?.has(meeting.node) && all[meeting.later]?.has(meeting.node))
        }
        const pairs = all.flatMap((left, index) => all.slice(index + 1).map((right) => left.meets(right)))
        assert.is(meeting === undefined, !pairs.includes(true))
      }),
      { numRuns: 500 },
    )
  })
  test('the order of what is taken changes nothing', () => {
    fc.assert(
      fc.property(fc.array(regions, { maxLength: 4 }), node, (taken, one) => {
        const [left, again] = [taken, [...taken].reverse()].map((all) => without(Region.everywhere, ...all))
        assert.is(left?.has(one), again?.has(one))
        assert.is(left?.isEmpty(), again?.isEmpty())
      }),
      { numRuns: 500 },
    )
  })
})
