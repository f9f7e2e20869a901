/** Rendered files are held against the kustomizations of the package, and the entries that are missing are added. */
import * as assert from 'uvu/assert'
import { kustomizationsOf } from '../../src/core/index.ts'
import { kustomizationObject } from '../../src/krm/kustomization.ts'
import type { Item, KubernetesObject } from '../../src/krm/types.ts'
import type { PlanOptions } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { config, daemonSet, inventory, policy, SMALL, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const PATH = 'internal.config.kubernetes.io/path'
const TEMPLATE = daemonSet({ containers: [{ name: 'agent', image: 'agent:1', resources: SMALL }] })
const NODES = inventory([shape({ [TYPE]: 'a' }, ['n1'])])

function at(path: string, object: KubernetesObject): Item {
  const { metadata } = object
  return { object: { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [PATH]: path } } } }
}

/** A file of kustomize with its text, which has no annotations, as that of a command. */
function kustomization(path: string, text: string): Item {
  const { object, ...rest } = kustomizationObject(text)
  return { ...rest, ...at(path, object), text }
}

function inPackage(path: string, { object, ...rest }: Item): Item {
  const annotations = { ...object.metadata.annotations, 'internal.config.kubernetes.io/package-path': path }
  return { ...rest, object: { ...object, metadata: { ...object.metadata, annotations } } }
}

const LISTS = 'resources:\n- daemonset.yaml\n- policy.yaml\n'
const AGENT = [at('inventory.yaml', NODES), at('policy.yaml', policy()), at('daemonset.yaml', TEMPLATE)]

/** What a run says about lists, and the texts of the kustomizations after it. */
function run(items: readonly Item[], options: PlanOptions = {}, functionConfig?: KubernetesObject) {
  const list = { apiVersion: 'config.kubernetes.io/v1', items, results: [] }
  const made = plan(functionConfig ? { ...list, functionConfig: { object: functionConfig } } : list, options)
  const said = made.findings.filter(({ code }) => code.startsWith('File'))
  const texts = made.items.filter(({ object }) => object.kind === 'Kustomization').map(({ text }) => text)
  return { said: said.map(({ severity, code, sentence }) => `${severity} ${code}: ${sentence}`), texts, made }
}

const ADDED = 'info FileListed: kustomization.yaml now lists agent-groups.yaml'
const MISSING =
  'error FileNotListed: kustomization.yaml does not list agent-groups.yaml, which is rendered; DaemonSet agent, from which it is rendered, is not applied either'
const plain = (text: string) => [...AGENT, kustomization('kustomization.yaml', text)]

/** What a file of kustomize is before and after a run. */
const EDITS: ReadonlyArray<readonly [name: string, before: string, after: string]> = [
  ['behind the last entry', LISTS, `${LISTS}- agent-groups.yaml\n`],
  [
    'with the comments and the indentation that are there',
    '# ours\nresources:\n    - daemonset.yaml   # the agent\n    # inputs\n    - policy.yaml\nnamePrefix: eu-   # all\n',
    '# ours\nresources:\n    - daemonset.yaml   # the agent\n    # inputs\n    - policy.yaml\n    - agent-groups.yaml\nnamePrefix: eu-   # all\n',
  ],
  [
    'before the closing bracket',
    'resources: [daemonset.yaml, "policy.yaml"] # all\nkind: Kustomization\n',
    'resources: [daemonset.yaml, "policy.yaml", agent-groups.yaml] # all\nkind: Kustomization\n',
  ],
  [
    'with the line ends that are there',
    LISTS.replaceAll('\n', '\r\n'),
    `${LISTS}- agent-groups.yaml\n`.replaceAll('\n', '\r\n'),
  ],
  [
    'to the first document, since kustomize reads no other',
    `# ours\n---\n${LISTS}---\nresources: [agent-groups.yaml]\n`,
    `# ours\n---\n${LISTS}- agent-groups.yaml\n---\nresources: [agent-groups.yaml]\n`,
  ],
  ['before an end that begins nothing', `${LISTS}---\n`, `${LISTS}- agent-groups.yaml\n---\n`],
  ['nothing where it is listed', `${LISTS}- agent-groups.yaml\n`, `${LISTS}- agent-groups.yaml\n`],
  [
    'nothing where it is listed in another way',
    `${LISTS}- ./x/../agent-groups.yaml\n`,
    `${LISTS}- ./x/../agent-groups.yaml\n`,
  ],
  [
    'beside a glob, which kustomize does not read',
    "resources: ['*.yaml', policy.yaml]\n",
    "resources: ['*.yaml', policy.yaml, agent-groups.yaml]\n",
  ],
]

