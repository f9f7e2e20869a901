/** The rules of the house: who may import whom, how long a file may be, what stays out. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { suite } from './support/suite.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SRC = join(ROOT, 'src')

/** From the top down: a folder imports only from those before it. Files beside the folders come last among the pure. */
const FOLDERS = [
  'kube',
  'finding',
  'krm',
  'policy',
  'inventory',
  'sizing',
  'daemonset',
  'reservation',
  'scope',
  '.',
  'cli',
]

/** The files beside the folders that tie effects to the pure core: entries, and nothing else. */
const ENTRIES = ['fn.ts', 'main.ts', 'krm.ts', 'index.ts']

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
  .sort()
const linesOf = (file: string) => readFileSync(join(SRC, file), 'utf8').split('\n').length - 1
const importsOf = (file: string) =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/(?:from|import) '([^']+)'/g)].map(([, path]) => path ?? '')
const folderOf = (file: string) => dirname(file).split('/')[0] ?? '.'

suite('the house', (test) => {
  test('a folder imports only from those above it', () => {
    const wrong = files.flatMap((file) => {
      const own = FOLDERS.indexOf(folderOf(file))
      assert.ok(own >= 0, `${file} is in no known folder`)
      return importsOf(file)
        .filter((path) => path.startsWith('.'))
        .map((path) => relative(SRC, join(SRC, dirname(file), path)))
        .filter((target) => FOLDERS.indexOf(folderOf(target)) > own && !ENTRIES.includes(file))
        .map((target) => `${file} imports ${target}`)
    })
    assert.equal(wrong, [])
  })
  test('the core is pure: no effects outside cli and entries', () => {
    const wrong = files
      .filter((file) => folderOf(file) !== 'cli' && !ENTRIES.includes(file))
      .filter(
        (file) =>
          importsOf(file).some((path) => path.startsWith('node:') && path !== 'node:crypto') ||
          /\bprocess\.|Date\.now|new Date\(\)|Math\.random/.test(readFileSync(join(SRC, file), 'utf8')),
      )
    assert.equal(wrong, [])
  })
  test('no file is longer than 300 lines, and the median is near 90', () => {
    const lengths = files.map(linesOf).sort((a, b) => a - b)
    assert.ok((lengths.at(-1) ?? 0) <= 300)
    assert.ok((lengths[Math.floor(lengths.length / 2)] ?? 0) <= 100)
  })
  test('only the named libraries are used', () => {
    const used = new Set(
      files
        .flatMap(importsOf)
        .filter((path) => !/^(?:[.#]|node:)/.test(path))
        .map((path) => path.split('/')[0]),
    )
    assert.equal([...used].sort(), ['js-yaml', 'kpt-functions'])
  })
  test('committed files hold no paths of a machine and the lock file no addresses', () => {
    const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
    const homes = new RegExp(`(^|[^A-Za-z0-9_.])/(${['ho' + 'me', 'ro' + 'ot', 'Us' + 'ers'].join('|')})/[a-z.]`)
    const wrong = tracked.filter(
      (file) => !file.startsWith('testdata/kube') && homes.test(readFileSync(join(ROOT, file), 'utf8')),
    )
    assert.equal(wrong, [])
    assert.not.match(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'), '"resolved"')
  })
})
