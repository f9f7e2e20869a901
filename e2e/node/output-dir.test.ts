/** `nodefit build --output-dir`: the folder that Flux and Argo CD point at. */
import { spawn } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, stringify } from 'yaml'
import { nodes, nodesAt, order } from '../../test/support/orders.ts'
import { suite } from '../../test/support/suite.ts'
import { DAEMONSET, writePackage } from '../support/agent-package.ts'
import { COMMAND, filesOf, inFolder, ROOT, run } from '../support/hosts.ts'

const FAULTS = join(ROOT, 'e2e/support/file-faults.cjs')
const MARK = '# Written by nodefit build --output-dir, which rewrites and removes this file: do not edit it.\n'
const nodefit = (cwd: string, ...args: string[]) => run(process.execPath, [COMMAND, ...args], { cwd })

const build = (folder: string, ...args: string[]) => nodefit(folder, 'build', 'package', '--output-dir', 'out', ...args)

function builds(folder: string, ...args: string[]): string {
  const { status, stdout, stderr } = build(folder, ...args)
  assert.is(status, 0, stderr)
  assert.is(stdout, '')
  return stderr
}

/** Every file and folder with the time of its last change. */
function timesOf(folder: string): Record<string, number> {
  return Object.fromEntries(
    ['', ...Object.keys(filesOf(folder))].map((name) => [name, statSync(join(folder, name)).mtimeMs]),
  )
}

/** What removes the groups of types that are gone in the same run. */
const AT_ONCE = { retainGroups: '0s' }
const NAMES = ['default', 'm5-large', 'm5-xlarge', 'remainder'].map((group) => `daemonset.apps_ops_agent-${group}.yaml`)

