/** The rules of the house: who may import whom, how long a file may be, what stays out. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { suite } from './support/suite.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SRC = join(ROOT, 'src')

/** The folders of planners: all of `src/plan/` but what they share. One that is added is a floor by that alone. */
const PLANNERS = readdirSync(join(SRC, 'plan'))
  .filter((name) => name !== 'sizing')
  .sort()
  .map((name) => `plan/${name}`)

/**
 * From the top down: a part of the house imports only from those before it. Most are rooms, some the parts of a room; of
 * several that fit a file the longest is its own. A file beside the rooms is a floor of its own.
 */
const FLOORS = [
  'kube',
  'krm/finding.ts',
  'krm',
  'kinds',
  'facts/inventory',
  'facts/usage',
  'core/object',
  'core',
  'plan/sizing',
  ...PLANNERS,
  'fate',
  'rules',
  'face',
  'face/scan',
  'face/page',
  'face/expect',
  'index.ts',
  'kube.ts',
  'planner.ts',
  'host/files',
  'host/cluster',
  'host/sync',
  'host/cli',
  'krm.ts',
  'host/main.ts',
  'host/fn.ts',
]

/** The rooms, in their order. */
const ROOMS = ['kube', 'krm', 'kinds', 'facts', 'core', 'plan', 'fate', 'rules', 'face', 'host']

/** Above this floor everything is pure. */
const FIRST_WITH_EFFECTS = FLOORS.indexOf('host/files')

