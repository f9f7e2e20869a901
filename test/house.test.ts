/** The rules of the house: who may import whom, how long a file may be, what stays out. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { suite } from './support/suite.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SRC = join(ROOT, 'src')

/** From the top down: a folder imports only from those before it. A file beside the folders is a floor of its own. */
const FLOORS = [
  'kube',
  'finding',
  'krm',
  'policy',
  'inventory',
  'usage',
  'object',
  'world',
  'sizing',
  'daemonset',
  'reservation',
  'action',
  'pool',
  'change',
  'proof',
  'codes.ts',
  'types.ts',
  'plan.ts',
  'all-codes.ts',
  'view',
  'scan',
  'page',
  'expect',
  'render.ts',
  'index.ts',
  'kube.ts',
  'files',
  'api',
  'sync',
  'cli',
  'krm.ts',
  'main.ts',
  'fn.ts',
]

/** Above this floor everything is pure. */
const FIRST_WITH_EFFECTS = FLOORS.indexOf('files')

/** What one file says for all others: what it is, how it is written, and the file. */
const ONCE: ReadonlyArray<readonly [what: string, pattern: RegExp, owner: string]> = [
  ['the definition of isMap', /\bisMap\b *(?:=|\(\w+: )/, 'kube/unknown-value.ts'],
  ['what the options allow', /\ballow(?:\?\.|\.)has\(/, 'world/world.ts'],
  ['a taint as text', /:\$\{(?:\w+\.)*effect\}/, 'kube/taint.ts'],
  [
    'an apiVersion that we read or write',
    /['"`](?:nodefit\.dev\/v|core\.korder\.dev|kubenodesmith\.parawell)/,
    'policy/api-versions.ts',
  ],
  ['the key of an annotation of ours', /['"`]nodefit\.dev\/(?!v1|sync)[a-z-]+['"`]/, 'krm/remembered.ts'],
  ['our own group', /['"`]nodefit\.dev\/?['"`]/, 'policy/api-versions.ts'],
  ['a time in whole seconds', /\.000Z|\.\\d\{3\}Z|\[0-9\]\{3\}Z/, 'kube/time.ts'],
  ['a value that is worked out once', /(?:function|const) once\b/, 'world/memo.ts'],
  ['whether a value is a map', /!== null\s*&&\s*!Array\.isArray\(/, 'kube/unknown-value.ts'],
]

/** How many files src/ may have. */
const MOST_FILES = 720
/** In how many places one folder may import another of a different room, counted by `folderPairs`. */
const MOST_FOLDER_PAIRS = 217
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
const floorOf = (file: string) => FLOORS.indexOf(file.split('/')[0] ?? '')
const ownImports = (file: string) =>
  importsOf(file)
    .filter((path) => path.startsWith('.'))
    .map((path) => relative(SRC, join(SRC, dirname(file), path)))

/** The rooms of planners: whatever room `plan.ts` takes a planner from. */
const PLANNER_ROOMS = [
  ...readFileSync(join(SRC, 'plan.ts'), 'utf8').matchAll(/import \{[^}]*Planner[^}]*\} from '\.\/(\w+)\/index\.ts'/g),
].flatMap(([, room]) => (room === undefined || room === 'world' ? [] : [room]))

const withoutComments = (code: string) => code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

/**
 * The ordered pairs of folders of which a file in the first imports a file in the second, types included, where the two are in
 * different rooms: `sync/git imports files`. Files beside the folders, like plan.ts, are the composition and are not counted.
 */
function folderPairs(): readonly string[] {
  const pairs = files.flatMap((file) =>
    ownImports(file)
      .filter((target) => target.includes('/') && file.includes('/') && target.split('/')[0] !== file.split('/')[0])
      .map((target) => `${dirname(file)} imports ${dirname(target)}`),
  )
  return [...new Set(pairs)].sort()
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
  test('CONTRIBUTING.md shows the floors in their order, and no folder in a room that is not there', () => {
    const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
    const [, house = ''] = /\n## The house\n[\s\S]*?```\n([\s\S]*?)```/.exec(page) ?? []
    const shown = house
      .split('\n')
      .flatMap((line) => /^(?:[\w-]+(?:\/|\.ts) )+/.exec(line)?.[0].trim().split(' ') ?? [])
    assert.equal(
      shown.map((name) => name.replace('/', '')),
      FLOORS,
    )
    const inside = [...house.matchAll(/^(\w+)\/(.*)$/gm)].flatMap(([, room = '', words = '']) =>
      [...words.matchAll(/(\w+)\//g)].map(([, name]) => `${room}/${name}/`),
    )
    assert.equal(
      inside.filter((folder) => !files.some((file) => file.startsWith(folder))),
      [],
    )
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
  test('no planner is known to any other room', () => {
    const rooms = PLANNER_ROOMS
    assert.ok(rooms.length >= 2)
    const wrong = files
      .filter(
        (file) => !rooms.includes(file.split('/')[0] ?? '') && file !== 'plan.ts' && floorOf(file) < FIRST_WITH_EFFECTS,
      )
      .filter((file) => ownImports(file).some((target) => rooms.includes(target.split('/')[0] ?? '')))
    assert.equal(wrong, [])
    const others = (room: string) => rooms.filter((other) => other !== room)
    assert.equal(
      rooms.flatMap((room) =>
        files.filter(
          (file) =>
            file.startsWith(`${room}/`) &&
            ownImports(file).some((target) => others(room).includes(target.split('/')[0] ?? '')),
        ),
      ),
      [],
    )
  })
  test('a dialect is known to its own folder only', () => {
    const below = files.filter((file) => floorOf(file) <= FLOORS.indexOf('object') && !file.startsWith('policy/'))
    assert.equal(
      below.filter((file) => /kubescape|operator-autoscaler/i.test(readFileSync(join(SRC, file), 'utf8'))),
      [],
    )
  })
  test('no file is longer than 400 lines, and the median is from 70 to 100', () => {
    const lengths = files.map(linesOf).sort((a, b) => a - b)
    const median = lengths[Math.floor(lengths.length / 2)] ?? 0
    assert.ok((lengths.at(-1) ?? 0) <= 400)
    assert.ok(median >= 70 && median <= 100, `the median is ${median}`)
  })
  test('the files are few enough to find one by its name', () => {
    assert.ok(files.length <= MOST_FILES, `${files.length} files in src/, ${MOST_FILES} allowed`)
  })
  test('few folders know each other', () => {
    const pairs = folderPairs()
    assert.ok(pairs.length <= MOST_FOLDER_PAIRS, `${pairs.length} pairs, ${MOST_FOLDER_PAIRS} allowed`)
  })
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
    assert.equal(using, ['api/kubeconfig.ts'])
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