suite('an output folder', (test) => {
  test('holds a file for each object and the list of them', () =>
    inFolder((folder) => {
      writePackage(folder)
      assert.match(builds(folder), 'nodefit: there is no output in out: nothing was rendered before\n')
      const files = filesOf(join(folder, 'out'))
      assert.equal(Object.keys(files), [...NAMES, 'kustomization.yaml'])
      for (const text of Object.values(files)) assert.ok(text.startsWith(MARK))
      assert.equal(parse(files['kustomization.yaml'] ?? '').resources, NAMES)
      const stream = nodefit(folder, 'build', 'package', '--earlier', 'none').stdout
      assert.is(NAMES.map((name) => files[name]?.slice(MARK.length)).join('---\n'), stream)
    }))
  test('the same again touches nothing; a change touches what changes', () =>
    inFolder((folder) => {
      writePackage(folder)
      builds(folder)
      const out = join(folder, 'out')
      const [files, times] = [filesOf(out), timesOf(out)]
      assert.match(builds(folder), 'nodefit: out is unchanged\n')
      assert.equal(timesOf(out), times)
      assert.equal(filesOf(out), files)
      writePackage(folder, { types: ['m5.large', 'r5.large'], spec: AT_ONCE })
      assert.match(builds(folder), 'nodefit: out: 1 file added, 2 changed, 1 removed\n')
      const after = filesOf(out)
      assert.equal(
        Object.keys(after),
        [
          ...NAMES.filter((name) => !name.includes('xlarge')),
          'daemonset.apps_ops_agent-r5-large.yaml',
          'kustomization.yaml',
        ].sort(),
      )
      assert.is(after[NAMES[1] ?? ''], files[NAMES[1] ?? ''])
      assert.is(timesOf(out)[NAMES[1] ?? ''], times[NAMES[1] ?? ''])
    }))
  test('is the earlier output as well: guards count from it, names are kept, a policy that is gone is an error', () =>
    inFolder((folder) => {
      const types = ['a', 'b', 'c', 'd', 'e', 'f'].map((size) => `${size}5.large`)
      writePackage(folder, { types })
      builds(folder)
      const before = filesOf(join(folder, 'out'))
      writePackage(folder, { types: ['a5.large'] })
      const tripped = build(folder)
      assert.is(tripped.status, 1)
      assert.match(tripped.stderr, /error: GuardTripped/)
      assert.equal(filesOf(join(folder, 'out')), before)
      writePackage(folder, { types })
      const policy = join(folder, 'package/policy.yaml')
      writeFileSync(policy, readFileSync(policy, 'utf8').replace('name: agent', 'name: renamed'))
      const orphaned = build(folder)
      assert.is(orphaned.status, 1)
      assert.match(orphaned.stderr, /error: OrphanedOutput: .*SizingPolicy\/agent, which is not in the package/)
      assert.equal(filesOf(join(folder, 'out')), before)
      const allowed = {
        apiVersion: 'nodefit.dev/v1alpha1',
        kind: 'RenderConfig',
        metadata: { name: 'c' },
        spec: { allow: ['OrphanedOutput'] },
      }
      writePackage(folder, { types, spec: { targetRef: { name: 'agent' } }, more: [allowed] })
      builds(folder)
      assert.match(
        build(folder, '--earlier', 'elsewhere').stderr,
        'out holds the earlier output itself: leave --earlier out',
      )
    }))
  test('of two runs for one policy each, the second does not remove what the first rendered', () =>
    inFolder((folder) => {
      writePackage(folder, {
        more: [{ ...DAEMONSET, metadata: { name: 'other', namespace: 'ops' } }],
      })
      rmSync(join(folder, 'package/policy.yaml'))
      builds(folder, '--set', 'target=agent')
      const before = filesOf(join(folder, 'out'))
      const { status, stderr } = build(folder, '--set', 'target=other')
      assert.is(status, 1)
      assert.match(stderr, /is owned by SizingPolicy\/agent, which is not in this run: build all policies/)
      assert.equal(filesOf(join(folder, 'out')), before)
    }))
  test('enabled: false puts the template in the place of the groups, and back', () =>
    inFolder((folder) => {
      writePackage(folder)
      builds(folder)
      const before = filesOf(join(folder, 'out'))
      writePackage(folder, { spec: { enabled: false } })
      builds(folder)
      assert.equal(Object.keys(filesOf(join(folder, 'out'))), ['daemonset.apps_ops_agent.yaml', 'kustomization.yaml'])
      writePackage(folder)
      builds(folder)
      assert.equal(filesOf(join(folder, 'out')), before)
    }))
  test('a checkout with the line ends of Windows is the same folder', () =>
    inFolder((folder) => {
      writePackage(folder)
      builds(folder)
      const out = join(folder, 'out')
      for (const [name, text] of Object.entries(filesOf(out)))
        writeFileSync(join(out, name), text.replaceAll('\n', '\r\n'))
      assert.match(builds(folder), 'out is unchanged')
      writePackage(folder, { types: ['m5.large', 'r5.large'], spec: AT_ONCE })
      assert.match(builds(folder), 'nodefit: out: 1 file added, 2 changed, 1 removed\n')
    }))
  test('lies in the package without being read as input', () =>
    inFolder((folder) => {
      writePackage(folder)
      const into = () => nodefit(folder, 'build', 'package', '--output-dir', 'package/out')
      assert.is(into().status, 0)
      const before = filesOf(join(folder, 'package/out'))
      assert.match(into().stderr, 'package/out is unchanged')
      assert.equal(filesOf(join(folder, 'package/out')), before)
      const { status, stderr } = nodefit(folder, 'build', 'package', '--output-dir', 'package')
      assert.is(status, 1)
      assert.match(stderr, 'package is in the output folder package')
    }))
  test('names tell apart what a file system or a reader may not', () =>
    inFolder((folder) => {
      const role = (name: string, apiVersion = 'rbac.authorization.k8s.io/v1') => ({
        apiVersion,
        kind: 'ClusterRole',
        metadata: { name },
      })
      const more = [
        role('view'),
        role('View'),
        role('system:view'),
        role('system-view'),
        role('view', 'example.com/v1'),
        role(`${'x'.repeat(240)}`),
      ]
      writePackage(folder, { more })
      builds(folder)
      const roles = Object.keys(filesOf(join(folder, 'out'))).filter((name) => name.startsWith('clusterrole'))
      assert.is(roles.length, 6)
      assert.ok(roles.includes('clusterrole.rbac.authorization.k8s.io_view.yaml'))
      assert.ok(roles.includes('clusterrole.example.com_view.yaml'))
      assert.ok(
        roles.every((name) => /^[a-z0-9._-]{1,220}$/.test(name)),
        roles.join(),
      )
      assert.match(builds(folder), 'out is unchanged')
      writePackage(folder, { more: [role('view'), role('view')] })
      assert.match(build(folder).stderr, 'ClusterRole view is rendered twice')
    }))
})

