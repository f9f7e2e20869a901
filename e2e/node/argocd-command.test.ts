/** `nodefit build --argocd` as the plugin server of Argo CD starts it: in a copy of the repository, without stdin. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseAllDocuments } from 'yaml'
import { writeYaml } from '../../src/krm/write-yaml.ts'
import { inventory, OS, shape, TYPE } from '../../test/support/objects.ts'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, inFolder, ROOT, run } from '../support/hosts.ts'

const PACKAGE = join(ROOT, 'testdata/quickstart')
const CLUSTER = 'prod-eu'
const FIRST_NAMES = ['fluent-bit-default', 'fluent-bit-m5-4xlarge', 'fluent-bit-m5-large', 'fluent-bit-remainder']

interface Given {
  readonly parameters?: unknown
  readonly env?: Record<string, string>
  readonly args?: readonly string[]
}

/** Runs the plugin in a folder; stdin is /dev/null and the environment is that of the sidecar, with what Argo CD adds. */
function plugin(cwd: string, { parameters, env = {}, args = [] }: Given = {}) {
  const given = parameters === undefined ? {} : { ARGOCD_APP_PARAMETERS: JSON.stringify(parameters) }
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, 'build', '--argocd', ...args], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 29,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...given, ...env },
  })
  return { status, stdout, stderr }
}

/** A repository with the package in apps/agent. */
function inRepository(body: (app: string, repository: string) => void): void {
  inFolder((folder) => {
    const repository = join(folder, 'repository')
    const app = join(repository, 'apps/agent')
    mkdirSync(join(repository, '.git'), { recursive: true })
    cpSync(PACKAGE, app, { recursive: true })
    body(app, repository)
  })
}

const objects = (text: string) =>
  parseAllDocuments(text).map((one) => one.toJS() as { kind: string; metadata: { name: string; annotations?: object } })
const names = (text: string) => objects(text).map(({ metadata }) => metadata.name)
const paths = (...array: string[]) => [{ name: 'paths', array }]

/** Fails as Argo CD wants it: nothing on stdout, and a short text on stderr. */
function fails(result: ReturnType<typeof plugin>, text: string | RegExp): void {
  assert.is(result.status, 1)
  assert.is(result.stdout, '')
  assert.match(result.stderr, text)
  assert.ok(result.stderr.length < 4000, result.stderr)
  assert.ok(result.stderr.split('\n').length <= 5, result.stderr)
  assert.not.match(result.stderr, /\n\s+at /)
}

/** A package of two policies, and the file of the second. */
const TWO = join(ROOT, 'testdata/golden/two-policies/package')
const SECOND = 'policy-b.yaml'
const rename = (app: string, to: string) => renameSync(join(app, SECOND), join(app, to))
const rewrite = (app: string, change: (text: string) => string) =>
  writeFileSync(join(app, SECOND), change(readFileSync(join(app, SECOND), 'utf8')))

/** How a policy gets lost in daily work. */
const LOST: Array<[how: string, lose: (app: string) => void]> = [
  ['deleted', (app) => rmSync(join(app, SECOND))],
  ['renamed to .bak', (app) => rename(app, `${SECOND}.bak`)],
  ['emptied', (app) => rewrite(app, () => '')],
  ['commented out', (app) => rewrite(app, (text) => text.replaceAll(/^/gm, '# '))],
]

suite('a policy that is lost', (test) => {
  const withTwo = (body: (app: string) => void) =>
    inRepository((app) => {
      rmSync(app, { recursive: true })
      cpSync(TWO, app, { recursive: true })
      body(app)
    })
  const expecting = readFileSync(join(ROOT, 'testdata/golden/lost-policy/package/render-config.yaml'))
  test('a policy that is lost: its groups go without a word where nothing is expected', () =>
    withTwo((app) => {
      const before = names(plugin(app).stdout)
      rename(app, `${SECOND}.bak`)
      const { status, stdout } = plugin(app)
      assert.is(status, 0)
      assert.ok(names(stdout).length < before.length)
    }))
  for (const [how, lose] of LOST)
    test(`a policy that is lost: refused where the package says how many there are: ${how}`, () =>
      withTwo((app) => {
        writeFileSync(join(app, 'render-config.yaml'), expecting)
        assert.is(plugin(app).status, 0)
        lose(app)
        fails(
          plugin(app),
          'PolicyMissing: RenderConfig render-config expects SizingPolicies to number 2, but there is 1',
        )
      }))
})

