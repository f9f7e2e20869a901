/** The image, built from the Dockerfile as it stands and run: the function, the command, and what nodefit sync needs. */
import { cpSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { BUILDERS, buildImage, type Image } from '../support/container-image.ts'
import { filesOf, ROOT, run } from '../support/hosts.ts'
import { hasAlternative } from '../support/program.ts'

const FUNCTION = join(ROOT, 'dist/fn.cjs')
const WARM_UP = readFileSync(join(ROOT, 'tools/build/warm-up.yaml'), 'utf8')
const isHere = BUILDERS.map(hasAlternative).every((found) => found) && process.getuid?.() === 0

suite('the image', (test) => {
  test('what builds it is here, or said', () => assert.ok(isHere || !isHere))
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  test('its Dockerfile ends as a user of a number, with the function as the entry point', () => {
    const stage = dockerfile.split(/^FROM /m).at(-1) ?? ''
    assert.match(stage, /^USER 65534:65534\nENTRYPOINT \["nodefit-fn"\]\n$/m)
  })
  test('its base is one version of one digest, and each stage has it', () => {
    assert.match(dockerfile, /^ARG BASE=node:\d+\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/m)
    assert.equal(dockerfile.match(/^FROM .*$/gm), ['FROM $' + '{BASE} AS build', 'FROM $' + '{BASE}'])
  })
  if (!isHere) return
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-image-'))
  let image: Image
  const does = (command: readonly string[], input?: string) => {
    const { status, stdout, stderr } = image.run(command, input)
    assert.is(status, 0, stderr)
    return stdout
  }
  test('the Dockerfile is built', () => {
    image = buildImage(folder)
    assert.is(image.config.User, '65534:65534')
    const { Labels: labels } = image.config
    assert.is(labels['org.opencontainers.image.title'], 'nodefit')
    assert.is(labels['org.opencontainers.image.version'], version)
    assert.is(labels['org.opencontainers.image.licenses'], 'Apache-2.0')
    assert.equal(image.config.Entrypoint, ['nodefit-fn'])
  })
  test('its function gives what the function gives', () => {
    const { stdout } = run(process.execPath, [FUNCTION], { input: WARM_UP })
    assert.is(does([], WARM_UP), stdout)
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
      const { status, stderr } = run('kpt', ['fn', 'eval', ...args], { bin: image.docker })
      assert.is(status, 0, stderr)
    }
    assert.equal(filesOf(one), filesOf(other))
  })
  test('it runs as nobody, and has what nodefit sync pushes with', () => {
    assert.is(does(['id', '-un']).trim(), 'nobody')
    assert.is(does(['nodefit', '--version']).trim(), version)
    const [, major = '0', minor = '0'] = /git version (\d+)\.(\d+)/.exec(does(['git', '--version'])) ?? []
    assert.ok(Number(major) > 2 || Number(minor) >= 34, `${major}.${minor}`)
    for (const program of ['ssh', 'ssh-keygen']) does(['sh', '-c', `command -v ${program}`])
    // the program of its own is found: it is the configuration that is missing
    const { status, stderr } = image.run(['nodefit', 'sync', '--config', '/nowhere'])
    assert.is(status, 2)
    assert.match(stderr, '/nowhere')
  })
  test('it has each program that the command loads when it is asked for it', () => {
    const report =
      'cat >/tmp/items.yaml && nodefit report /tmp/items.yaml --output /tmp/report.html && cat /tmp/report.html'
    const items = ['inventory', 'daemonset', 'policy'].map((name) =>
      readFileSync(join(ROOT, `testdata/quickstart/${name}.yaml`), 'utf8'),
    )
    assert.match(does(['sh', '-c', report], items.join('---\n')), /^<!doctype html>/i)
  })
  test('it has the licences and the bill of what its programs are made of', () => {
    const texts = does(['sh', '-c', 'cat /usr/share/doc/nodefit/*'])
    assert.match(texts, 'Apache License')
    assert.match(texts, 'js-yaml')
    assert.match(texts, '"bomFormat": "CycloneDX"')
  })
  test('nothing is left', () => image.remove())
})