suite('an output folder in a package with a kustomization', (test) => {
  const LIST = 'resources: [daemonset.yaml, policy.yaml] # ours\n'
  const inPackage = (folder: string) => nodefit(folder, 'build', 'package', '--output-dir', 'package/out')
  const listIn = (folder: string) => readFileSync(join(folder, 'package/kustomization.yaml'), 'utf8')
  /** A package whose template its user keeps back. */
  const writeLocalPackage = (folder: string) => {
    writePackage(folder)
    const template = join(folder, 'package/daemonset.yaml')
    const { metadata, ...rest } = parse(readFileSync(template, 'utf8'))
    const local = { ...metadata, annotations: { 'config.kubernetes.io/local-config': 'true' } }
    writeFileSync(template, stringify({ ...rest, metadata: local }))
  }
  test('is added to the list that holds a template which its user keeps back, once', () =>
    inFolder((folder) => {
      writeLocalPackage(folder)
      writeFileSync(join(folder, 'package/kustomization.yaml'), LIST)
      assert.match(inPackage(folder).stderr, 'nodefit: package/kustomization.yaml now lists out\n')
      assert.is(listIn(folder), 'resources: [daemonset.yaml, policy.yaml, out] # ours\n')
      assert.not.match(inPackage(folder).stderr, 'now lists')
    }))
  test('is not added beside a file whose objects it holds as well: kustomize would refuse them', () =>
    inFolder((folder) => {
      writeLocalPackage(folder)
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'agents' } }
      writeFileSync(join(folder, 'package/namespace.yaml'), stringify(namespace))
      const list = 'resources: [daemonset.yaml, namespace.yaml]\n'
      writeFileSync(join(folder, 'package/kustomization.yaml'), list)
      assert.match(inPackage(folder).stderr, 'list out in place of namespace.yaml, or let the host read package/out')
      assert.is(listIn(folder), list)
      writeFileSync(join(folder, 'package/kustomization.yaml'), 'resources: [daemonset.yaml, out]\n')
      assert.not.match(inPackage(folder).stderr, 'in place of')
    }))
  test('is not added beside a static DaemonSet that is applied: nodes would run two agents', () =>
    inFolder((folder) => {
      writePackage(folder)
      writeFileSync(join(folder, 'package/kustomization.yaml'), LIST)
      assert.not.match(inPackage(folder).stderr, 'now lists')
      assert.is(listIn(folder), LIST)
    }))
})

