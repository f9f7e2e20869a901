/** Holes that are asked for: an example of each kind of node, and acceptance by region that hides exactly its nodes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { newItem } from '../../src/krm/index.ts'
import type { Item, KubernetesObject } from '../../src/krm/types.ts'
import { type Labels, matchesLabels, parseSelector, Region, regionOfLabels, regionOfPod } from '../../src/kube/index.ts'
import { plan } from '../../src/rules/run.ts'
import { anyNode, label, node, placement } from '../support/draw-nodes.ts'
import { goldenLists } from '../support/lists.ts'
import { config, daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { errorsOf } from '../support/orders.ts'
import { said } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LIMIT = 1000
const cores = (operator: string, name: string) =>
  policy(
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'cores', operator, values: ['8'] }] }],
          },
        },
      },
      labels: { nodeGroup: `example.com/${name}` },
      names: { m5: name, default: `${name}-d`, remainder: `${name}-r` },
    },
    name,
  )
const FLEET = inventory(
  ['4', '8', '08', '16', 'many'].map((count, index) => shape({ [TYPE]: 'm5', cores: count }, [`n${index}`])),
)
const BESIDE = [FLEET, cores('Lt', 'small'), cores('Gt', 'large'), daemonSet()]
const holes = (objects: Parameters<typeof listOf>[0], ...entries: object[]) => {
  const made = plan(listOf(entries.length === 0 ? objects : [...objects, config({ holes: entries })]))
  assert.equal(errorsOf(made), [])
  return { made, holes: made.findings.filter(({ code }) => code === 'HoleOnPurpose') }
}
const entryIn = (sentence: string): object => {
  const [, entry = ''] = /; its entry is (\{.*\})$/.exec(sentence) ?? []
  return parse(entry) as object
}

suite('a label that Karpenter writes as an integer', (test) => {
  const rangesOf = (key: string, values: readonly string[]) => {
    const fleet = inventory(values.map((value, index) => shape({ [TYPE]: 'm5', [key]: value }, [`n${index}`])))
    const ranges = policy({ nodeGroupRanges: { label: key, bounds: [8192] }, remainder: false })
    return holes([fleet, ranges, daemonSet()]).holes.map(({ sentence }) => sentence)
  }
  const isOfOther = (sentences: readonly string[]) =>
    sentences.some((sentence) => /(?:=other|notInteger)/.test(sentence))
  for (const [key, isTold] of [
    ['karpenter.k8s.aws/instance-memory', false],
    ['karpenter.azure.com/sku-cpu', false],
    ['karpenter.k8s.aws/instance-gpu-name', true],
    ['example.com/memory', true],
  ] as const)
    test(`${key}: a node with another value ${isTold ? 'is a hole' : 'does not come'}`, () =>
      assert.is(isOfOther(rangesOf(key, ['4096', '16384'])), isTold))
})

suite('a hole', (test) => {
  test('beside Lt 8, Gt 8 leaves out 8, other texts and nodes without the label: each has an example', () => {
    const found = holes(BESIDE).holes
    assert.equal(
      found.map(({ field }) => (field?.currentValue as { labels: Labels } | undefined)?.labels),
      [{}, { cores: 'other' }, { cores: '8' }],
    )
    const kinds = found.map(({ sentence }) => /may run on (.*), but no policy/.exec(sentence)?.[1])
    assert.equal(kinds, ['a node without cores', 'a node with cores=other', 'a node with cores=8'])
    const today = found.map(({ sentence }) => /; (\S+ nodes? affected today.*?);/.exec(sentence)?.[1])
    assert.equal(today.slice(1), ['1 node affected today: n4', '2 nodes affected today: n1, n2'])
  })
  test('of several values lists them in one order, however the template writes them', () => {
    const kinds = [
      ['x', 'c', 'a', 'b'],
      ['b', 'x', 'a', 'c'],
    ].map((values) => {
      const terms = [{ matchExpressions: [{ key: 'pool', operator: 'In', values }] }]
      const affinity = {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
      }
      const fleet = inventory([shape({ pool: 'x', [TYPE]: 'm5' }, ['x'])])
      return holes([fleet, policy({ nodeSelector: { pool: 'x' } }), daemonSet({ affinity })]).holes.map(
        ({ sentence }) => /may run on (.*), but no policy/.exec(sentence)?.[1],
      )
    })
    assert.equal(kinds, [['a node with pool in (a, b, c)'], ['a node with pool in (a, b, c)']])
  })
  test('each entry that is given accepts the kind of node it stands with, and no other', () => {
    const found = holes(BESIDE).holes
    for (const [index, { sentence }] of found.entries()) {
      const left = holes(BESIDE, entryIn(sentence)).holes.map((one) => one.sentence.replace(/;.*/, ''))
      const others = found.filter((_, at) => at !== index).map((one) => one.sentence.replace(/;.*/, ''))
      assert.equal(left, others)
    }
    assert.equal(holes(BESIDE, ...found.map(({ sentence }) => entryIn(sentence))).holes, [])
  })
  test('that is accepted in all its kinds says nothing of the nodes of a policy that is disabled later', () => {
    const entries = holes(BESIDE).holes.map(({ sentence }) => entryIn(sentence))
    const disabled = BESIDE.map((one) =>
      one.metadata.name === 'large' ? { ...one, spec: { ...(one.spec as object), enabled: false } } : one,
    )
    const found = holes(disabled, ...entries).holes.map(({ sentence }) => sentence)
    assert.is(found.length, 1)
    assert.match(
      found[0] ?? '',
      'cores=9, but no policy serves such nodes: large is disabled; 1 node affected today: n3',
    )
  })
  test('that is accepted says nothing of later holes of the same policy', () => {
    const objects = [inventory([shape({ [TYPE]: 'm5' }, ['a'])]), policy({ defaultNodeGroup: '' }), daemonSet()]
    const [first] = holes(objects).holes
    const entry = entryIn(first?.sentence ?? '')
    assert.equal(entry, { policy: 'agent', labels: `!${TYPE}` })
    assert.equal(holes(objects, entry).holes, [])
    const wider = [objects[0], policy({ defaultNodeGroup: '', remainder: false }), daemonSet()] as typeof objects
    assert.equal(
      holes(wider, entry).holes.map(({ sentence }) => /agent has [^;]*/.exec(sentence)?.[0]),
      ['agent has remainder: false'],
    )
  })
  test('is accepted for the policy that makes it alone', () => {
    const pool = (name: string) =>
      policy(
        {
          nodeSelector: { pool: name },
          defaultNodeGroup: '',
          labels: { nodeGroup: `example.com/${name}` },
          names: { m5: name, remainder: `${name}-r` },
        },
        name,
      )
    const fleet = inventory(['a', 'b'].map((name) => shape({ pool: name, [TYPE]: 'm5' }, [name])))
    const objects = [fleet, pool('a'), pool('b'), daemonSet()]
    const who = (...entries: object[]) =>
      holes(objects, ...entries).holes.map(({ sentence }) => /: (\w+ has no default group)/.exec(sentence)?.[1])
    assert.equal(who().filter(Boolean), ['a has no default group', 'b has no default group'])
    assert.equal(who({ policy: 'a', labels: { [TYPE]: null } }).filter(Boolean), ['b has no default group'])
  })
  test('of two policies is accepted as the page writes it', () => {
    const items = goldenLists().find(({ name }) => name === 'golden/two-policies')?.items ?? []
    const text = readFileSync(join(ROOT, 'testdata/holes/config.yaml'), 'utf8')
    const found = (more: readonly Item[]) => {
      const made = plan({ ...listOf([]), items: [...items, ...more] })
      return [errorsOf(made), said(made, 'HoleOnPurpose').length, said(made, 'HoleUnused')]
    }
    assert.equal(found([]), [[], 1, []])
    assert.equal(found([newItem(parse(text) as KubernetesObject)]), [[], 0, []])
  })
  test('that nobody made is not accepted unsaid', () => {
    const objects = [inventory([shape({ [TYPE]: 'm5' }, ['a'])]), policy(), daemonSet()]
    const unused = (entry: object) => said(holes(objects, entry).made, 'HoleUnused')[0] ?? ''
    assert.match(unused({ policy: 'agent', labels: 'cores=8' }), 'but agent leaves out no such nodes')
    assert.match(unused({ policy: 'agnet', labels: 'cores=8' }), 'but the package has no policy agnet')
  })
  test('cannot be switched off, and the error says what to write', () => {
    const made = plan(listOf([...BESIDE, config({ severity: [{ code: 'HoleOnPurpose', as: 'off' }] })]))
    assert.equal(errorsOf(made), ['InvalidField'])
    assert.match(said(made, 'InvalidField')[0] ?? '', 'cannot be off')
    assert.match(said(made, 'InvalidField')[0] ?? '', 'gives the entry of spec.holes')
  })
  for (const [name, labels, words, notInteger] of [
    ['every node', '', 'selects every node'],
    ['every node, as a map', {}, 'selects every node'],
    ['what is no selector', 'cores=(', 'cannot be read: selector "cores=("'],
    ['what is no label', { 'not a key': 'x' }, 'cannot be read: "not a key" is not a label key'],
    ['texts of what is no label', 'cores', 'cannot be read: "no key" is not a label key', ['no key']],
  ] as const)
    test(`is not accepted by ${name}`, () => {
      const made = plan(
        listOf([...BESIDE, config({ holes: [{ policy: 'small', labels, ...(notInteger && { notInteger }) }] })]),
      )
      assert.equal(errorsOf(made), ['InvalidField'])
      assert.match(said(made, 'InvalidField')[0] ?? '', `spec.holes.0.labels ${words}`)
    })
})

