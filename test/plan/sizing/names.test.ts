/** Rows N1 to N20 of the Kubescape report, section 3.1. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { assignNames, type Group, namesOf, plainName, sanitize } from '../../../src/plan/sizing/index.ts'
import { codes, settings } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const T = 'node-agent'
const A49 = 'a'.repeat(49)
const A60 = 'a'.repeat(60)

const SANITIZED: Array<[row: string, value: string, want: string]> = [
  ['N1', 'm5.large', 'm5-large'],
  ['N2', 'Standard_D4s_v3', 'standard-d4s-v3'],
  ['N3', 'n1-standard-4@us-central1', 'n1-standard-4-us-central1'],
  ['N5', '...', 'default'],
]

const NAMES: Array<[row: string, values: string[], want: string[]]> = [
  [
    'N6',
    ['this-is-a-very-long-instance-type-name-that-exceeds-the-maximum-allowed-length-for-dns-names'],
    ['node-agent-this-is-a-very-long-instance-type-name-that-exceed'],
  ],
  ['N7', ['m5-large'], ['node-agent-m5-large']],
  ['N8', ['gpu__pool..a'], ['node-agent-gpu-pool-a']],
  ['N9', ['VM.Standard.E4.Flex'], ['node-agent-vm-standard-e4-flex']],
  ['N10', ['m5.large', 'm5_large'], ['node-agent-m5-large-baa340', 'node-agent-m5-large-ad36e8']],
  [
    'N11',
    ['m5.large', 'm5-large', 'm5_large'],
    ['node-agent-m5-large-baa340', 'node-agent-m5-large-ca0acb', 'node-agent-m5-large-ad36e8'],
  ],
  ['N12', ['m5.large', 'M5.LARGE'], ['node-agent-m5-large-baa340', 'node-agent-m5-large-c54fa9']],
  ['N13', ['m5.large', 'm5.xlarge'], ['node-agent-m5-large', 'node-agent-m5-xlarge']],
  ['N14', [`${A49}.b`], [`node-agent-${A49}`]],
  ['N15', [`${A49}.b`, `${A49}_c`], [`node-agent-${'a'.repeat(45)}-44c97a`, `node-agent-${'a'.repeat(45)}-723dff`]],
  ['N16', [`${A60}1`, `${A60}2`], [`node-agent-${'a'.repeat(45)}-f0b895`, `node-agent-${'a'.repeat(45)}-11c626`]],
  [
    'N17',
    ['m5.large', 'm5_large', 'm5-large-baa340'],
    ['node-agent-m5-large-baa34022', 'node-agent-m5-large-ad36e8', 'node-agent-m5-large-baa340'],
  ],
  ['N18', [`${'0123456789'.repeat(6)}abc`], [`node-agent-${'0123456789'.repeat(5)}`]],
  ['N19', ['default', ''], ['node-agent-default-37a8ee', 'node-agent-default-e3b0c4']],
]

const group = (id: string, namePart: string, value?: string): Group => ({
  kind: 'value',
  id,
  namePart,
  aliases: [value ?? namePart, namePart],
  value,
  nodeSelector: {},
  terms: undefined,
  members: [],
})
const byValue = (value: string) => group(`value:${value}`, sanitize(value), value)
const NAMING = { target: T, suffix: '' }
const nameAll = (groups: Group[], spec: object = {}, earlier = new Map(), naming = NAMING) =>
  assignNames(groups, settings({ targetRef: { name: T }, ...spec }), earlier, naming)

suite('names', (test) => {
  for (const [row, value, want] of SANITIZED) test(`${row} ${value}`, () => assert.is(sanitize(value), want))
  for (const [row, values, want] of NAMES) {
    test(`${row} ${values.join(' ').slice(0, 60)}`, () => {
      const names = namesOf(NAMING, values)
      const own = values.map((value) => names.get(value) ?? '')
      assert.is(new Set(own).size, values.length, 'all distinct')
      for (const name of own) assert.ok(name.length <= 63, name)
      if (row === 'N17') assert.match(own[0] ?? '', /^node-agent-m5-large-baa340..$/)
      else assert.equal(own, want)
    })
  }
  test('N4 an empty value and the default group are told apart', () => {
    const { names } = nameAll([group('value:', 'empty', ''), group('default', 'default')])
    assert.equal([...names.values()].map(({ name }) => name).sort(), ['node-agent-default', 'node-agent-empty'])
    assert.is(new Set([...names.values()].map(({ label }) => label)).size, 2)
  })
  test('N20 the first value keeps its name when a second one comes to it', () => {
    const earlier = new Map([['value:m5.large', { name: 'node-agent-m5-large', label: 'm5.large' }]])
    const { names, findings } = nameAll([byValue('m5.large'), byValue('m5_large')], {}, earlier)
    assert.equal(findings, [])
    assert.is(names.get('value:m5.large')?.name, 'node-agent-m5-large')
    assert.is(names.get('value:m5_large')?.name, 'node-agent-m5-large-ad36e8')
  })
  test('the name of a group that is gone is not given to another, whose selector differs', () => {
    const earlier = new Map([['value:m5.large', { name: 'node-agent-m5-large', label: 'm5.large' }]])
    const { names, findings } = nameAll([byValue('m5_large')], {}, earlier)
    assert.equal(findings, [])
    assert.is(names.get('value:m5_large')?.name, 'node-agent-m5-large-ad36e8')
  })
  test('the label of a group that is gone is not given to another, while its pods may still have it', () => {
    const earlier = new Map([['value:m5-large', { name: 'node-agent-m5-large', label: 'm5-large' }]])
    const { names, findings } = nameAll([group('group:large', 'm5-large')], {}, earlier)
    assert.equal(findings, [])
    const { name = '', label = '' } = names.get('group:large') ?? {}
    assert.match(name, /^node-agent-m5-large-[0-9a-f]{6}$/)
    assert.is(`${T}-${label}`, name)
  })
  test('a hashed name is taken for the groups that follow', () => {
    const earlier = new Map([['value:m5.large', { name: 'node-agent-m5-large', label: 'm5.large' }]])
    const { names, findings } = nameAll([byValue('m5_large'), byValue('m5-large-ad36e8')], {}, earlier)
    assert.equal(findings, [])
    assert.is(names.get('value:m5_large')?.name, 'node-agent-m5-large-ad36e8')
    assert.match(names.get('value:m5-large-ad36e8')?.name ?? '', /^node-agent-m5-large-ad36e8-[0-9a-f]{6}$/)
  })
  test('names and labels of other policies are taken', () => {
    const other = {
      metadata: { name: 'node-agent-m5-large', labels: { [settings({}).nodeGroupKey]: 'm5.large' } },
    } as KubernetesObject
    const { names, findings } = assignNames(
      [byValue('m5.large')],
      settings({ targetRef: { name: T } }),
      new Map(),
      NAMING,
      [other],
    )
    assert.equal(findings, [])
    const { name = '', label } = names.get('value:m5.large') ?? {}
    assert.match(name, /^node-agent-m5-large-[0-9a-f]{6}$/)
    assert.is(label, 'm5-large')
  })
  test('a group without nodes gives way to one with nodes', () => {
    const inUse = { ...byValue('default'), members: [{ name: 'a' }] } as unknown as Group
    for (const groups of [
      [inUse, group('default', 'default')],
      [group('default', 'default'), inUse],
    ]) {
      const { names, findings } = nameAll(groups)
      assert.equal(findings, [])
      assert.is(names.get('value:default')?.name, 'node-agent-default')
      assert.match(names.get('default')?.name ?? '', /^node-agent-default-[0-9a-f]{6}$/)
    }
  })
  test('two newcomers to one name are an error that asks for names', () => {
    assert.equal(codes(nameAll([byValue('m5.large'), byValue('m5_large')]).findings), ['NameCollision'])
    const { names, findings } = nameAll([byValue('m5.large'), byValue('m5_large')], { names: { m5_large: 'other' } })
    assert.equal(codes(findings), [])
    assert.is(names.get('value:m5_large')?.name, 'other')
  })
  test('a value called default and the default group have distinct names and labels when one is named', () => {
    const { names, findings } = nameAll([byValue('default'), group('default', 'default')], {
      names: { default: 'node-agent-real' },
    })
    assert.equal(codes(findings), [])
    assert.equal([...names.values()].map(({ name }) => name).sort(), ['node-agent-default', 'node-agent-real'])
    assert.is(new Set([...names.values()].map(({ label }) => label)).size, 2)
  })
  test('a name that is no DNS label, or is given twice, is an error', () => {
    assert.equal(codes(nameAll([byValue('a')], { names: { a: 'Not_A_Name' } }).findings), ['NameInvalid'])
    assert.equal(codes(nameAll([byValue('a'), byValue('b')], { names: { a: 'same', b: 'same' } }).findings), [
      'NameInvalid',
    ])
    assert.equal(codes(nameAll([byValue('a')], {}, new Map(), { target: 't.t', suffix: '' }).findings), ['NameInvalid'])
  })
  test('a long target is shortened, with a hash of it, and leaves 22 characters to tell groups apart', () => {
    const names = (target: string, values: string[]) => {
      const result = nameAll(values.map(byValue), { targetRef: { name: target } }, new Map(), { target, suffix: '' })
      assert.equal(codes(result.findings), [])
      return [...result.names.values()]
    }
    const types = ['m5.large', 'm5.xlarge', 'm5.2xlarge', 'm5.4xlarge', 'c5.24xlarge', 'standard-e96-24ads-v5']
    const long = `${'log-collector-'.repeat(4)}node`
    assert.is(long.length, 60)
    const named = names(long, types)
    assert.is(named[0]?.name, 'log-collector-log-collector-log-c-6b53f7-m5-large')
    assert.equal(
      named.map(({ label }) => label),
      types,
    )
    assert.is(names(`${'a'.repeat(32)}-${'b'.repeat(20)}`, ['x'])[0]?.name, `${'a'.repeat(32)}-853ce0-x`)
    assert.is(names('a'.repeat(40), ['x'])[0]?.name, `${'a'.repeat(40)}-x`)
    assert.is.not(names(`${long}1`, ['x'])[0]?.name, names(`${long}2`, ['x'])[0]?.name)
    for (const { name } of names('t'.repeat(253), ['v'.repeat(60), 'w'])) assert.ok(name.length <= 63)
  })
  test('any values get distinct names of at most 63 characters', () => {
    const value = fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/)
    fc.assert(
      fc.property(fc.uniqueArray(value, { maxLength: 12 }), (values) => {
        const names = [...namesOf(NAMING, values).values()]
        assert.is(new Set(names).size, values.length)
        for (const name of names) assert.match(name, /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/)
      }),
    )
  })
  test('a name never ends in a dash', () => {
    assert.is(plainName(NAMING, `${'a'.repeat(49)}-b`), `${T}-${'a'.repeat(49)}`)
  })
  test('the text behind the group counts for the length', () => {
    const name = plainName({ target: T, suffix: '-v2' }, 'a'.repeat(60))
    assert.is(name, `${T}-${'a'.repeat(49)}-v2`)
    assert.is(name.length, 63)
  })
})
