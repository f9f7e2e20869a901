/** The engine of the playground: what it makes of texts, policies that it proposes, and what sliders change. */
import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import type { Texts } from '../../playground/engine/boxes.ts'
import { changedPolicies } from '../../playground/engine/change-policy.ts'
import { shortenedNodes } from '../../playground/engine/inventory.ts'
import { renderTexts } from '../../playground/engine/render.ts'
import { suite } from '../support/suite.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const NODES = read('testdata/quickstart/inventory.yaml')
const DAEMON_SET = read('testdata/quickstart/daemonset.yaml')
const POLICY = read('testdata/quickstart/policy.yaml')
const GIVEN: Texts = { nodes: NODES, daemonSet: DAEMON_SET, policy: POLICY }
const rendered = (texts: Partial<Texts>, isOwn = true) => renderTexts({ texts: { ...GIVEN, ...texts }, isOwn })

suite('the engine of the playground', (test) => {
  test('what it renders is in the table of groups, the sentence and the YAML', () => {
    const { state, sentence, views, yaml, counts } = rendered({})
    assert.is(state, 'done')
    assert.is(sentence, '6 nodes in 4 node groups; all pods request 0.5 to 0.78 cores and 0.63 to 2.86 GiB')
    assert.match(views.groups, 'fluent-bit-m5-4xlarge')
    assert.match(views.cards, '0.78')
    assert.is(yaml.match(/^kind: DaemonSet$/gm)?.length, 4)
    assert.equal([counts.error, counts.warning], [0, 3])
  })
  test('objects may be in any of the texts', () => {
    const { state, yaml } = rendered({ nodes: '', daemonSet: '', policy: [NODES, DAEMON_SET, POLICY].join('---\n') })
    assert.is(state, 'done')
    assert.is(yaml, rendered({}).yaml)
  })
  for (const missing of ['nodes', 'daemonSet'] as const)
    test(`without ${missing} it waits`, () => {
      const { state, missing: told, yaml } = rendered({ [missing]: ' \n' })
      assert.equal([state, told, yaml], ['waits', missing, ''])
    })

  const LONG = [63, 63, 63, 61].map((length, at) => 'nopq'.charAt(at).repeat(length)).join('.')
  const list = (names: readonly string[]) =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: names.map((name) => ({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels: { 'kubernetes.io/os': 'linux', 'node.kubernetes.io/instance-type': 'm5.large' } },
        status: {
          allocatable: { cpu: '2', memory: '8Gi', pods: '110' },
          conditions: [{ type: 'Ready', status: 'True' }],
        },
      })),
    })
  const ODD: ReadonlyArray<readonly [what: string, texts: Partial<Texts>, state: string, shown: string]> = [
    ['no nodes', { nodes: list([]) }, 'failed', 'NoNodes'],
    ['a name of 253 characters', { nodes: list([LONG]) }, 'done', LONG],
    ['10,000 nodes', { nodes: list(Array.from({ length: 10_000 }, (_, at) => `n${at}`)) }, 'done', '10000'],
    [
      'letters from right to left and wide ones',
      { policy: POLICY.replace(/nodeGroupLabel: .*/, 'nodeGroupLabel: שלום/漢字') },
      'failed',
      'שלום/漢字',
    ],
  ]
  for (const [what, texts, state, shown] of ODD)
    test(`odd input: ${what}`, () => {
      const found = rendered(texts)
      assert.is(found.state, state)
      assert.ok(JSON.stringify([found.views, found.sentence]).includes(shown))
      assert.is(found.sentence.startsWith('1 node in '), texts.nodes?.includes(LONG) === true)
    })

  const proposals: ReadonlyArray<readonly [what: string, policy: string, isOwn: boolean, isProposed: boolean]> = [
    ['there is none', '', false, true],
    ['it is for another DaemonSet', POLICY.replaceAll('fluent-bit', 'promtail'), false, true],
    ['it is for another DaemonSet, and typed', POLICY.replaceAll('fluent-bit', 'promtail'), true, false],
    ['it is for this DaemonSet', POLICY, false, false],
    ['it cannot be read', 'a: [', false, false],
  ]
  for (const [what, policy, isOwn, isProposed] of proposals)
    test(`a policy is ${isProposed ? '' : 'not '}proposed where ${what}`, () => {
      const made = rendered({ policy }, isOwn)
      assert.is(made.policy !== undefined, isProposed)
      if (made.policy === undefined) return
      assert.is(made.state, 'done')
      assert.equal([made.controls.percentages.limitCPU, made.controls.most.memory !== ''], [null, true])
      assert.is(rendered({ policy: made.policy }).yaml, made.yaml, 'it renders the same once it is given')
    })

  const wrong: ReadonlyArray<readonly [what: string, texts: Partial<Texts>, sentence: string, marked: string]> = [
    ['YAML that is broken', { policy: 'spec:\n  a: [\n' }, 'YamlSyntax', '  a: ['],
    [
      'a field that is unknown',
      { policy: POLICY.replace('nodeGroupLabel', 'nodeGrupLabel') },
      'UnknownField',
      'nodeGrupLabel',
    ],
    [
      'a page of a list',
      { nodes: '{"kind":"NodeList","apiVersion":"v1","metadata":{"continue":"x"},"items":[]}' },
      'PartialList',
      '',
    ],
    ['markers of a conflict', { daemonSet: `<<<<<<< HEAD\n${DAEMON_SET}` }, 'ConflictMarkers', '<<<<<<< HEAD'],
    ['a key __proto__', { policy: `__proto__: {polluted: true}\n${POLICY}` }, 'UnknownField', '__proto__'],
    [
      'aliases that multiply',
      {
        policy: `a: &a [1,1,1,1,1,1,1,1,1]\n${[...'bcdefgh'].map((one, at) => `${one}: &${one} [${`*${'abcdefghijk'[at]},`.repeat(9)}]`).join('\n')}\n`,
      },
      'YamlRefused',
      '',
    ],
    [
      'an unknown field of the second document',
      {
        policy: `${POLICY}---\n# mine\napiVersion: nodefit.dev/v1alpha1\nkind: RenderConfig\nmetadata: {name: x}\nspec: {colour: red}\n`,
      },
      'UnknownField',
      'colour',
    ],
    [
      'a signed action',
      { policy: 'apiVersion: nodefit.dev/v1alpha1\nkind: NodeAction\nmetadata: {name: x}\nspec: {}\n' },
      'NotHere',
      '',
    ],
  ]
  for (const [what, texts, code, marked] of wrong)
    test(`${what}: an error with its code, and a mark`, () => {
      const { state, sentence, views, yaml, marks } = rendered(texts)
      assert.is(state, 'failed')
      assert.ok(sentence.startsWith(`${code}: `), sentence)
      assert.match(views.findings, code)
      assert.is(yaml, '')
      const [first] = marks
      assert.is(first === undefined ? '' : { ...GIVEN, ...texts }[first.box].slice(first.from, first.to), marked)
      assert.is(({} as Record<string, unknown>).polluted, undefined)
    })
  test('names are text in its HTML', () => {
    const { views } = rendered({ policy: POLICY.replace('name: fluent-bit', 'name: "<img src=x>"') })
    assert.not.match(views.findings + views.groups, '<img')
    assert.match(views.findings, '&lt;img')
  })
})