suite('an output folder that is not only ours', (test) => {
  const refused = (title: string, change: (out: string) => void, sentence: RegExp) =>
    test(title, () =>
      inFolder((folder) => {
        const out = join(folder, 'out')
        writePackage(folder, { types: ['m5.large', 'm5.xlarge', 'm5.2xlarge', 'm5.4xlarge'] })
        builds(folder)
        change(out)
        const before = filesOf(out)
        writePackage(folder, { types: ['m5.large', 'm5.xlarge', 'm5.2xlarge', 'r5.large'] })
        const { status, stderr } = build(folder)
        assert.is(status, 1, stderr)
        assert.match(stderr, sentence)
        assert.equal(filesOf(out), before)
      }),
    )
  const [, , added = ''] = ['', '', 'daemonset.apps_ops_agent-r5-large.yaml']
  const gone = 'daemonset.apps_ops_agent-m5-4xlarge.yaml'
  const append = (out: string, name: string, text: string) =>
    writeFileSync(join(out, name), `${readFileSync(join(out, name), 'utf8')}${text}`)
  refused(
    'a foreign file in the place of a new one',
    (out) => writeFileSync(join(out, added), 'kind: X\n'),
    /is not as nodefit wrote it/,
  )
  refused('a folder in the place of a new file', (out) => mkdirSync(join(out, added)), /is not as nodefit wrote it/)
  refused(
    'a link in the place of a new file',
    (out) => symlinkSync('/nowhere', join(out, added)),
    /is not as nodefit wrote it/,
  )
  refused(
    'a list that somebody added to',
    (out) => append(out, 'kustomization.yaml', 'namePrefix: x-\n'),
    /kustomization\.yaml is not as nodefit wrote it/,
  )
  refused(
    'a list without the mark',
    (out) => writeFileSync(join(out, 'kustomization.yaml'), 'kind: Kustomization\n'),
    /kustomization\.yaml is not as nodefit wrote it|was not written by nodefit/,
  )
  refused(
    'a file of somebody else that was put on the list',
    (out) => {
      writeFileSync(join(out, 'zz.yaml'), 'kind: X\n')
      append(out, 'kustomization.yaml', '- zz.yaml\n')
    },
    /zz\.yaml is not as nodefit wrote it/,
  )
  refused(
    'a second document in a file that goes',
    (out) => append(out, gone, '---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: mine\n'),
    /./,
  )
  refused(
    'a second list',
    (out) => writeFileSync(join(out, 'Kustomization'), 'kind: Kustomization\n'),
    /is beside kustomization\.yaml, and tools read only one of them/,
  )
  refused(
    'a merge that was not resolved',
    (out) => append(out, 'kustomization.yaml', '<<<<<<< HEAD\n'),
    /ConflictMarkers: out\/kustomization\.yaml has the markers of a Git conflict, line \d+: <<<<<<< HEAD\. nodefit rendered it: take either side \(git checkout --ours -- out\), then build again/,
  )

  test('other files stay, and are not listed', () =>
    inFolder((folder) => {
      writePackage(folder)
      builds(folder)
      const others = { 'README.md': 'read\n', 'own.yaml': 'kind: Mine\n' }
      for (const [name, text] of Object.entries(others)) writeFileSync(join(folder, 'out', name), text)
      writePackage(folder, { types: ['m5.large', 'r5.large'] })
      builds(folder)
      const files = filesOf(join(folder, 'out'))
      assert.is(files['README.md'], 'read\n')
      assert.is(files['own.yaml'], 'kind: Mine\n')
      assert.not.match(files['kustomization.yaml'] ?? '', 'own.yaml')
    }))
  test('a folder of manifests without a list is refused: the list would take them out of what is applied', () =>
    inFolder((folder) => {
      writePackage(folder)
      mkdirSync(join(folder, 'out/below'), { recursive: true })
      writeFileSync(join(folder, 'out/below/a.yml'), 'kind: Mine\n')
      const { status, stderr } = build(folder)
      assert.is(status, 1)
      assert.match(
        stderr,
        'out/below/a.yml was not written by nodefit, and the kustomization.yaml of nodefit would not list it',
      )
    }))
  test('nothing left to apply is an error, and so is a run that fails', () =>
    inFolder((folder) => {
      writePackage(folder)
      builds(folder)
      const before = filesOf(join(folder, 'out'))
      const template = join(folder, 'package/daemonset.yaml')
      for (const [spec, sentence] of [
        [{ enabled: false }, /no object is rendered, so out is not changed: to remove the applied objects/],
        [{ nodeGroupLabel: 'no.such/label' }, /error: LabelOnNoNode|error: LabelNotExported/],
      ] as const) {
        writePackage(folder, { spec })
        const local = { 'config.kubernetes.io/local-config': 'true' }
        const daemonSet = parse(readFileSync(template, 'utf8'))
        writeFileSync(template, stringify({ ...daemonSet, metadata: { ...daemonSet.metadata, annotations: local } }))
        const { status, stderr } = build(folder)
        assert.is(status, 1)
        assert.match(stderr, sentence)
        assert.equal(filesOf(join(folder, 'out')), before)
      }
    }))
  test('where an Order has no Tickets for now, the way is to keep another object', () =>
    inFolder((folder) => {
      const at = (time: string) =>
        writeFileSync(join(folder, 'package/inventory.yaml'), stringify(nodesAt(time, nodes('a'))))
      const nightly = { strategy: { type: 'Scheduled', schedule: '0 2 * * *' } }
      mkdirSync(join(folder, 'package'))
      writeFileSync(join(folder, 'package/order.yaml'), stringify(order(nightly, { duration: '1h' })))
      at('2026-11-20T02:10:00Z')
      builds(folder)
      const open = filesOf(join(folder, 'out'))
      at('2026-11-20T04:00:00Z')
      const { status, stderr } = build(folder)
      assert.is(status, 1)
      assert.match(
        stderr,
        'if nothing is to be applied for now, add an object that always stays to the package, such as an empty ConfigMap',
      )
      assert.equal(filesOf(join(folder, 'out')), open)
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } }
      writeFileSync(join(folder, 'package/namespace.yaml'), stringify(namespace))
      builds(folder)
      assert.equal(Object.keys(filesOf(join(folder, 'out'))), ['kustomization.yaml', 'namespace_ns.yaml'])
    }))
  test('several packages are refused', () =>
    inFolder((folder) => {
      writePackage(folder)
      for (const name of ['eu', 'us']) {
        run('cp', ['-r', join(folder, 'package'), join(folder, name)])
        writeFileSync(
          join(folder, name, 'Kptfile'),
          `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: ${name}\n`,
        )
      }
      const { status, stderr } = nodefit(folder, 'build', 'eu', 'us', '--output-dir', 'out')
      assert.is(status, 1)
      assert.match(stderr, 'the input has 2 packages')
    }))
})

