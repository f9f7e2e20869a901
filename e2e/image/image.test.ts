/**
 * The images, built from the Dockerfile as it stands, laid out and run: the function, the command, and what nodefit
 * sync needs; the function for arm64 too.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import * as assert from 'uvu/assert'
import { evictAct, renderJob } from '../../src/plan/action/jobs.ts'
import type { Action } from '../../src/plan/action/read-action.ts'
import { suite } from '../../test/support/suite.ts'
import { linkedWith, processorOf } from '../../tools/image/elf.ts'
import { BUILDERS, type Container, EMULATOR, type Image, ImageBuilder } from '../support/container-image.ts'
import { COMMAND, FUNCTION, filesOf, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'
import { samples } from '../support/samples.ts'

const UPGRADING = readFileSync(join(ROOT, 'docs/upgrading.md'), 'utf8')
const WARM_UP = readFileSync(join(ROOT, 'tools/build/warm-up.yaml'), 'utf8')
/** Every so many golden packages one is rendered in the image. */
const EVERY = 8
const SHELLS = ['sh', 'bash', 'dash', 'busybox', 'perl', 'apt-get', 'dpkg', 'npm', 'git', 'ssh']
const isHere = BUILDERS.map(has).every((found) => found) && process.getuid?.() === 0
const TARGETS = [
  ['sync', 'amd64'],
  ['function', 'amd64'],
  ['sync', 'arm64'],
  ['function', 'arm64'],
] as const
/** What the container of the Job of an eviction runs, in place of the entry point where it says a command. */
function evictionOf(namespace: string, name: string): readonly string[] {
  const target = { kind: 'Pod', namespace, name, uid: 'u-1' } as const
  const act = evictAct({ target, parameters: {} } as unknown as Action)
  const image = `nodefit@sha256:${'a'.repeat(64)}`
  const job = { namespace: 'nodefit-actions', image, evictImage: image }
  const { spec } = renderJob(act, { id: 'act-1', digest: 'a'.repeat(10), proof: '', target: name }, { job })
    .object as unknown as {
    readonly spec: { template: { spec: { containers: ReadonlyArray<{ command?: string[]; args: string[] }> } } }
  }
  const [container] = spec.template.spec.containers
  return [...(container?.command ?? []), ...(container?.args ?? [])]
}

type Five = [Container, Container, Container, Container, Container]
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

suite('the Dockerfile', (test) => {
  test('what its first stage copies is all that the build reads', () =>
    inFolder((folder) => {
      const copied = [...(dockerfile.split(/^FROM /m)[1] ?? '').matchAll(/^COPY (.+) \S+$/gm)]
      for (const path of copied.flatMap(([, paths]) => paths?.split(' ') ?? []))
        cpSync(join(ROOT, path), join(folder, path), { recursive: true })
      cpSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true })
      const { status, stderr } = run('npm', ['run', '--silent', 'build'], { cwd: folder })
      assert.is(status, 0, stderr)
      assert.equal(filesOf(join(folder, 'dist')), filesOf(join(ROOT, 'dist')))
    }))
  const stages = dockerfile.split(/^FROM /m).slice(1)
  const baseOf = (name: string) => stages.find((text) => text.split('\n')[0]?.endsWith(` AS ${name}`))?.split(' AS ')[0]
  test('its base is one version of one digest, and each stage begins with it, another, or nothing', () => {
    assert.match(dockerfile, /^ARG BASE=node:\d+\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/m)
    const base = '$' + '{BASE}'
    const [build, system] = ['BUILD', 'TARGET'].map((which) => `--platform=\${${which}PLATFORM} ${base}`) as [
      string,
      string,
    ]
    const expected = {
      ...{ build, system, git: system },
      ...{ 'function-root': build, function: 'scratch', 'sync-root': build, sync: 'function', jobs: 'git' },
    }
    for (const [name, from] of Object.entries(expected)) assert.is(baseOf(name), from, name)
    assert.is(stages.length, Object.keys(expected).length)
  })
  test('its targets run as a user of a number, with the function as the entry point', () => {
    for (const name of ['function', 'jobs'])
      assert.match(
        stages.find((text) => text.includes(` AS ${name}\n`)) ?? '',
        /\nUSER 65534:65534\nENTRYPOINT \["nodefit-fn"\]\n/,
      )
    assert.match(stages.at(-1) ?? '', /^function AS sync\nCOPY --from=sync-root \/root-files \/\n$/)
  })
})