suite('a rendered file that somebody has moved', (test) => {
  const moved = (listed: string, more: readonly Item[] = []) => {
    const first = run(plain(LISTS)).made.items
    const items = first.map((item): Item => {
      const { object, text } = item
      if (object.kind === 'Kustomization') return kustomization('kustomization.yaml', listed)
      if (object.metadata.annotations?.[PATH] !== 'agent-groups.yaml') return item
      const annotations = { ...object.metadata.annotations, [PATH]: 'groups/agent-groups.yaml' }
      return { ...item, object: { ...object, metadata: { ...object.metadata, annotations } }, text }
    })
    return run([...items, ...more])
  }
  const OLD = `${LISTS}- agent-groups.yaml\n`
  const NEW = `${LISTS}- groups/agent-groups.yaml\n`
  test('is listed where it is, and no longer where it was', () => {
    const { said, texts } = moved(OLD)
    assert.equal(texts, [NEW])
    assert.equal(said, [
      'info FileListed: kustomization.yaml now lists groups/agent-groups.yaml, and no longer lists agent-groups.yaml, in which nothing is left',
    ])
  })
  test('loses an entry that an earlier version has left', () =>
    assert.equal(moved(`${OLD}- groups/agent-groups.yaml\n`).texts, [NEW]))
  test('keeps the entry of a file of that name in which something is', () => {
    const other = at('agent-groups.yaml', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' } })
    assert.equal(moved(OLD, [other]).texts, [`${OLD}- groups/agent-groups.yaml\n`])
  })
})

suite('rendered files that a kustomization has to list', (test) => {
  for (const [name, before, after] of EDITS)
    test(`the entry is added ${name}`, () => {
      const { said, texts } = run(plain(before))
      assert.equal(texts, [after])
      assert.equal(said, before === after ? [] : [ADDED])
      const again = plan({ apiVersion: 'config.kubernetes.io/v1', items: run(plain(before)).made.items, results: [] })
      assert.equal(
        again.items.filter(({ object }) => object.kind === 'Kustomization').map(({ text }) => text),
        [after],
      )
    })
  test('a run that only checks, and one that keeps no files, say what is missing and edit nothing', () => {
    const rendered = run(AGENT).made.items
    const items = [...rendered, kustomization('kustomization.yaml', LISTS)]
    for (const [options, functionConfig] of [
      [{ check: true }],
      [{}, config({ check: true })],
      [{ keepsFiles: false }],
    ] as const) {
      const { said, made } = run(items, options, functionConfig)
      assert.equal(said, [MISSING])
      assert.ok(made.failed)
    }
    assert.equal(run(plain(LISTS), { keepsFiles: false }).said, [], 'what is not in the package is in no file of it')
    const allowed = run([...items, at('config.yaml', config({ allow: ['FileNotListed'] }))], { keepsFiles: false })
    assert.is(allowed.made.failed, false)
  })
  test('the file of a group that is gone is taken off the list, with its line and no other', () => {
    const listed = 'resources:\n- daemonset.yaml\n- agent-groups.yaml # ours\n- policy.yaml\n'
    const [, , ...rest] = run([...AGENT, kustomization('kustomization.yaml', listed)]).made.items
    const items = [...AGENT.slice(0, 1), at('policy.yaml', policy({ enabled: false })), ...rest]
    const { said, texts } = run(items)
    assert.equal(texts, ['resources:\n- daemonset.yaml\n- policy.yaml\n'])
    assert.equal(said, [
      'info FileListed: kustomization.yaml no longer lists agent-groups.yaml, in which nothing is left',
    ])
    const shared = [
      ...items,
      at('agent-groups.yaml', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' } }),
    ]
    assert.equal(run(shared).texts, [listed], 'a file that still holds something stays')
  })
  test('a folder, a component or a kustomization above that gathers the file is enough', () => {
    const inner = (folder: string, text = LISTS) => [
      at(`${folder}/inventory.yaml`, NODES),
      at(`${folder}/policy.yaml`, policy()),
      at(`${folder}/daemonset.yaml`, TEMPLATE),
      ...(text === '' ? [] : [kustomization(`${folder}/kustomization.yaml`, text)]),
    ]
    const whole = `${LISTS}- agent-groups.yaml\n`
    assert.equal(run([...inner('base', whole), kustomization('kustomization.yaml', 'resources: [base]\n')]).said, [])
    assert.equal(
      run([...inner('part', whole), kustomization('kustomization.yaml', 'components: [./part/]\n')]).said,
      [],
    )
    assert.equal(
      run([
        ...inner('base', ''),
        kustomization('kustomization.yaml', 'resources: [base/agent-groups.yaml, base/daemonset.yaml]\n'),
      ]).said,
      [],
    )
    // the innermost that lists the template gets the entry: what builds on it then has it too
    const { said, texts } = run([...inner('base'), kustomization('eu/kustomization.yaml', 'resources: [../base]\n')])
    assert.equal(texts, [`${LISTS}- agent-groups.yaml\n`, 'resources: [../base]\n'])
    assert.equal(said, ['info FileListed: base/kustomization.yaml now lists agent-groups.yaml'])
    // each that lists the template needs it, and kustomize reads no file above its folder
    const two = run([...inner('base'), kustomization('base/x/kustomization.yaml', 'resources: [../daemonset.yaml]\n')])
    assert.match(
      two.said.join(),
      /^error FileNotListed: base\/x\/kustomization\.yaml does not list \.\.\/agent-groups\.yaml/,
    )
  })
  test('a kustomization that lists nothing of the agent may be about something else: a warning, and no edit', () => {
    for (const text of ['namePrefix: a-\n', 'resources: [crds.yaml]\n']) {
      const { said, texts, made } = run(plain(text))
      assert.equal(texts, [text])
      assert.equal(said, [
        'warning FileNotListed: kustomization.yaml does not list agent-groups.yaml, which is rendered',
      ])
      assert.is(made.failed, false)
    }
  })
  test('a circle of kustomizations ends', () => {
    const circle = [
      kustomization('kustomization.yaml', 'resources: [a, policy.yaml]\n'),
      kustomization('a/kustomization.yaml', 'resources: [..]\ncomponents: [.]\n'),
    ]
    assert.equal(run([...AGENT, ...circle]).said, [ADDED])
  })
  test('a template that its user keeps back himself is no reason for an error', () => {
    const kept = daemonSet({}, { annotations: { 'config.kubernetes.io/local-config': 'true' } })
    const items = [
      ...AGENT.slice(0, 2),
      at('daemonset.yaml', kept),
      kustomization('kustomization.yaml', 'resources: []\n'),
    ]
    const rendered = run(AGENT.slice(0, 2).concat(at('daemonset.yaml', kept))).made.items
    const { said, made } = run([...rendered, items[3] as Item], { keepsFiles: false })
    assert.equal(said, ['warning FileNotListed: kustomization.yaml does not list agent-groups.yaml, which is rendered'])
    assert.is(made.failed, false)
  })
  test('a kustomization that cannot be read is left alone', () => {
    const twice = `${LISTS}resources: []\n`
    const { said, texts, made } = run(plain(twice))
    assert.equal(texts, [twice])
    assert.match(said.join(), 'error FileNotListed: kustomization.yaml cannot be read, and has to list')
    assert.match(
      said.join(),
      /\(the kustomization cannot be read as YAML: duplicated mapping key, line 4: resources: \[\]\)$/,
    )
    assert.match(
      made.findings.find(({ code }) => code === 'FileNotListed')?.message ?? '',
      /Correct what cannot be read\. Add/,
    )
  })
  test('what kpt fn render cannot add is an error that asks for the entry, and no more', () => {
    const anchored = 'resources: &all [daemonset.yaml]\nbases: *all\n'
    const mends = (items: readonly Item[], options: PlanOptions = {}) => {
      const found = run(items, options).made.findings.filter(({ code }) => code === 'FileNotListed')
      return found.map(({ message }) => message?.includes('kpt fn render'))
    }
    assert.equal(run(plain(anchored)).texts, [anchored])
    assert.equal(mends(plain(anchored)), [false])
    assert.equal(mends(plain(anchored), { check: true }), [false])
    assert.equal(mends(plain(LISTS), { check: true }), [true])
    const inner = AGENT.map((item) => inPackage('p/inner', item))
    const outer = inPackage('p', kustomization('kustomization.yaml', 'resources: [inner/daemonset.yaml]\n'))
    assert.equal(mends([...inner, outer]), [false], 'the kustomization of another package')
  })
  test('what a kustomization gathers is read once, however many policies ask for it', () => {
    const { all, layers } = kustomizationsOf(plain(LISTS))
    const [first, again] = [1, 2].map(() => all.map(layers)) as [unknown[], unknown[]]
    assert.ok(first.length > 0 && first.every((one, index) => one === again[index]))
  })
})
