/** Which nodes go from one object to another in a sync, and in which waves, as gitops-engine 0.7 orders its tasks. */
import * as assert from 'uvu/assert'
import { handOvers, prunedLast, waitsBetweenWaves, waveOf } from '../../../src/core/object/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { daemonSet, fleetShape } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const WAVE = 'argocd.argoproj.io/sync-wave'
const OPTIONS = 'argocd.argoproj.io/sync-options'
/** A DaemonSet on the nodes of a pool, in a wave. */
const of = (name: string, pool: string, wave?: number | string, options?: string): KubernetesObject =>
  daemonSet(
    { nodeSelector: { pool } },
    {
      name,
      annotations: {
        ...(wave === undefined ? {} : { [WAVE]: String(wave) }),
        ...(options === undefined ? {} : { [OPTIONS]: options }),
      },
    },
  )
const all = (name: string, wave: number) => daemonSet({}, { name, annotations: { [WAVE]: String(wave) } })
const pool = (name: string, nodes: string[], more: object = {}) => ({ ...fleetShape({ pool: name }, nodes), ...more })
const SHAPES = [pool('a', ['a-2']), pool('b', ['b-1']), pool('a', ['a-1', 'a-3'])]
const text = (before: KubernetesObject[], after: KubernetesObject[], shapes = SHAPES) =>
  handOvers(before, after, shapes).map((one) => {
    const how = `${one.from}${one.isDeleted ? ' (deleted)' : ''} in ${one.release} to ${one.to} in ${one.start}`
    return `${how}: ${one.nodeCount}, ${one.nodes.join()}${waitsBetweenWaves(one) ? ', wait' : ''}`
  })

suite('nodes that change hands in a sync', (test) => {
  const cases: Array<[what: string, before: KubernetesObject[], after: KubernetesObject[], expected: string[]]> = [
    ['none where the same object serves them', [of('x', 'a')], [of('x', 'a', 3)], []],
    ['none where nothing served them', [], [of('x', 'a', 3)], []],
    ['none where nothing serves them', [of('x', 'a', 3)], [], []],
    [
      'of several shapes, by name, in one wave',
      [of('x', 'a', 1), of('y', 'b', 1)],
      [of('z', 'a', 1), of('y', 'b', 1)],
      ['x (deleted) in 1 to z in 1: 3, a-1,a-2,a-3'],
    ],
    ['a wave earlier', [of('x', 'a', 1)], [of('z', 'a', 0)], ['x (deleted) in 1 to z in 0: 3, a-1,a-2,a-3']],
    ['a wave later', [of('x', 'a', 1)], [of('z', 'a', 2)], ['x (deleted) in 1 to z in 2: 3, a-1,a-2,a-3, wait']],
    [
      'from one that is still there, by the wave that it gets',
      [all('x', 5)],
      [of('x', 'b', 1), of('z', 'a', 2)],
      ['x in 1 to z in 2: 3, a-1,a-2,a-3, wait'],
    ],
    [
      'from several to one',
      [of('x', 'a', 0), of('y', 'b', 0)],
      [all('z', 0)],
      ['x (deleted) in 0 to z in 0: 3, a-1,a-2,a-3', 'y (deleted) in 0 to z in 0: 1, b-1'],
    ],
    [
      'what is deleted goes in reverse order of its waves, whatever else has them',
      [of('x', 'a', 7), of('y', 'b', -2), of('w', 'none', 3)],
      [all('z', 0)],
      ['x (deleted) in -2 to z in 0: 3, a-1,a-2,a-3, wait', 'y (deleted) in 7 to z in 0: 1, b-1'],
    ],
    [
      'or after the last wave of all, that of other deletions, too',
      [of('x', 'a', 0, 'Validate=false, PruneLast=true'), of('y', 'b', 4)],
      [all('z', 3)],
      ['x (deleted) in 5 to z in 3: 3, a-1,a-2,a-3', 'y (deleted) in 0 to z in 3: 1, b-1, wait'],
    ],
    [
      'which is at least the one after 0',
      [of('x', 'a', -5, 'PruneLast=true')],
      [of('z', 'a', -3)],
      ['x (deleted) in 1 to z in -3: 3, a-1,a-2,a-3'],
    ],
    [
      'a wave that is no number is 0, as an option of another value is none',
      [of('x', 'a', 'first', 'PruneLast=false')],
      [of('z', 'a', '+1')],
      ['x (deleted) in 0 to z in 1: 3, a-1,a-2,a-3, wait'],
    ],
  ]
  for (const [what, before, after, expected] of cases) test(what, () => assert.equal(text(before, after), expected))
  test('nodes without names are counted', () =>
    assert.equal(text([of('x', 'a')], [of('z', 'a')], [pool('a', [], { nodeCount: 7 }), pool('a', ['a-1'])]), [
      'x (deleted) in 0 to z in 0: 8, a-1',
    ]))
  test('an object of which no pod can be read hands nothing over', () => {
    const odd = { ...of('odd', 'a'), spec: { template: { spec: { containers: 'none' } } } }
    assert.equal([text([odd], [of('z', 'a')]), text([of('x', 'a')], [odd])], [[], []])
  })
  test('the option is added to those that are there, once', () => {
    const options = (written?: string) => prunedLast(of('x', 'a', 0, written))[OPTIONS]
    assert.equal(
      [options(), options(''), options('Validate=false'), options(' PruneLast=true ,Replace=true')],
      ['PruneLast=true', 'PruneLast=true', 'Validate=false,PruneLast=true', 'PruneLast=true,Replace=true'],
    )
  })
  test('a wave is read as Argo CD reads it', () =>
    assert.equal(
      [undefined, '3', '-3', '+3', '3.5', ' 3', ''].map((wave) => waveOf(of('x', 'a', wave))),
      [0, 3, -3, 3, 0, 0, 0],
    ))
})