/** What one file says for all others: what it is, how it is written, and the file. */
const ONCE: ReadonlyArray<readonly [what: string, pattern: RegExp, owner: string]> = [
  ['the definition of isMap', /\bisMap\b *(?:=|\(\w+: )/, 'kube/unknown-value.ts'],
  ['what the options allow', /\ballow(?:\?\.|\.)has\(/, 'core/world.ts'],
  ['a taint as text', /:\$\{(?:\w+\.)*effect\}/, 'kube/taint.ts'],
  [
    'an apiVersion that we read or write',
    /['"`](?:nodefit\.dev\/v|core\.korder\.dev|kubenodesmith\.parawell)/,
    'kinds/api-versions.ts',
  ],
  ['the key of an annotation of ours', /['"`]nodefit\.dev\/(?!v1|sync)[a-z-]+['"`]/, 'krm/remembered.ts'],
  ['our own group', /['"`]nodefit\.dev\/?['"`]/, 'kinds/api-versions.ts'],
  ['a time in whole seconds', /\.000Z|\.\\d\{3\}Z|\[0-9\]\{3\}Z/, 'kube/time.ts'],
  ['a value that is worked out once', /(?:function|const) once\b/, 'core/memo.ts'],
  ['whether a value is a map', /!== null\s*&&\s*!Array\.isArray\(/, 'kube/unknown-value.ts'],
]

/** The floors that know each other: whoever adds one, or takes one away, writes it here. `rules/run.ts` lists planners. */
const KNOWN: Readonly<Record<string, string>> = {
  krm: 'kube',
  kinds: 'kube krm/finding.ts krm',
  'facts/inventory': 'kube krm/finding.ts krm kinds',
  'facts/usage': 'kube krm facts/inventory',
  'core/object': 'kube krm/finding.ts krm kinds facts/inventory',
  core: 'kube krm/finding.ts krm kinds facts/inventory',
  'plan/sizing': 'kube krm/finding.ts krm kinds facts/inventory facts/usage core/object core',
  'a planner': 'kube krm/finding.ts krm kinds facts/inventory core/object core plan/sizing',
  fate: 'kube krm/finding.ts krm kinds facts/inventory core/object core',
  rules: 'kube krm/finding.ts krm kinds facts/inventory core/object core fate',
  face: 'kube krm/finding.ts krm kinds facts/inventory core/object core fate rules',
  'face/scan': 'kube krm/finding.ts krm facts/inventory facts/usage core/object face',
  'face/page': 'face face/scan',
  'face/expect': 'kube krm/finding.ts krm kinds facts/inventory core fate rules face face/page',
  'host/files': 'kube krm/finding.ts krm kinds facts/inventory facts/usage core/object core fate rules face',
  'host/cluster': 'kube core',
  'host/sync': 'kube krm/finding.ts krm kinds facts/inventory facts/usage core fate rules face host/files host/cluster',
  'host/cli':
    'kube krm/finding.ts krm kinds facts/inventory facts/usage core/object core plan/sizing plan/action plan/daemonset plan/pool rules face face/scan face/page face/expect host/files host/cluster host/sync',
  'host/main.ts': 'kinds host/files host/cli',
  'host/fn.ts': 'krm face host/files host/cli',
}

/** The longest file, in lines. */
const LONGEST_FILE = 450
/** Names that say nothing about what is returned: a declaration at file scope has another. */
const VAGUE_NAMES =
  /^(?:export )?(?:async )?(?:const|let|function|class|interface|type) (said|goes|own|one|some|textOf|nameOf|kindOf|isAnew|past|together|allBut)\b/gm
const LONGEST_COMMENT = 120

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
  .sort()
const linesOf = (file: string) => readFileSync(join(SRC, file), 'utf8').split('\n').length - 1
const importsOf = (file: string) =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/(?:from|import) '([^']+)'/g)].map(([, path]) => path ?? '')
/** The path of the floor that a file is on; undefined for none. */
const placeOf = (file: string) =>
  FLOORS.filter((floor) => file === floor || file.startsWith(`${floor}/`)).sort((a, b) => b.length - a.length)[0]
const floorOf = (file: string) => FLOORS.indexOf(placeOf(file) ?? '')
const ownImports = (file: string) =>
  importsOf(file)
    .filter((path) => path.startsWith('.'))
    .map((path) => relative(SRC, join(SRC, dirname(file), path)))

const withoutComments = (code: string) => code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

/** By floor the others that its files import, types included; of planners together. */
function knownFloors(): Record<string, string> {
  const known = new Map<string, Set<string>>()
  for (const file of files.filter((one) => one.includes('/') && one !== 'rules/run.ts'))
    for (const target of ownImports(file)) {
      const [from = '', to = ''] = [placeOf(file), placeOf(target)]
      const name = PLANNERS.includes(from) ? 'a planner' : from
      if (from !== to) known.set(name, (known.get(name) ?? new Set()).add(to))
    }
  return Object.fromEntries([...known].map(([name, to]) => [name, FLOORS.filter((floor) => to.has(floor)).join(' ')]))
}

/** The first circle of files that the imports make, from a file back to itself. */
function circleFrom(file: string, way: readonly string[], done: Set<string>): readonly string[] | undefined {
  if (way.includes(file)) return [...way.slice(way.indexOf(file)), file]
  if (done.has(file)) return undefined
  done.add(file)
  for (const target of ownImports(file).filter((one) => files.includes(one))) {
    const circle = circleFrom(target, [...way, file], done)
    if (circle !== undefined) return circle
  }
  return undefined
}

suite('the house', (test) => {
  test('every file is on a known floor, and imports only from those above it', () => {
    assert.equal(
      files.filter((file) => floorOf(file) < 0),
      [],
    )
    const wrong = files.flatMap((file) =>
      ownImports(file)
        .filter((target) => floorOf(target) > floorOf(file) || (floorOf(target) < 0 && !target.includes('generated')))
        .map((target) => `${file} imports ${target}`),
    )
    assert.equal(wrong, [])
  })
  test('CONTRIBUTING.md shows the floors, and the rooms in their order', () => {
    const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
    const [, house = ''] = /\n## The house\n[\s\S]*?```\n([\s\S]*?)```/.exec(page) ?? []
    const shown = house.split('\n').flatMap((line) => {
      const names = /^ *(?:[\w/-]+(?:\/|\.ts) )+/.exec(line)?.[0].trim().split(' ') ?? []
      return names.map((name) => name.replace(/\/$/, ''))
    })
    const titles = ROOMS.filter((room) => !FLOORS.includes(room))
    const isFixed = (name: string) => !titles.includes(name) && !PLANNERS.includes(name)
    assert.equal(shown.filter(isFixed).sort(), FLOORS.filter(isFixed).sort())
    assert.equal(
      shown.filter((name) => ROOMS.includes(name)),
      ROOMS,
    )
  })
  test('the rooms are ten, and only the entries of the library stand beside them', () => {
    const tops = new Set(files.map((file) => file.split('/')[0] ?? ''))
    assert.equal([...tops].sort(), [...ROOMS, 'index.ts', 'kube.ts', 'krm.ts', 'planner.ts'].sort())
  })
  test('no file imports itself by way of others', () => {
    const done = new Set<string>()
    assert.equal(
      files.flatMap((file) => {
        const circle = circleFrom(file, [], done)
        return circle === undefined ? [] : [circle.join(' -> ')]
      }),
      [],
    )
  })
  for (const [what, pattern, owner] of ONCE)
    test(`stands once: ${what}`, () => {
      const standing = files.filter((file) => pattern.test(withoutComments(readFileSync(join(SRC, file), 'utf8'))))
      assert.equal(standing, [owner])
    })
  test('the core is pure: no effects above the commands', () => {
    const wrong = files
      .filter((file) => floorOf(file) < FIRST_WITH_EFFECTS)
      .filter(
        (file) =>
          importsOf(file).some((path) => path.startsWith('node:') && path !== 'node:crypto') ||
          /\bprocess\.|Date\.now|new Date\(\)|Math\.random/.test(readFileSync(join(SRC, file), 'utf8')),
      )
    assert.equal(wrong, [])
  })
  test('no planner is known to any other room, and none to another', () => {
    assert.ok(PLANNERS.length >= 4)
    const isPlanner = (floor: string | undefined) => floor !== undefined && PLANNERS.includes(floor)
    const wrong = files
      .filter((file) => file !== 'rules/run.ts' && floorOf(file) < FIRST_WITH_EFFECTS)
      .flatMap((file) =>
        ownImports(file)
          .filter((target) => isPlanner(placeOf(target)) && placeOf(target) !== placeOf(file))
          .map((target) => `${file} imports ${target}`),
      )
    assert.equal(wrong, [])
  })
  test('a dialect is known to its own folder only', () => {
    const below = files.filter((file) => floorOf(file) <= FLOORS.indexOf('core/object') && !file.startsWith('kinds/'))
    assert.equal(
      below.filter((file) => /kubescape|operator-autoscaler/i.test(readFileSync(join(SRC, file), 'utf8'))),
      [],
    )
  })
  test('no file is longer than 450 lines', () =>
    assert.equal(
      files.filter((file) => linesOf(file) > LONGEST_FILE),
      [],
    ))
  test('the floors that know each other are written down', () => assert.equal(knownFloors(), KNOWN))
  test('no declaration at file scope has a name that says nothing', () => {
    const vague = files.flatMap((file) =>
      [...readFileSync(join(SRC, file), 'utf8').matchAll(VAGUE_NAMES)].map(([, name]) => `${file}: ${name}`),
    )
    assert.equal(vague, [])
  })
  test('no comment is wider than 120 columns', () => {
    const wide = files.flatMap((file) =>
      readFileSync(join(SRC, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          line.length > LONGEST_COMMENT && /^ *(?:\/\*|\*|\/\/)(?! https:\S+$)/.test(line)
            ? [`${file}:${index + 1}`]
            : [],
        ),
    )
    assert.equal(wide, [])
  })
  test('only the named libraries are used', () => {
    const used = new Set(
      files
        .flatMap(importsOf)
        .filter((path) => !/^(?:[.#]|node:)/.test(path))
        .map((path) => path.split('/')[0]),
    )
    assert.equal([...used].sort(), ['@kubernetes', 'd3-scale', 'diff', 'js-yaml', 'prom-client'])
  })
  test('the client of Kubernetes is known to one file only', () => {
    const using = files.filter((file) => importsOf(file).some((path) => path.startsWith('@kubernetes/')))
    assert.equal(using, ['host/cluster/kubeconfig.ts'])
  })
  test('committed files hold no paths of a machine and the lock file no addresses', () => {
    const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
    // Argo CD's is in its containers, kubernetes is a directory of GKE's nodes
    const homes = new RegExp(
      `(^|[^A-Za-z0-9_.])/(${['ho' + 'me', 'ro' + 'ot', 'Us' + 'ers'].join('|')})/(?!argocd/|kubernetes\\b)[a-z.]`,
    )
    const wrong = tracked.filter(
      (file) => !file.startsWith('testdata/kube') && homes.test(readFileSync(join(ROOT, file), 'utf8')),
    )
    assert.equal(wrong, [])
    assert.not.match(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'), '"resolved"')
  })
})