suite('an output folder when something fails on the way', (test) => {
  /** The folder before and after a change that adds, changes and removes; the body gets each in a folder of its own. */
  const withFault = (
    what: string,
    body: (folder: string, before: object, after: object, result: ReturnType<typeof run>) => void,
  ) =>
    inFolder((folder) => {
      const out = join(folder, 'out')
      writePackage(folder, { types: ['m5.large', 'm5.xlarge'] })
      builds(folder)
      const before = filesOf(out)
      writePackage(folder, { types: ['m5.large', 'r5.large'] })
      rmSync(join(folder, 'copy'), { recursive: true, force: true })
      run('cp', ['-rp', out, join(folder, 'copy')])
      const env = ['-r', FAULTS, COMMAND, 'build', 'package', '--output-dir']
      assert.is(
        run('env', ['FILE_FAULT=count 0', `FILE_COUNT=${join(folder, 'count')}`, process.execPath, ...env, 'copy'], {
          cwd: folder,
        }).status,
        0,
      )
      const after = filesOf(join(folder, 'copy'))
      const count = Number(readFileSync(join(folder, 'count'), 'utf8'))
      assert.ok(count > 10, String(count))
      run('cp', ['-rp', out, join(folder, 'start')])
      for (let at = 1; at <= count; at++) {
        rmSync(out, { recursive: true, force: true })
        run('cp', ['-rp', join(folder, 'start'), out])
        const result = run('env', [`FILE_FAULT=${what} ${at}`, process.execPath, ...env, 'out'], { cwd: folder })
        body(folder, before, after, result)
      }
    })
  test('an error puts everything back, at whatever step it comes', () => {
    const seen = new Set<string>()
    withFault('fail', (folder, before, after, { status, stderr }) => {
      const [, said = 'nothing'] = /(is unchanged|could not be removed)/.exec(stderr.split('\n').at(-2) ?? '') ?? []
      seen.add(`${status}: ${said}`)
      const files = Object.entries(filesOf(join(folder, 'out')))
      const shown = Object.fromEntries(files.filter(([name]) => !/^\.nodefit-(?:committed\/|lock)/.test(name)))
      assert.equal(shown, said === 'is unchanged' ? before : after, stderr)
    })
    // a second name may be a copy instead; what is done needs only to be cleared away
    assert.equal([...seen].sort(), ['0: nothing', '1: could not be removed', '1: is unchanged'])
  })
  test('a process that is killed leaves a folder whose list is whole, and the next run makes it what it was to be', () => {
    const seen = new Set<string>()
    withFault('kill', (folder, before, after, { status }) => {
      assert.is(status, null)
      const out = join(folder, 'out')
      const { resources } = parse(readFileSync(join(out, 'kustomization.yaml'), 'utf8')) as { resources: string[] }
      for (const name of resources) assert.ok(statSync(join(out, name)).isFile())
      const isDecided = Object.keys(filesOf(out)).some((name) => name.startsWith('.nodefit-committed'))
      if (isDecided)
        assert.match(nodefit(folder, 'vet', 'package', '--current', 'out').stderr, 'a write into out was interrupted')
      else assert.ok([before, after].some((one) => JSON.stringify(one) === JSON.stringify(withoutDrafts(filesOf(out)))))
      const told = builds(folder)
      assert.is(told.includes('the earlier write into out was interrupted and is now complete'), isDecided)
      assert.equal(filesOf(out), after)
      seen.add(String(isDecided))
    })
    assert.is(seen.size, 2)
  })
})

