/** What is said of the first render. */
import * as assert from 'uvu/assert'
import { changeLines } from '../../src/cli/first-render.ts'
import type { ResourceRequirements } from '../../src/kube/index.ts'
import type { Planned } from '../../src/world/index.ts'
import { daemonSet } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

/** A plan of one object for each group: its name, its nodes and what the container has there. */
const planOf = (groups: Array<[name: string, nodeCount: number, resources: ResourceRequirements]>) =>
  ({
    objects: groups.map(([name, nodeCount, resources]) => {
      const object = daemonSet({ containers: [{ name: 'agent', resources }] })
      return { object: { ...object, metadata: { ...object.metadata, name } }, nodeCount, nodes: [] }
    }),
  }) as unknown as Planned
const memory = (text: string) => ({ requests: { memory: text } })

suite('what the first render changes', (test) => {
  test('what stays, what changes, what appears and goes, and the totals by nodes', () => {
    const before = { requests: { cpu: '100m', memory: '1024Mi' }, limits: { cpu: '1' } }
    const groups = planOf([
      ['same', 2, { requests: { cpu: '0.1', memory: '1Gi' }, limits: { cpu: 1 } }],
      ['other', 3, { requests: { cpu: '100m', memory: '2Gi' }, limits: { memory: '4Gi' } }],
      ['empty', 0, {}],
    ])
    assert.equal(changeLines(groups, 'agent', before), [
      'same (2 nodes): as today',
      'other (3 nodes): requests memory 1024Mi -> 2Gi; limits cpu 1 -> none, memory none -> 4Gi',
      'all 5 nodes: requests cpu 500m, memory 5120Mi -> 8192Mi; limits cpu 5 -> 2, memory 0Mi -> 12288Mi',
    ])
  })
  test('as many groups as there are lines for are all there', () => {
    const linesOf = (length: number) =>
      changeLines(planOf(Array.from({ length }, (_, index) => [`g${index}`, 1, memory('2Gi')])), 'agent', memory('1Gi'))
    assert.match(linesOf(12).at(-2) ?? '', /^g11 /)
    assert.is(linesOf(13).at(-2), 'and 1 more')
  })
  test('of very many groups the first, and how many more', () => {
    const groups = planOf(Array.from({ length: 20 }, (_, index) => [`g${index}`, 1, memory('2Gi')]))
    const lines = changeLines(groups, 'agent', memory('1Gi'))
    assert.is(lines.length, 14)
    assert.is(lines.at(-2), 'and 8 more')
    assert.is(lines.at(-1), 'all 20 nodes: requests memory 20480Mi -> 40960Mi')
  })
  test('nothing at all', () => {
    assert.equal(changeLines(planOf([['a', 1, {}]]), 'agent', {}), [
      'a (1 node): as today',
      'all 1 node: nothing is requested',
    ])
  })
})
