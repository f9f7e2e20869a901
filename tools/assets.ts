/**
 * Writes what a release publishes to dist/release: the package, an archive for each platform with the single
 * executable, the manifest for Krew, the plugin of Argo CD, bills of materials, notes, sums and provenance. It publishes nothing. `npm run
 * executables` comes first; platforms that it did not write are left out.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { writeArchive } from './assets/archive.ts'
import { krewManifest } from './assets/krew.ts'
import { notesOf } from './assets/notes.ts'
import { provenance } from './assets/provenance.ts'
import { withNode } from './build/bill-of-materials.ts'
import { ROOT } from './build/bundle.ts'
import { nodeBinary } from './executables/node-binary.ts'
import { TARGETS } from './executables/targets.ts'
import { IMAGE } from './generate/argocd-sidecar.ts'

const { values } = parseArgs({
  options: {
    output: { type: 'string', default: join(ROOT, 'dist/release') },
    executables: { type: 'string', default: join(ROOT, 'dist/executables') },
    repository: { type: 'string', default: 'https://example.com/nodefit' },
    ref: { type: 'string' },
    builder: { type: 'string', default: 'https://nodefit.dev/build/by-hand' },
    run: { type: 'string', default: 'by-hand' },
    image: { type: 'string', default: IMAGE },
  },
})
const out = resolve(values.output)
const at = (name: string) => join(out, name)
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const sha256 = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
const { version } = JSON.parse(read('package.json')) as { version: string }
const { repository } = values
const download = `${repository}/releases/download/v${version}`

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
// dist/ is built, and building it again would remove what is beside it
execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], { cwd: ROOT })
copyFileSync(join(ROOT, 'dist/nodefit.cdx.json'), at(`nodefit-${version}.cdx.json`))
const targets = TARGETS.filter(({ name }) => existsSync(join(values.executables, `nodefit-${name}`)))
const archives = targets.map(({ name, os, arch, node }) => {
  const archive = `nodefit-${version}-${name}.tar.gz`
  writeArchive(at(archive), {
    nodefit: join(values.executables, `nodefit-${name}`),
    LICENSE: join(ROOT, 'LICENSE'),
    'third-party-licenses.txt': join(ROOT, 'dist/third-party-licenses.txt'),
    'node-license.txt': nodeBinary(node).license,
  })
  writeFileSync(at(`nodefit-${version}-${name}.cdx.json`), withNode(read('dist/nodefit.cdx.json'), node))
  return { os, arch, uri: `${download}/${archive}`, sha256: sha256(at(archive)) }
})
writeFileSync(at('nodefit.yaml'), krewManifest(version, repository, archives))
writeFileSync(at('nodefit-argocd.yaml'), read('deploy/argocd/sidecar.yaml').replace(IMAGE, values.image))
writeFileSync(at('notes.md'), notesOf(read('CHANGELOG.md'), version))
const subjects = readdirSync(out)
  .filter((name) => name !== 'notes.md')
  .sort()
  .map((name) => ({ name, sha256: sha256(at(name)) }))
writeFileSync(at('SHA256SUMS'), subjects.map((one) => `${one.sha256}  ${one.name}\n`).join(''))
const statement = provenance({
  ...{ subjects, repository, ref: values.ref ?? `refs/tags/v${version}`, builder: values.builder, run: values.run },
  commit: execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim(),
  materials: [
    { uri: 'package-lock.json', digest: { sha256: sha256(join(ROOT, 'package-lock.json')) } },
    ...targets.map(({ node }) => ({
      uri: `pkg:npm/${node.name}@${node.version}`,
      digest: { sha512: Buffer.from(node.integrity.replace('sha512-', ''), 'base64').toString('hex') },
    })),
  ],
})
writeFileSync(at('provenance.intoto.json'), `${JSON.stringify(statement, null, 2)}\n`)
process.stdout.write(
  `${readdirSync(out)
    .map((name) => `${join(out, name)}\n`)
    .join('')}`,
)