suite('regions of holes, whatever the nodes', (test) => {
  test('a region accepted by labels hides exactly the nodes whose labels match', () => {
    fc.assert(
      fc.property(placement, fc.array(label, { minLength: 1, maxLength: 3 }), node, (pod, requirements, one) => {
        const hole = Region.everywhere.minus(regionOfPod(pod), LIMIT) ?? Region.nowhere
        const accepted = regionOfPod({ affinity: termOf(requirements) })
        const left = hole.minus(accepted, LIMIT)
        assert.ok(left !== undefined)
        assert.is(left?.has(one), hole.has(one) && !matchesLabels({ matchExpressions: requirements }, one.labels))
        // what is left is told by its kinds: each node is of one, and each kind has an example
        const kinds = left?.kinds(64) ?? []
        assert.is(kinds.filter((kind) => kind.has(one)).length > 0, left?.has(one))
        for (const kind of kinds) {
          const example = kind.witness()
          assert.ok(example !== undefined && left?.has(example))
        }
      }),
      { numRuns: 500 },
    )
  })
  test('a selector is read as kubectl reads it', () => {
    fc.assert(
      fc.property(regionsOfLabels, anyNode, (region, one) => {
        for (const kind of region.kinds(64)) {
          const text = kind.selectorText
          const whole = regionOfLabels(text, kind.keysWithoutIntegers)
          if (kind.has(one)) assert.ok(whole === undefined || whole.has(one), text)
          const read = regionOfLabels(text)
          if (kind.has(one)) assert.ok(read === undefined || read.has(one), text)
          if (text !== '') assert.is(read?.has(one), matchesLabels(parseSelector(text), one.labels), text)
        }
      }),
      { numRuns: 500 },
    )
  })
  test('the entry of a kind accepts the whole kind', () => {
    fc.assert(
      fc.property(regionsOfLabels, (region) => {
        const kinds = region.kinds(64)
        for (const kind of kinds) {
          const accepted = regionOfLabels(kind.selectorText, kind.keysWithoutIntegers)
          if (accepted === undefined) continue
          assert.ok(Region.of([kind]).minus(accepted, LIMIT)?.isEmpty(), kind.selectorText)
        }
      }),
      { numRuns: 500 },
    )
  })
})

function termOf(matchExpressions: object[]): object {
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  }
}

/** What some requirements on labels leave of all nodes. */
const regionsOfLabels = fc
  .array(fc.array(label, { minLength: 1, maxLength: 2 }), { maxLength: 3 })
  .map((all) =>
    all.reduce(
      (left, requirements) => left.minus(regionOfPod({ affinity: termOf(requirements) }), LIMIT) ?? left,
      Region.everywhere,
    ),
  )