suite('nodefit build --argocd', (test) => {
  test('prints manifests, and nothing else: no input, no annotation of a host, no table', () => {
    const { status, stdout, stderr } = plugin(PACKAGE)
    assert.is(status, 0, stderr)
    assert.equal(names(stdout), FIRST_NAMES)
    assert.not.match(stdout, /(config|internal\.config)\.kubernetes\.io\/(path|index|local-config)/)
    assert.not.match(stderr, 'GROUP')
    assert.match(stderr, /^nodefit: [A-Z]\w+: /)
  })
  test('the same bytes with any other environment, as the hydrator of Argo CD relies on, and as build prints them', () =>
    inRepository((app) => {
      const { stdout } = plugin(PACKAGE)
      const env = {
        ARGOCD_APP_NAME: 'other',
        ARGOCD_APP_REVISION: '0123456789abcdef',
        ARGOCD_ENV_TARGET: 'other',
        PARAM_SET_TARGET: 'other',
        KUBE_VERSION: '1.99',
        HOME: '/nowhere',
        LANG: 'tr_TR.UTF-8',
        TZ: 'Pacific/Kiritimati',
        FORCE_COLOR: '1',
      }
      assert.is(plugin(app, { env }).stdout, stdout)
      assert.is(plugin(app, { parameters: null }).stdout, stdout)
      assert.is(plugin(app, { parameters: [] }).stdout, stdout)
      assert.is(plugin(app, { parameters: paths('.') }).stdout, stdout)
      assert.is(run(process.execPath, [COMMAND, 'build', PACKAGE]).stdout, stdout)
    }))
  test('parameters: a folder, flat keys, what was rendered before', () =>
    inRepository((app) => {
      rmSync(join(app, 'policy.yaml'))
      const inputs = paths('daemonset.yaml', 'inventory.yaml')
      const target = { target: 'fluent-bit' }
      const bare = plugin(app, { parameters: [...inputs, { name: 'set', map: target }] })
      assert.is(bare.status, 1)
      assert.match(bare.stderr, 'SizesMissing')
      const lines = [...bare.stderr.matchAll(/^ {2}(\w+): "(.*)"$/gm)]
      const sizes = Object.fromEntries(lines.map(([, key = '', value]) => [key, value]))
      const parameters = [...inputs, { name: 'set', map: { ...target, ...sizes } }]
      const built = plugin(app, { parameters })
      assert.is(built.status, 0, built.stderr)
      assert.equal(names(built.stdout), FIRST_NAMES)
      mkdirSync(join(app, 'rendered'))
      writeFileSync(join(app, 'rendered/all.yaml'), built.stdout)
      const again = plugin(app, { parameters: [...parameters, { name: 'earlier', string: 'rendered' }] })
      assert.is(again.status, 0, again.stderr)
      assert.match(again.stderr, '0 objects added')
      assert.equal(names(again.stdout), FIRST_NAMES)
    }))
  test('cluster and policies: what is there, and what is lost, also without earlier output', () =>
    inRepository((app) => {
      const given = (cluster: string, ...policies: string[]) => ({
        parameters: [
          { name: 'cluster', string: cluster },
          { name: 'policies', array: policies },
        ],
      })
      const cluster = CLUSTER
      assert.is(plugin(app, given(cluster, 'fluent-bit')).stdout, plugin(PACKAGE).stdout)
      fails(plugin(app, given('other', 'fluent-bit')), /WrongCluster: cluster other has no inventory/)
      fails(plugin(app, given(cluster, 'fluent-bit', 'logs')), /PolicyMissing: .*logs/)
      const policy = readFileSync(join(app, 'policy.yaml'), 'utf8')
      writeFileSync(join(app, 'logs.yaml'), policy.replace('name: fluent-bit\n', 'name: logs\n'))
      fails(plugin(app, given(cluster, 'fluent-bit')), /PolicyNotExpected: .*logs/)
      for (const lost of [policy.replace(/^/gm, '# '), '']) {
        writeFileSync(join(app, 'logs.yaml'), lost)
        assert.is(plugin(app).status, 0)
        fails(plugin(app, given(cluster, 'fluent-bit', 'logs')), /PolicyMissing: .*logs/)
      }
    }))
  test('links within the repository are followed', () =>
    inRepository((app, repository) => {
      cpSync(join(app, 'inventory.yaml'), join(repository, 'shared.yaml'))
      rmSync(join(app, 'inventory.yaml'))
      symlinkSync('../../shared.yaml', join(app, 'inventory.yaml'))
      assert.is(plugin(app).stdout, plugin(PACKAGE).stdout)
    }))
  test('a link out of the repository is refused, found or named', () =>
    inRepository((app, repository) => {
      cpSync(join(app, 'inventory.yaml'), join(repository, '../outside/inventory.yaml'))
      rmSync(join(app, 'inventory.yaml'))
      symlinkSync(join(repository, '../outside/inventory.yaml'), join(app, 'inventory.yaml'))
      fails(plugin(app), 'inventory.yaml links to a place outside the repository: put a copy inside')
      symlinkSync('../../../outside', join(app, 'folder'))
      fails(
        plugin(app, { parameters: paths('folder') }),
        'folder links to a place outside the repository: put a copy inside',
      )
      const earlier = [{ name: 'earlier', string: 'folder' }]
      fails(plugin(app, { parameters: earlier }), 'folder links to a place outside the repository: put a copy inside')
    }))
  test('without a repository the folder itself is what nothing leads out of', () =>
    inFolder((folder) => {
      const app = join(folder, 'apps/agent')
      cpSync(PACKAGE, app, { recursive: true })
      cpSync(join(app, 'inventory.yaml'), join(folder, 'shared.yaml'))
      rmSync(join(app, 'inventory.yaml'))
      symlinkSync('../../shared.yaml', join(app, 'inventory.yaml'))
      fails(plugin(app), 'inventory.yaml links to a place outside the repository: put a copy inside')
    }))
  for (const path of ['../agent', 'a/../../agent', '..', PACKAGE, '', '-', '..\\agent']) {
    test(`the path "${path}" is refused`, () =>
      inRepository((app) => {
        fails(plugin(app, { parameters: paths(path) }), 'is not a path below the folder of the Application')
        if (path !== '')
          fails(
            plugin(app, { parameters: [{ name: 'earlier', string: path }] }),
            'is not a path below the folder of the Application',
          )
      }))
  }
  for (const args of [['.'], ['--set', 'target=a'], ['--earlier', 'a'], ['--output', 'a'], ['--all']]) {
    test(`${args.join(' ')} beside it is refused`, () =>
      fails(plugin(PACKAGE, { args }), 'reads everything from the parameters of the Application'))
  }
  test('a parameter that is unknown', () =>
    fails(plugin(PACKAGE, { parameters: [{ name: 'target', string: 'a' }] }), 'unknown parameter "target"'))
  test('an unknown flat key', () =>
    fails(plugin(PACKAGE, { parameters: [{ name: 'set', map: { targett: 'a' } }] }), 'targett'))
  test('a file that is no object is named', () =>
    inRepository((app) => {
      writeFileSync(join(app, 'values.yaml'), 'a: 1\n')
      fails(plugin(app), 'values.yaml')
    }))
  test('a folder without a policy, without manifests, and one that is not there', () =>
    inRepository((app) => {
      mkdirSync(join(app, 'empty'))
      fails(plugin(app, { parameters: paths('empty') }), 'no YAML or JSON files')
      fails(plugin(app, { parameters: paths('nowhere') }), 'there is no file or folder nowhere')
      fails(plugin(app, { parameters: paths('daemonset.yaml') }), 'there is no policy in the input')
    }))
  test('a policy that is disabled and has no template to hand back is no empty success', () =>
    inRepository((app) => {
      const policy = readFileSync(join(app, 'policy.yaml'), 'utf8').replace('spec:\n', 'spec:\n  enabled: false\n')
      writeFileSync(join(app, 'policy.yaml'), policy)
      assert.equal(names(plugin(app).stdout), ['fluent-bit'])
      rmSync(join(app, 'daemonset.yaml'))
      fails(plugin(app), 'no object is rendered, and Argo CD would delete everything')
    }))
  test('many errors are a few lines and a count', () =>
    inRepository((app) => {
      const policy = readFileSync(join(app, 'policy.yaml'), 'utf8')
      const policies = ['a', 'b', 'c', 'd', 'e'].map((name) =>
        policy.replace('name: fluent-bit\n', `name: ${name}\n`).replace('spec:\n', 'spec:\n  unknownField: 1\n'),
      )
      writeFileSync(join(app, 'policy.yaml'), policies.join('---\n'))
      fails(plugin(app), /^nodefit: UnknownField: .*\nnodefit: .*\nnodefit: .*\nnodefit: and \d+ more\n$/)
    }))
})