function withoutDrafts(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !/^\.nodefit-(?:\w{6}\/|lock$)/.test(name)))
}

suite('runs that write into one output folder at the same time', (test) => {
  const start = (folder: string, heard: (text: string) => void = () => {}) =>
    new Promise<{ status: number | null; stderr: string }>((done) => {
      const child = spawn(process.execPath, [COMMAND, 'build', 'package', '--output-dir', 'new/out'], { cwd: folder })
      let stderr = ''
      child.stderr.on('data', (text) => {
        stderr += text
        heard(stderr)
      })
      child.on('close', (status) => done({ status, stderr }))
    })
  test('wait for each other, the first ones too: one writes, the others find it done', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nodefit-'))
    try {
      writePackage(folder)
      const runs = await Promise.all(Array.from({ length: 4 }, () => start(folder)))
      assert.equal(
        runs.map(({ status }) => status),
        [0, 0, 0, 0],
        runs.map(({ stderr }) => stderr).join('\n'),
      )
      const last = runs.map(({ stderr }) => stderr.split('\n').at(-2)).sort()
      assert.equal(last, [
        ...Array.from({ length: 3 }, () => 'nodefit: new/out is unchanged'),
        'nodefit: new/out: 5 files added, 0 changed, 0 removed',
      ])
      assert.equal(readdirSync(join(folder, 'new/out')).sort(), [...NAMES, 'kustomization.yaml'])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
  test('a run says that it waits for one on another machine, and writes when that has ended', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nodefit-'))
    try {
      writePackage(folder)
      mkdirSync(join(folder, 'new/out'), { recursive: true })
      const held = join(folder, 'new/out/.nodefit-lock')
      writeFileSync(held, '1 elsewhere\n')
      const { status, stderr } = await start(folder, (text) => {
        if (text.includes('waiting')) rmSync(held, { force: true })
      })
      assert.is(status, 0, stderr)
      assert.match(stderr, 'waiting, for a minute at most, for process 1 on elsewhere, which writes into new/out\n')
      assert.match(stderr, 'new/out: 5 files added')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
  test('the lock of a process that is gone is taken over; without a change none is taken', () =>
    inFolder((folder) => {
      writePackage(folder)
      const gone = run(process.execPath, ['-p', 'process.pid']).stdout.trim()
      mkdirSync(join(folder, 'out'))
      writeFileSync(join(folder, 'out/.nodefit-lock'), `${gone} ${hostname()}\n`)
      assert.match(builds(folder), 'out: 5 files added')
      assert.equal(readdirSync(join(folder, 'out')).sort(), [...NAMES, 'kustomization.yaml'])
    }))
  test('a first run that fails leaves neither a lock nor a folder behind', () =>
    inFolder((folder) => {
      writePackage(folder)
      const args = ['-r', FAULTS, COMMAND, 'build', 'package', '--output-dir', 'new/out']
      for (const at of [1, 3, 8]) {
        const { status, stderr } = run('env', [`FILE_FAULT=fail ${at}`, process.execPath, ...args], { cwd: folder })
        assert.is(status, 1)
        assert.match(stderr, 'new/out could not be written and is unchanged')
        assert.equal(readdirSync(folder), ['package'])
      }
    }))
})