suite('controls of the playground', (test) => {
  test('show what the policy says', () => {
    const { controls } = rendered({})
    assert.equal(controls.percentages, { requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5 })
    assert.equal([controls.label, controls.grouping], ['node.kubernetes.io/instance-type', undefined])
    assert.equal(
      [controls.least, controls.most],
      [
        { cpu: '50m', memory: '64Mi' },
        { cpu: '1', memory: '2Gi' },
      ],
    )
    assert.equal(controls.reached, { least: { cpu: 3, memory: 0 }, most: { cpu: 0, memory: 0 } })
    assert.equal(controls.labels, [
      { key: 'kubernetes.io/os', values: 2 },
      { key: 'node.kubernetes.io/instance-type', values: 3 },
    ])
  })
  const ranges = read('testdata/golden/ranges/package/policy.yaml')
  test('name a grouping that is no label', () => {
    const texts = { nodes: read('testdata/golden/ranges/package/inventory.yaml'), policy: ranges }
    assert.is(rendered(texts).controls.grouping, 'ranges of karpenter.k8s.aws/instance-memory')
  })
  const changes: ReadonlyArray<
    readonly [what: string, text: string, changes: Parameters<typeof changedPolicies>[1], expected: string]
  > = [
    ['a percentage', POLICY, { percentages: { requestCPU: 3.5 } }, POLICY.replace('requestCPU: 2', 'requestCPU: 3.5')],
    ['none', POLICY, { percentages: { limitCPU: null } }, POLICY.replace('limitCPU: 5', 'limitCPU: none')],
    ['a bound', POLICY, { most: { cpu: '2' } }, POLICY.replace('cpu: "1"', 'cpu: "2"')],
    ['a bound taken away', POLICY, { least: { memory: '' } }, POLICY.replace('    memory: 64Mi\n', '')],
    ['a label', POLICY, { label: 'a/b' }, POLICY.replace('node.kubernetes.io/instance-type', 'a/b')],
    [
      'a comment stays',
      POLICY.replace('spec:', 'spec: # mine'),
      { percentages: { requestCPU: 1 } },
      POLICY.replace('spec:', 'spec: # mine').replace('requestCPU: 2', 'requestCPU: 1'),
    ],
    [
      'the first of two',
      `# x\n---\n${POLICY}---\n${POLICY}`,
      { label: 'a/b' },
      `# x\n---\n${POLICY.replace('node.kubernetes.io/instance-type', 'a/b')}---\n${POLICY}`,
    ],
  ]
  for (const [what, text, change, expected] of changes)
    test(`write ${what}, and nothing else`, () => assert.is(changedPolicies(text, change), expected))
  test('write a label instead of ranges', () => {
    const text = changedPolicies(ranges, { label: 'a/b' }) ?? ''
    assert.not.match(text, 'nodeGroupRanges')
    assert.match(text, '  nodeGroupLabel: a/b\n')
  })
  test('write a policy that is JSON as YAML', () => {
    const json = '{"apiVersion":"nodefit.dev/v1alpha1","kind":"SizingPolicy","metadata":{"name":"x"},"spec":{}}'
    assert.match(changedPolicies(json, { label: 'a/b' }) ?? '', 'nodeGroupLabel: a/b')
  })
  test('find no policy to change', () => assert.is(changedPolicies(DAEMON_SET, { label: 'x' }), undefined))
})

suite('nodes made an inventory', (test) => {
  const texts = { nodes: read('examples/nodes.yaml'), daemonSet: read('examples/fluent-bit.json'), policy: '' }
  test('render as before, and are a tenth as long', () => {
    const before = renderTexts({ texts, isOwn: false })
    const made = shortenedNodes(texts, [])
    assert.ok('text' in made && made.text.length < texts.nodes.length / 5)
    const after = renderTexts({ texts: { ...texts, nodes: 'text' in made ? made.text : '' }, isOwn: false })
    assert.equal([after.state, after.yaml], ['done', before.yaml])
    assert.not.match('text' in made ? made.text : '', 'provided-node-ip')
  })
  test('stay where something else is among them', () =>
    assert.equal(shortenedNodes({ ...texts, nodes: DAEMON_SET }, []), { problem: 'DaemonSet fluent-bit is no node' }))
})