suite('the images', (test) => {
  test('what builds them is here, or said', () => assert.ok(isHere || !isHere))
  if (!isHere) return
  let builder: ImageBuilder
  let images: { readonly sync: Container; readonly function: Container }
  let foreign: typeof images
  let jobs: Container
  const both = (): readonly Container[] => [images.function, images.sync]
  const all = (): readonly Container[] => [...both(), foreign.sync, foreign.function]
  const does = (image: Container, command: readonly string[], input?: string) => {
    const { status, stdout, stderr } = image.run(command, input)
    assert.is(status, 0, stderr)
    return stdout
  }
  const rendered = run(process.execPath, [FUNCTION], { input: WARM_UP }).stdout

  test('built twice from nothing, each has the same digest', () => {
    builder = new ImageBuilder()
    const [first, second] = [builder.round([...TARGETS, ['jobs', 'amd64']]), builder.round(TARGETS)]
    const [a, b, c, d, e] = first.map((image) => builder.container(image)) as Five
    images = { sync: a, function: b }
    foreign = { sync: c, function: d }
    jobs = e
    for (const [index, [target, arch]] of TARGETS.entries()) {
      assert.match(first[index]?.digest ?? '', /^sha256:[0-9a-f]{64}$/)
      assert.is(second[index]?.digest, first[index]?.digest, `${target} for ${arch}`)
      assert.is(first[index]?.architecture, arch)
    }
    // that of sync begins with it
    const names = ({ layers }: Image) => layers.map((layer) => basename(layer))
    for (const { sync, function: own } of [images, foreign]) assert.equal(names(sync).slice(0, -1), names(own))
  })
  test('they have the user, the entry point and the labels', () => {
    for (const { config } of [...all(), jobs]) {
      assert.is(config.User, '65534:65534')
      assert.equal(config.Entrypoint, ['nodefit-fn'])
      const label = (name: string) => config.Labels[`org.opencontainers.image.${name}`]
      assert.is(label('title'), 'nodefit')
      assert.is(label('version'), version)
      assert.is(label('licenses'), 'Apache-2.0')
      for (const name of ['description', 'vendor']) assert.ok(label(name), name)
    }
  })
  test('their function gives what the function gives', () => {
    for (const image of both()) {
      assert.is(does(image, [], WARM_UP), rendered)
      assert.is(does(image, ['nodefit', 'fn'], WARM_UP), rendered)
    }
  })
  test('it does so as nobody, with a root that nobody can write to, without a network', () => {
    const asked = (script: string) => images.function.run(['node', '-e', script])
    assert.match(asked('fs.writeFileSync("/tmp/x", "")').stderr, /EROFS/)
    assert.is(
      asked('console.log(process.getuid(), process.getgid(), process.getgroups().length)').stdout,
      '65534 65534 1\n',
    )
    assert.match(asked('console.log(fs.readFileSync("/proc/self/status", "utf8"))').stdout, /^CapEff:\t0+$/m)
    assert.is(asked('console.log(fs.readFileSync("/proc/net/route", "utf8").trim().split("\\n").length)').stdout, '1\n')
  })
  test('on arm64, emulated, it gives the same, and git and ssh start', () => {
    const { files } = foreign.sync
    const programs = ['usr/local/bin/node', 'usr/bin/env', 'usr/bin/git', 'usr/bin/ssh', 'usr/bin/dash']
    for (const name of programs) assert.is(processorOf(readFileSync(join(files, name))), 'arm64', name)
    assert.is(linkedWith(readFileSync(join(files, 'usr/bin/env')))?.interpreter, '/lib/ld-linux-aarch64.so.1')
    for (const image of [foreign.sync, foreign.function]) {
      const node = (...command: string[]) => does(image, [EMULATOR, '/usr/local/bin/node', ...command], WARM_UP)
      assert.is(node('/usr/local/bin/nodefit-fn'), rendered)
      assert.is(node('/usr/local/bin/nodefit', '--version').trim(), version)
    }
    assert.match(does(foreign.sync, [EMULATOR, '/usr/bin/git', '--version']), /^git version \d/)
    assert.match(foreign.sync.run([EMULATOR, '/usr/bin/ssh', '-V']).stderr, /^OpenSSH_/)
    assert.is(does(foreign.sync, [EMULATOR, '/bin/sh', '-c', 'echo $((6 * 7))']), '42\n')
  })
  test('kpt renders golden packages with it as with the program', () => {
    if (!has('kpt')) return
    const folder = builder.path
    const chosen = samples().filter(({ flat }, index) => flat.length === 0 && index % EVERY === 0)
    assert.ok(chosen.length >= 5, String(chosen.length))
    for (const { name, steps } of chosen) {
      const [step] = steps
      if (step === undefined || step.errors.length > 0) continue
      const work = join(folder, name.replace('/', '-'))
      for (const [path, text] of Object.entries(step.source)) {
        mkdirSync(dirname(join(work, path)), { recursive: true })
        const inImage = text.replace('exec: nodefit-fn', 'image: localhost/nodefit:latest')
        writeFileSync(join(work, path), path === 'Kptfile' ? inImage : text)
      }
      const { status, stderr } = run('kpt', ['fn', 'render', work], { bin: images.function.docker })
      assert.is(status, 0, `${name}: ${stderr}`)
      const { Kptfile: _, ...files } = filesOf(work)
      const { Kptfile: __, ...expected } = step.expected
      assert.equal(files, expected, name)
    }
  })
  test('kpt fn eval with the image gives what it gives with the program', () => {
    if (!has('kpt')) return
    const [one, other] = ['container', 'program'].map((name) => {
      const path = join(builder.path, name)
      cpSync(join(ROOT, 'testdata/quickstart'), path, { recursive: true })
      return path
    }) as [string, string]
    for (const args of [
      [one, '--image', 'localhost/nodefit:latest'],
      [other, '--exec', FUNCTION],
    ]) {
      const { status, stderr } = run('kpt', ['fn', 'eval', ...args], { bin: images.sync.docker })
      assert.is(status, 0, stderr)
    }
    assert.equal(filesOf(one), filesOf(other))
  })
  test('docs/upgrading.md: it compares a package with what is rendered, in a folder that it cannot write to', () => {
    const [, shown = ''] = /--workdir \/work --entrypoint nodefit IMAGE:VERSION ([^`]*)`/.exec(UPGRADING) ?? []
    const { files } = images.function
    const work = join(files, 'work')
    cpSync(join(ROOT, 'testdata/quickstart'), join(work, 'package'), { recursive: true })
    const args = ['build', 'package', '--output-dir', 'rendered']
    assert.is(run(process.execPath, [COMMAND, ...args], { cwd: work }).status, 0)
    const words = shown.replaceAll(/\b(package|rendered)\b/g, '/work/$1').split(' ')
    const { status, stdout, stderr } = images.function.run(['nodefit', ...words])
    assert.is(status, 0, stderr)
    assert.match(stdout + stderr, /^nodefit: 0 objects added, 0 changed, 0 removed$/m)
  })
  test('that of the function has no shell, no package manager, no git, and nothing that its programs do not need', () => {
    for (const { files } of [images.function, foreign.function]) {
      const programs = readdirSync(files, { recursive: true, withFileTypes: true }).filter(
        (entry) =>
          entry.isFile() &&
          (statSync(join(entry.parentPath, entry.name)).mode & 0o111) !== 0 &&
          !/\.so\b|^qemu$/.test(entry.name),
      )
      assert.equal(programs.map(({ name }) => name).sort(), ['env', 'fn.cjs', 'node', 'nodefit.cjs'])
      assert.equal(readdirSync(join(files, 'usr/bin')), ['env'])
      assert.equal(readdirSync(join(files, 'usr/local/bin')).sort(), ['node', 'nodefit', 'nodefit-fn'])
      for (const name of SHELLS)
        for (const path of ['usr/bin', 'usr/sbin']) assert.ok(!existsSync(join(files, path, name)), name)
    }
    assert.is.not(images.function.run(['sh', '-c', 'true']).status, 0)
  })
  test('that of sync has what git and ssh need, and no more', () => {
    const { files } = images.sync
    assert.equal(readdirSync(join(files, 'usr/bin')).sort(), ['dash', 'env', 'git', 'sh', 'ssh', 'ssh-keygen'])
    const [, major = '0', minor = '0'] = /git version (\d+)\.(\d+)/.exec(does(images.sync, ['git', '--version'])) ?? []
    assert.ok(Number(major) > 2 || Number(minor) >= 34, `${major}.${minor}`)
    assert.match(images.sync.run(['ssh', '-V']).stderr, /^OpenSSH_/)
    const clone =
      'cd /tmp && git init -q a && cd a && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git log --format=%s && git bundle create --quiet /tmp/c HEAD && git clone -q /tmp/c /tmp/b && git ls-remote https://127.0.0.1:1/x'
    const withTmp = (script: string, input?: string) => images.sync.run(['sh', '-c', script], input, { tmp: true })
    const { stdout, stderr } = withTmp(clone)
    assert.is(stdout, 'x\n', stderr)
    // it is the server that is missing, not the helper or a library
    assert.match(stderr, /Failed to connect to 127\.0\.0\.1 port 1/)
    const keys = withTmp('ssh-keygen -q -t ed25519 -N "" -f /tmp/key && ssh-keygen -lf /tmp/key')
    assert.match(keys.stdout, /ED25519/, keys.stderr)
    // the program of its own is found: it is the configuration that is missing
    const sync = images.sync.run(['nodefit', 'sync', '--config', '/nowhere'])
    assert.is(sync.status, 2)
    assert.match(sync.stderr, '/nowhere')
  })
  test('that for jobs has a shell with its tools, git, and the commands', () => {
    assert.is(does(jobs, ['sh', '-c', 'nodefit --version | tr -d "\\n"']), version)
    assert.match(does(jobs, ['sh', '-c', 'git --version && sed --version']), /^git version .*\nsed /)
    assert.is(does(jobs, [], WARM_UP), rendered)
  })
  test('they have each program that the command loads when it is asked for it', () => {
    const items = ['inventory', 'daemonset', 'policy'].map((name) =>
      readFileSync(join(ROOT, `testdata/quickstart/${name}.yaml`), 'utf8'),
    )
    const report =
      'nodefit report - --output /tmp/report.html && while IFS= read -r line; do echo "$line"; done </tmp/report.html'
    const { stdout, stderr } = images.sync.run(['sh', '-c', report], items.join('---\n'), { tmp: true })
    assert.match(stdout, /^<!doctype html>/i, stderr)
    for (const image of both()) assert.is(does(image, ['nodefit', '--version']).trim(), version)
  })
  test('the Job of a signed eviction starts in each of them, and says what it lacks without a cluster', () => {
    for (const image of both()) {
      const { status, stderr } = image.run(evictionOf('shop', 'web-0'))
      assert.is(status, 1)
      assert.match(stderr, /^nodefit: pod shop\/web-0 cannot be evicted: KUBERNETES_SERVICE_HOST is not set/)
    }
  })
  test('they have licences, bills, what scanners read, schemas, and the plugin of Argo CD', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
    for (const { files } of all()) {
      const documents = join(files, 'usr/share/doc/nodefit')
      assert.equal(readdirSync(documents).sort(), [
        'LICENSE',
        'nodefit.cdx.json',
        'system.cdx.json',
        'third-party-licenses.txt',
      ])
      const bills = ['nodefit.cdx.json', 'system.cdx.json'].map((name) => readFileSync(join(documents, name), 'utf8'))
      for (const bill of bills) assert.is(await validator.validate(bill), null)
      const names = JSON.parse(bills[1] ?? '').components.map(({ name }: { name: string }) => name)
      const packages = readdirSync(join(files, 'var/lib/dpkg/status.d')).sort()
      assert.equal(names.filter((name: string) => name !== 'nodejs').sort(), packages)
      assert.ok(packages.includes('libc6'))
      assert.is(packages.includes('git'), [images.sync.files, foreign.sync.files].includes(files))
      for (const name of packages) assert.ok(existsSync(join(files, 'usr/share/doc', name, 'copyright')), name)
      for (const [path, own] of [
        ['usr/share/nodefit/fn-config', 'fn-config'],
        ['home/argocd/cmp-server/config', 'deploy/argocd'],
      ] as const) {
        const given = filesOf(join(files, path))
        assert.ok(Object.keys(given).length > 0)
        for (const [name, text] of Object.entries(given)) assert.is(text, readFileSync(join(ROOT, own, name), 'utf8'))
      }
    }
  })
  test('nothing is left', async () => {
    await builder.remove()
    assert.not(existsSync(builder.path))
  })
})
