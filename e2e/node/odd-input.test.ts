/** What the commands that only show something say of odd input, and where nobody reads it to its end. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { DAEMONSET, writePackage } from '../support/agent-package.ts'
import { COMMAND, inFolder, ROOT, type Run, run } from '../support/hosts.ts'
import { nodeOf } from '../support/node-objects.ts'

const LONG = [63, 63, 63, 61].map((length, at) => 'nopq'.charAt(at).repeat(length)).join('.')
const FOREIGN = 'שלום-漢字'
const TESTS = `apiVersion: nodefit.dev/v1alpha1
kind: NodefitTest
metadata: {name: "${FOREIGN}"}
spec: {expect: {groups: {m5.large: 1, m5.xlarge: 1}}}
`

/** Changes the inventory of a package. */
function inInventory(folder: string, change: (text: string) => string): void {
  const file = join(folder, 'package/inventory.yaml')
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

const NONE = { explain: '', diff: '', test: '', report: '' }
type Said = Record<keyof typeof NONE, readonly [status: number, said: string | RegExp]>

/** What is odd, and of each command the exit code and a part of what it says. */
const PACKAGES: ReadonlyArray<readonly [what: string, write: (folder: string) => void, said: Said]> = [
  [
    'no nodes',
    (folder) => writePackage(folder, { types: [] }),
    {
      explain: [1, 'NoNodes: there are no nodes in the package. Add a NodeInventory'],
      diff: [1, 'error: NoNodes: there are no nodes in the package'],
      test: [1, /finding +none +error NoNodes/],
      report: [1, 'nothing of it would be applied'],
    },
  ],
  [
    'no agent',
    (folder) => {
      writePackage(folder)
      for (const name of ['policy', 'daemonset']) rmSync(join(folder, `package/${name}.yaml`))
    },
    {
      explain: [0, 'nodefit: no policy has node groups: ask for a --node'],
      diff: [2, 'there is no policy in the input: add a SizingPolicy'],
      test: [1, /policy +one, or its name in spec\.policy +no policy/],
      report: [0, 'Nothing is rendered for nodes.'],
    },
  ],
  [
    'a policy that is off',
    (folder) => writePackage(folder, { spec: { enabled: false } }),
    {
      explain: [0, 'nodefit: no policy has node groups'],
      diff: [0, 'PolicySummary: agent: disabled'],
      test: [1, /group m5\.large +1 node +no such group/],
      report: [0, 'It has no node group.'],
    },
  ],
  [
    'names of 253 characters',
    (folder) => {
      writePackage(folder, { types: ['m5.large', 't'.repeat(63)] })
      inInventory(folder, (text) => text.replaceAll('node-1', LONG))
    },
    {
      explain: [0, `1 node (${LONG})`],
      diff: [0, /^agent-t+\.\.\.t+ +1 /m],
      test: [1, /none +1 node: n+\.\.\.$/m],
      report: [0, LONG],
    },
  ],
  [
    '10,000 nodes',
    (folder) => {
      writePackage(folder)
      const names = Array.from({ length: 9999 }, (_, at) => `        - node-${at + 2}\n`).join('')
      inInventory(folder, (text) =>
        text.replace('nodeCount: 2', 'nodeCount: 10001').replace(/ +- node-0\n/, (line) => line + names),
      )
    },
    {
      explain: [0, '10000 nodes (node-0, node-2, node-3 and 9997 more)'],
      diff: [0, /^total +10001 /m],
      test: [1, /1 node +10000 nodes: node-0, node-2, node-3 and 9997 more/],
      report: [0, '>10000</i> node'],
    },
  ],
  [
    'letters from right to left and wide ones, in a path, a field and a name',
    (folder) => {
      writePackage(folder, { spec: { nodeGroupLabel: `${FOREIGN}/\u202eevil` } })
      renameSync(join(folder, 'package'), join(folder, FOREIGN))
      mkdirSync(join(folder, 'package'))
      renameSync(join(folder, FOREIGN), join(folder, 'package', FOREIGN))
    },
    {
      explain: [1, `spec.nodeGroupLabel "${FOREIGN}/\\u{202e}evil" is not a label key`],
      diff: [1, `spec.nodeGroupLabel "${FOREIGN}/\\u{202e}evil" is not a label key`],
      test: [1, `FAIL  ${FOREIGN} (package/tests.yaml:1)`],
      report: [1, `${FOREIGN}/`],
    },
  ],
]

const nodefit = (cwd: string, ...args: string[]) => run(process.execPath, [COMMAND, ...args], { cwd })

/** Nothing but text, and no trace of a defect. */
function isPlain({ stdout, stderr }: Run, what: string): void {
  assert.not.match(stdout + stderr, /internal error|^ {4}at /m, what)
  assert.not.match((stdout + stderr).replaceAll('\n', ''), /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u, what)
}

suite('odd input', (test) => {
  for (const [what, write, said] of PACKAGES)
    for (const [command, [status, sentence]] of Object.entries(said))
      test(`nodefit ${command}: ${what}`, () =>
        inFolder((folder) => {
          write(folder)
          writeFileSync(join(folder, 'package/tests.yaml'), TESTS)
          const found = nodefit(folder, command, 'package')
          isPlain(found, what)
          assert.match(found.stdout + found.stderr, sentence)
          assert.is(found.status, status, found.stderr)
        }))

  const named = (name: string, annotations: object = {}) => ({
    ...DAEMONSET,
    metadata: { name, namespace: 'n'.repeat(63), annotations },
  })
  const release = (name: string) => ({ 'meta.helm.sh/release-name': name, 'meta.helm.sh/release-namespace': 'x' })
  const two = [nodeOf('a', 'm5.large'), nodeOf('b', 'm5.xlarge')]
  const SCANS: ReadonlyArray<readonly [what: string, objects: object[], status: number, said: string | RegExp]> = [
    [
      'no nodes',
      [DAEMONSET],
      1,
      'NoNodes: there is no Node in all.json: give the output of kubectl get nodes -o json, too',
    ],
    ['no agent', two, 0, 'nodefit: no DaemonSets\n'],
    [
      'names of 253 characters',
      [...two, named(LONG, release('r'.repeat(253)))],
      0,
      /^n+\.\.\.q+ +2 .* Helm release r+\.\.\.r* in x +fine$/m,
    ],
    [
      'letters from right to left, wide ones and control characters',
      [...two, named('agent', release(`${FOREIGN}\u202e\u001b[2J`))],
      0,
      'Helm release של',
    ],
    [
      '10,000 nodes',
      [DAEMONSET, ...Array.from({ length: 10_000 }, (_, at) => nodeOf(`n${at}`, 'm5.large'))],
      0,
      /^ops\/agent +10000 /m,
    ],
  ]
  for (const [what, items, status, sentence] of SCANS)
    for (const form of ['table', 'html', 'json'])
      test(`nodefit scan --output ${form}: ${what}`, () =>
        inFolder((folder) => {
          writeFileSync(join(folder, 'all.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
          const found = nodefit(folder, 'scan', 'all.json', '--output', form)
          if (form !== 'json') isPlain(found, what)
          assert.is(found.status, status, found.stderr)
          if (form === 'json' && status === 0)
            assert.is(JSON.parse(found.stdout).daemonSets.length, items.length > 2 ? 1 : 0)
          if (form === 'table' || status !== 0) assert.match(found.stdout + found.stderr, sentence)
        }))
})

suite('a reader that has seen enough', (test) => {
  if (process.platform !== 'linux') return
  /** Runs with a pipe for stdout that nobody reads any more. */
  const unread = (folder: string, ...words: string[]) => {
    const line = words.map((word) => `'${word}'`).join(' ')
    const script = `rm -f pipe && mkfifo pipe && exec 3<>pipe 4>pipe 3<&- && '${process.execPath}' '${COMMAND}' ${line} >&4`
    return run('sh', ['-c', script], { cwd: folder })
  }
  const VIEWS: ReadonlyArray<readonly [words: string, status: number]> = [
    ['explain package', 0],
    ['explain package --json', 0],
    ['explain package --node nowhere', 1],
    ['diff package --against out', 0],
    ['diff package --against out --markdown', 0],
    ['report package', 0],
    ['test package', 0],
    ['vet package --current out', 0],
    [`scan ${ROOT}/examples/nodes.yaml ${ROOT}/examples/fluent-bit.json`, 0],
    [`scan ${ROOT}/examples/nodes.yaml ${ROOT}/examples/fluent-bit.json --output html`, 0],
  ]
  for (const [words, status] of VIEWS)
    test(`nodefit ${words.replaceAll(`${ROOT}/`, '')}: ends with exit code ${status}, and says nothing of it`, () =>
      inFolder((folder) => {
        writePackage(folder)
        writeFileSync(join(folder, 'package/tests.yaml'), TESTS)
        assert.is(nodefit(folder, 'build', 'package', '--output-dir', 'out').status, 0)
        const found = unread(folder, ...words.split(' '))
        assert.is(found.status, status, found.stderr)
        assert.not.match(found.stderr, /EPIPE|could not be written|internal error/)
      }))
  for (const words of ['build package', 'inventory package/inventory.yaml --cluster a'])
    test(`nodefit ${words}: what is applied is lost, which is an error`, () =>
      inFolder((folder) => {
        writePackage(folder)
        writeFileSync(join(folder, 'nodes.json'), JSON.stringify(nodeOf('a', 'm5.large')))
        const found = unread(folder, ...words.replace('package/inventory.yaml', 'nodes.json').split(' '))
        assert.is(found.status, 1)
        assert.match(found.stderr, /the output could not be written: .*EPIPE/)
      }))
})
