/** A field that differs, in words: with its values where they are no secret. */
import * as assert from 'uvu/assert'
import { fieldText } from '../../src/fate/change-findings.ts'
import { difference } from '../../src/krm/difference.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { daemonSet } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const POD = 'spec.template.spec'
const IMAGE = 'registry.example.com/platform/observability/fluent-bit'
const long = (count: number) => 'x'.repeat(count)

const ROWS: Array<[path: string, before: unknown, after: unknown, text: string]> = [
  [`${POD}.nodeSelector.pool`, 'a', 'b', 'a -> b'],
  [`${POD}.tolerations.0.key`, undefined, 'x', 'none -> x'],
  [`${POD}.affinity`, undefined, {}, 'none -> {}'],
  [`${POD}.priorityClassName`, 'low', undefined, 'low -> none'],
  [`${POD}.initContainers.0.resources.limits.cpu`, '1', '2', '1 -> 2'],
  [`${POD}.initContainers.1.image`, 'a:1', 'a:2', 'a:1 -> a:2'],
  [`${POD}.containers.0.imagePullPolicy`, 'Always', 'Never', ''],
  [`${POD}.containers.0.command.0`, 'a', 'b', ''],
  [`${POD}.volumes.0.hostPath.path`, '/a', '/b', ''],
  ['spec.updateStrategy.type', 'OnDelete', 'RollingUpdate', 'OnDelete -> RollingUpdate'],
  ['spec.updateStrategyX', 'a', 'b', ''],
  ['spec.minReadySeconds', 1, 2, '1 -> 2'],
  ['metadata.annotations.nodefit.dev/nodes', '1', '2', '1 -> 2'],
  ['metadata.annotations.example.com/token', 'a', 'b', ''],
  ['spec.replicas', 'two words', '', '"two words" -> ""'],
  ['spec.replicas', long(40), long(41), `...${long(14)} -> ...${long(15)}`],
  ['spec.replicas', '😀'.repeat(40), '😀'.repeat(41), `...${'😀'.repeat(14)} -> ...${'😀'.repeat(15)}`],
  ['spec.replicas', long(20), `${long(20)}${'y'.repeat(60)}`, `${long(20)} -> ${long(20)}${'y'.repeat(17)}...`],
  [
    'spec.replicas',
    `${long(50)}a${long(60)}`,
    `${long(50)}b${long(60)}`,
    `...${long(14)}a${long(19)}... -> ...${long(14)}b${long(19)}...`,
  ],
  ['spec.replicas', undefined, long(50), `none -> ${long(37)}...`],
  [`${POD}.containers.0.image`, `${IMAGE}:3.1.0`, `${IMAGE}:3.2.0`, '.../fluent-bit:3.1.0 -> .../fluent-bit:3.2.0'],
  [`${POD}.containers.0.image`, IMAGE, `${IMAGE}:3.2.0`, '...ity/fluent-bit -> ...ity/fluent-bit:3.2.0'],
]

const withEnv = (...names: string[]): KubernetesObject =>
  daemonSet({ containers: [{ name: 'agent', image: 'a', env: names.map((name) => ({ name, value: 'x' })) }] })

const VARIABLES: Array<[name: string, before: unknown, after: unknown, objects: KubernetesObject[], isShown: boolean]> =
  [
    ['an amount', '100MiB', '200MiB', [withEnv('MEM'), withEnv('MEM')], true],
    ['one that is new', undefined, '200MiB', [withEnv('MEM')], true],
    ['one that was no amount', 'hunter2', '200MiB', [withEnv('MEM'), withEnv('MEM')], false],
    ['one that becomes no amount', '100MiB', 'hunter2', [withEnv('MEM'), withEnv('MEM')], false],
    ['one that was a map', { a: 1 }, '1', [withEnv('MEM'), withEnv('MEM')], false],
    ['one that was another variable', '1234', '200MiB', [withEnv('PIN'), withEnv('MEM')], false],
    ['one that becomes another variable', '200MiB', '1234', [withEnv('MEM'), withEnv('PIN')], false],
  ]

suite('a field in words', (test) => {
  for (const [path, before, after, text] of ROWS)
    test(`${path} ${String(before).slice(0, 12)}`, () =>
      assert.is(fieldText({ path, before, after }, [], new Set()), text === '' ? path : `${path} ${text}`))
  for (const [name, before, after, objects, isShown] of VARIABLES)
    test(`a variable that nodefit computes: ${name}`, () => {
      const path = `${POD}.containers.0.env.0.value`
      const text = fieldText({ path, before, after }, objects, new Set(['MEM']))
      assert.is(text, isShown ? `${path} ${before ?? 'none'} -> ${after}` : path)
    })
  test('a list in the place of a map is another value, not another member', () =>
    assert.equal(difference({ a: ['x'] }, { a: { 0: 'x' } }), [{ path: 'a', before: ['x'], after: { 0: 'x' } }]))
})
