/**
 * The images, built from the Dockerfile as it stands and run: the function, the command, and what nodefit sync needs.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { BUILDERS, buildImages, type Image, type Images } from '../support/container-image.ts'
import { filesOf, ROOT, run } from '../support/hosts.ts'
import { hasAlternative } from '../support/program.ts'
import { samples } from '../support/samples.ts'

const FUNCTION = join(ROOT, 'dist/fn.cjs')
const WARM_UP = readFileSync(join(ROOT, 'tools/build/warm-up.yaml'), 'utf8')
/** Every so many golden packages one is rendered in the image. */
const EVERY = 8
const SHELLS = ['sh', 'bash', 'dash', 'busybox', 'perl', 'apt-get', 'dpkg', 'npm', 'git', 'ssh']
const isHere = BUILDERS.map(hasAlternative).every((found) => found) && process.getuid?.() === 0
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

suite('the Dockerfile', (test) => {
  const stages = dockerfile.split(/^FROM /m).slice(1)
  const baseOf = (name: string) => stages.find((text) => text.split('\n')[0]?.endsWith(` AS ${name}`))?.split(' AS ')[0]
  test('its base is one version of one digest, and each stage begins with it, another, or nothing', () => {
    assert.match(dockerfile, /^ARG BASE=node:\d+\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/m)
    const base = '$' + '{BASE}'
    const expected = {
      ...{ build: `--platform=$${'{BUILDPLATFORM}'} ${base}`, system: base, git: base },
      ...{ 'function-root': 'build', function: 'scratch', 'sync-root': 'build', sync: 'function', jobs: 'git' },
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
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-image-'))
  let images: Images
  const both = (): readonly Image[] => [images.function, images.sync]
  const does = (image: Image, command: readonly string[], input?: string) => {
    const { status, stdout, stderr } = image.run(command, input)
    assert.is(status, 0, stderr)
    return stdout
  }
  const rendered = run(process.execPath, [FUNCTION], { input: WARM_UP }).stdout

  test('they are built', () => {
    images = buildImages(folder)
    for (const { config } of both()) {
      assert.is(config.User, '65534:65534')
      assert.equal(config.Entrypoint, ['nodefit-fn'])
      const label = (name: string) => config.Labels[`org.opencontainers.image.${name}`]
      assert.is(label('title'), 'nodefit')
      assert.is(label('version'), version)
      assert.is(label('licenses'), 'Apache-2.0')
      for (const name of ['description', 'vendor']) assert.ok(label(name), name)
    }
  })
  test('built twice, the function and what it needs have the same digest', () => {
    const { layers } = images.function
    assert.match(layers[0] ?? '', /^sha256:[0-9a-f]{64}$/)
    // that of sync begins with it, and was built for itself
    assert.equal(images.sync.layers.slice(0, layers.length), layers)
    assert.is(images.sync.layers.length, layers.length + 1)
  })
  test('their function gives what the function gives', () => {
    for (const image of both()) {
      assert.is(does(image, [], WARM_UP), rendered)
      assert.is(does(image, ['nodefit', 'fn'], WARM_UP), rendered)
    }
  })
  test('it does so with a root that nobody can write to', () => {
    const { files } = images.function
    const readOnly = `mount --bind '${files}' '${files}' && mount -o remount,ro,bind '${files}' && exec chroot --userspec=65534:65534 '${files}' "$@"`
    const alone = (command: readonly string[], input = '') =>
      spawnSync('unshare', ['-m', '-n', 'sh', '-c', readOnly, 'sh', ...command], { input, encoding: 'utf8', env: {} })
    const { status, stdout, stderr } = alone(
      ['/usr/bin/env', '-i', '/usr/local/bin/node', '/usr/local/bin/nodefit-fn'],
      WARM_UP,
    )
    assert.is(status, 0, stderr)
    assert.is(stdout, rendered)
    const write = ['/usr/local/bin/node', '-e', 'fs.writeFileSync("/tmp/x", "")']
    assert.match(alone(write).stderr, /EROFS/)
  })
  test('kpt renders golden packages with it as with the program', () => {
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
    const [one, other] = ['container', 'program'].map((name) => {
      const path = join(folder, name)
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
  test('that of the function has no shell, no package manager, no git, and nothing that its programs do not need', () => {
    const { files } = images.function
    for (const name of SHELLS)
      for (const path of ['usr/bin', 'usr/sbin', 'usr/local/bin'])
        assert.ok(!existsSync(join(files, path, name)), `${path}/${name}`)
    assert.equal(readdirSync(join(files, 'usr/bin')), ['env'])
    assert.equal(readdirSync(join(files, 'usr/local/bin')).sort(), ['node', 'nodefit', 'nodefit-fn'])
    assert.is.not(images.function.run(['sh', '-c', 'true']).status, 0)
  })
  test('that of sync has what git and ssh need, and no more', () => {
    const { files } = images.sync
    assert.equal(readdirSync(join(files, 'usr/bin')).sort(), ['dash', 'env', 'git', 'sh', 'ssh', 'ssh-keygen'])
    const [, major = '0', minor = '0'] = /git version (\d+)\.(\d+)/.exec(does(images.sync, ['git', '--version'])) ?? []
    assert.ok(Number(major) > 2 || Number(minor) >= 34, `${major}.${minor}`)
    assert.match(images.sync.run(['ssh', '-V']).stderr, /^OpenSSH_/)
    const clone =
      'cd /tmp && git init -q a && cd a && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git log --format=%s && git clone -q file:///tmp/a /tmp/b && git ls-remote https://127.0.0.1:1/x'
    const { stdout, stderr } = images.sync.run(['sh', '-c', clone])
    assert.is(stdout, 'x\n', stderr)
    // it is the server that is missing, not the helper or a library
    assert.match(stderr, /Failed to connect to 127\.0\.0\.1 port 1/)
    assert.match(
      does(images.sync, ['sh', '-c', 'ssh-keygen -q -t ed25519 -N "" -f /tmp/key && ssh-keygen -lf /tmp/key']),
      /ED25519/,
    )
    // the program of its own is found: it is the configuration that is missing
    const sync = images.sync.run(['nodefit', 'sync', '--config', '/nowhere'])
    assert.is(sync.status, 2)
    assert.match(sync.stderr, '/nowhere')
  })
  test('they have each program that the command loads when it is asked for it', () => {
    const items = ['inventory', 'daemonset', 'policy'].map((name) =>
      readFileSync(join(ROOT, `testdata/quickstart/${name}.yaml`), 'utf8'),
    )
    const report =
      'nodefit report - --output /tmp/report.html && while IFS= read -r line; do echo "$line"; done </tmp/report.html'
    assert.match(does(images.sync, ['sh', '-c', report], items.join('---\n')), /^<!doctype html>/i)
    for (const image of both()) assert.is(does(image, ['nodefit', '--version']).trim(), version)
  })
  test('they have licences, bills, what scanners read, schemas, and the plugin of Argo CD', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
    for (const { files } of both()) {
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
      assert.is(packages.includes('git'), files === images.sync.files)
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
  test('nothing is left', () => images.remove())
})
