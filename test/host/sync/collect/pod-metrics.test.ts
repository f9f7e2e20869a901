/** The scale that usage is told on, and what the metrics API says. */
import * as assert from 'uvu/assert'
import { CPU_SCALE, MEMORY_SCALE, type Scale } from '../../../../src/facts/usage/index.ts'
import { samplesIn } from '../../../../src/host/sync/collect/metrics-poll.ts'
import { Quantity } from '../../../../src/kube/index.ts'
import { suite } from '../../../support/suite.ts'

suite('the scale of usage', (test) => {
  const ROWS: Array<[name: string, scale: Scale, amount: string, want: string]> = [
    ['nothing is the first step', CPU_SCALE, '0', '10m'],
    ['a little is the first step', CPU_SCALE, '1234567n', '10m'],
    ['the first step itself', CPU_SCALE, '10m', '10m'],
    ['anything more is the next', CPU_SCALE, '10000001n', '11m'],
    ['one unit where that is more than 5 %', CPU_SCALE, '19500u', '20m'],
    ['5 % that are a whole unit', CPU_SCALE, '20500u', '21m'],
    ['5 % rounded up', CPU_SCALE, '22m', '23m'],
    ['a step is rounded up to', CPU_SCALE, '101m', '102m'],
    ['whole cores', CPU_SCALE, '2', '2076m'],
    ['more than there is', CPU_SCALE, '9E', '1045130913m'],
    ['memory in whole Mi', MEMORY_SCALE, '10Mi', '10Mi'],
    ['a byte more', MEMORY_SCALE, '10485761', '11Mi'],
    ['Ki, as the kubelet measures', MEMORY_SCALE, '317440Ki', '318Mi'],
    ['a lot', MEMORY_SCALE, '4Gi', '4120Mi'],
  ]
  for (const [name, scale, amount, want] of ROWS)
    test(name, () => assert.is(scale.quantityText(scale.stepOf(Quantity.parse(amount))), want))
  for (const [name, scale, unit] of [
    ['cpu', CPU_SCALE, 'm'],
    ['memory', MEMORY_SCALE, 'Mi'],
  ] as const)
    test(`of ${name} never says less than was used, nor 5 % and a unit more`, () => {
      for (let amount = 10; amount < 5_000_000; amount = Math.ceil(amount * 1.013)) {
        const said = Quantity.parse(scale.quantityText(scale.stepOf(Quantity.parse(`${amount}${unit}`))))
        assert.ok(said.compare(Quantity.parse(`${amount}${unit}`)) >= 0, String(amount))
        assert.ok(said.compare(Quantity.parse(`${Math.floor(amount * 1.05) + 1}${unit}`)) <= 0, String(amount))
      }
    })
})

suite('PodMetrics', (test) => {
  const at = '2026-11-20T12:00:00Z'
  const list = (containers: unknown, more: object = {}) => ({
    items: [{ metadata: { name: 'p', namespace: 'n' }, timestamp: at, containers, ...more }],
  })
  const sample = { namespace: 'n', pod: 'p', at: Date.parse(at), container: 'c' }
  const ROWS: Array<[name: string, answer: unknown, want: unknown[]]> = [
    ['an empty list', { items: [] }, []],
    ['nothing', undefined, []],
    ['no list', { items: 'none' }, []],
    [
      'both resources, in every notation',
      list([{ name: 'c', usage: { cpu: '20000000n', memory: '20480Ki' } }]),
      [{ ...sample, cpu: 20_000_000, memory: 20 }],
    ],
    ['memory in whole MiB', list([{ name: 'c', usage: { memory: '20481Ki' } }]), [{ ...sample, memory: 21 }]],
    [
      'one of which cannot be read',
      list([{ name: 'c', usage: { cpu: 'much', memory: '10Mi' } }]),
      [{ ...sample, memory: 10 }],
    ],
    [
      'what a counter that has overflowed says',
      list([{ name: 'c', usage: { cpu: '18446744073709551615n', memory: '18446744073709551615' } }]),
      [sample],
    ],
    ['less than nothing', list([{ name: 'c', usage: { cpu: '-1', memory: '-1Gi' } }]), [sample]],
    ['a container without a name', list([{ usage: { cpu: '1' } }]), []],
    ['a container without usage', list([{ name: 'c' }]), []],
    ['no containers', list(null), []],
    ['a pod without a name', list([{ name: 'c', usage: {} }], { metadata: { namespace: 'n' } }), []],
    ['a pod without a namespace', list([{ name: 'c', usage: {} }], { metadata: { name: 'p' } }), []],
    ['a time that is none', list([{ name: 'c', usage: {} }], { timestamp: 'now' }), []],
    ['no time', list([{ name: 'c', usage: {} }], { timestamp: undefined }), []],
  ]
  for (const [name, answer, want] of ROWS) test(name, () => assert.equal([...samplesIn(answer)], want))
})
