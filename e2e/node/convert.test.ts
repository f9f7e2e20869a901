/** `nodefit convert` as its page shows it, from a file and from a ConfigMap, and its mistakes. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, inFolder, ROOT, run } from '../support/hosts.ts'

const FOLDER = join(ROOT, 'testdata/kubenodesmith')
const FILE = join(FOLDER, 'scaler-config.yaml')
const [CONFIGURATION, CONVERTED] = [FILE, join(FOLDER, 'converted.yaml')].map((file) => readFileSync(file, 'utf8')) as [
  string,
  string,
]
const convert = (args: readonly string[], input?: string) =>
  run(process.execPath, [COMMAND, 'convert', ...args], { input, cwd: FOLDER })
const configMap = (data: object, metadata: object = {}) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'scaler-config', ...metadata }, data })
const NOT_CARRIED =
  'nodefit: not carried: pollingInterval 30s: a render has no interval\n' +
  'nodefit: not carried: providers.pve.options.vmTags: a NodeSmithProvider of type proxmox has no such field\n'

const MISTAKES: ReadonlyArray<readonly [name: string, args: readonly string[], said: RegExp, input?: string]> = [
  ['no size', ['scaler-config.yaml'], /how large the machines of small are: .*\n {2}--machine small=4\/8192\n$/],
  [
    'a size of no pool',
    ['scaler-config.yaml', '--machine', 'large=4/8192'],
    /there is no pool large; the pools are small\n$/,
  ],
  [
    'a size twice',
    ['scaler-config.yaml', '--machine', '4/8192', '--machine', '2/1'],
    /--machine 2\/1 gives a size a second time\n$/,
  ],
  ['a size of no cores', ['scaler-config.yaml', '--machine', '0/8192'], /--machine 0\/8192 is not \[POOL=\]CORES\/MIB/],
  ['a size in GiB', ['scaler-config.yaml', '--machine', '4/8Gi'], /is not \[POOL=\]CORES\/MIB/],
  ['no file', ['absent.yaml', '--machine', '4/8192'], /^nodefit: there is no file absent\.yaml\n$/],
  ['two files', ['a', 'b'], /^nodefit: give one FILE, or - for stdin, not 2\n$/],
  [
    'a key of no ConfigMap',
    ['scaler-config.yaml', '--key', 'a', '--machine', '4/8192'],
    /is no ConfigMap: leave out --key\n$/,
  ],
  [
    'another kind',
    ['-', '--machine', '4/8192'],
    /^nodefit: the input is a Secret, not a ConfigMap\n$/,
    '{kind: Secret}',
  ],
  [
    'a namespace that is none',
    ['scaler-config.yaml', '--machine', '4/8192', '--namespace', 'A'],
    /--namespace A is no name of a namespace\n$/,
  ],
  [
    'an invalid file',
    ['-', '--machine', '4/8192'],
    /^nodefit: the input: schemaVersion is missing; providers is missing; nodePools is missing\n$/,
    '{}',
  ],
  ['no YAML', ['-', '--machine', '4/8192'], /the input cannot be read as YAML/, '{'],
]

suite('nodefit convert', (test) => {
  test('prints resources, and on stderr what they cannot carry', () =>
    assert.equal(convert(['scaler-config.yaml', '--machine', '4/8192']), {
      status: 0,
      stdout: CONVERTED,
      stderr: NOT_CARRIED,
    }))
  test('takes the size of a pool before that of all, and the namespace', () => {
    const { stdout } = convert([
      'scaler-config.yaml',
      '--machine',
      '1/1',
      '--machine',
      'small=4/8192',
      '--namespace',
      'pools',
    ])
    const expected = CONVERTED.replaceAll(/^( {2}namespace: )kubenodesmith$/gm, '$1pools')
    assert.is(stdout, expected)
  })
  test('reads a ConfigMap, in whose namespace the objects are', () => {
    const data = { 'scaler-config.yaml': CONFIGURATION }
    assert.is(convert(['-', '--machine', '4/8192'], configMap(data)).stdout, CONVERTED)
    const other = convert(
      ['--machine', '4/8192', '--key', 'b'],
      configMap({ a: '', b: CONFIGURATION }, { namespace: 'ns' }),
    )
    assert.match(other.stdout, '  namespace: ns\n')
    const yaml = convert(
      ['--machine', '4/8192'],
      `apiVersion: v1\nkind: ConfigMap\ndata:\n  c: |\n${CONFIGURATION.replaceAll(/^/gm, '    ')}`,
    )
    assert.equal([yaml.status, yaml.stdout], [0, CONVERTED])
  })
  for (const [name, args, said, input] of MISTAKES)
    test(`a mistake: ${name}`, () => {
      const { status, stdout, stderr } = convert(args, input)
      assert.equal([status, stdout], [1, ''], stderr)
      assert.match(stderr, said)
    })
  test('what it prints can be built: a package of it opens a machine', () =>
    inFolder(() => {
      const golden = join(ROOT, 'testdata/pools/small/package')
      const inventory = readFileSync(join(golden, 'inventory.yaml'), 'utf8')
      const { status, stdout, stderr } = run(
        process.execPath,
        [COMMAND, 'build', '-', '--earlier', join(FOLDER, 'absent')],
        { input: `${CONVERTED}---\n${inventory}` },
      )
      assert.is(status, 0, stderr)
      assert.match(stdout, /kind: NodeSmithClaim\nmetadata:\n {2}name: worker-auto-000001\n/)
    }))
})

suite('nodefit convert, to the next version', (test) => {
  const policy = readFileSync(join(ROOT, 'testdata/quickstart/policy.yaml'), 'utf8')
  const commented = `# sized by the platform team\n${policy.replace('spec:', 'spec:\n  gomemlimitPercentage: 0.8 # of the limit')}`
  const others = readFileSync(join(ROOT, 'testdata/quickstart/daemonset.yaml'), 'utf8')
  test('keeps comments, order and other objects', () => {
    const { status, stdout, stderr } = convert(['-'], `${commented}---\n${others}`)
    assert.is(status, 0, stderr)
    const wanted = commented.replace('v1alpha1', 'v1beta1').replace('gomemlimitPercentage', 'goMemLimitPercentage')
    assert.is(stdout, `${wanted}---\n${others}`)
    assert.equal(convert(['-'], stdout).stdout, stdout)
  })
  test('converts what is not written line by line, and JSON', () => {
    const flow =
      'apiVersion: "nodefit.dev/v1alpha1"\nkind: SizingPolicy\nmetadata: {name: a}\nspec: {gomemlimitPercentage: 0.8, targetRef: {name: a}}\n'
    for (const text of [flow, JSON.stringify(parse(flow))])
      assert.equal(parse(convert(['-'], text).stdout), {
        apiVersion: 'nodefit.dev/v1beta1',
        kind: 'SizingPolicy',
        metadata: { name: 'a' },
        spec: { goMemLimitPercentage: 0.8, targetRef: { name: 'a' } },
      })
  })
  test('leaves a file without resources of nodefit to the other conversion', () =>
    assert.match(convert(['-'], others).stderr, 'is a DaemonSet, not a ConfigMap'))
  test('takes none of its options', () =>
    assert.match(convert(['-', '--machine', '4/8192'], policy).stderr, 'has resources of nodefit: leave out --machine'))
  test('what it prints renders to the same manifests', () =>
    inFolder((folder) => {
      const files = ['daemonset.yaml', 'inventory.yaml'].map((name) => join(ROOT, 'testdata/quickstart', name))
      const newer = join(folder, 'policy.yaml')
      writeFileSync(newer, convert(['-'], policy).stdout)
      const built = (file: string) => run(process.execPath, [COMMAND, 'build', file, ...files], {})
      const before = built(join(ROOT, 'testdata/quickstart/policy.yaml'))
      assert.is(before.status, 0, before.stderr)
      assert.is(built(newer).stdout, before.stdout)
    }))
})