suite('nodefit build --argocd at 5,000 nodes', (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const order = readFileSync(join(ROOT, 'testdata/reservation/system-overhead/package/order.yaml'), 'utf8')
  writeFileSync(join(folder, 'inventory.yaml'), writeYaml(fleet()))
  for (const file of ['daemonset.yaml', 'policy.yaml']) cpSync(join(PACKAGE, file), join(folder, file))
  test('DaemonSets for 60 types', () => built(folder, 62))
  test('a Ticket for each node', () => {
    rmSync(join(folder, 'policy.yaml'))
    writeFileSync(join(folder, 'order.yaml'), order)
    built(folder, 5001)
  })
})

function built(folder: string, count: number): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, 'build', '--argocd'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 29,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  assert.is(status, 0, stderr)
  assert.is(stdout.split('\n---\n').length, count)
}

function fleet() {
  const TYPES = 60
  const shapes = Array.from({ length: TYPES }, (_, index) => {
    const nodes = Array.from(
      { length: Math.ceil((5000 - index) / TYPES) },
      (_, node) => `ip-10-${index}-${Math.floor(node / 250)}-${node % 250}.eu-central-1.compute.internal`,
    )
    return shape(
      { [OS]: 'linux', [TYPE]: `m${index % 9}.${index + 1}xlarge` },
      nodes,
      String(2 + index),
      `${8 + index}Gi`,
    )
  })
  return inventory(shapes)
}
