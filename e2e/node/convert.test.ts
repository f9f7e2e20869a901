/** `nodefit convert` as its page shows it, from a file and from a ConfigMap, and its mistakes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
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
