/** The package as it is published: packed, installed without a network, imported, compiled with and run. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { Declarations } from '../../tools/build/declarations.ts'
import { COMMAND, FUNCTION, ROOT, run } from '../support/hosts.ts'

const PAGE = readFileSync(join(ROOT, 'docs/reference/library.md'), 'utf8')
const MOST_FILES = 280

/** The names of section 5 of the design, the errors, and nothing else. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  nodefit: ['CODES', 'plan', 'render'],
  'nodefit/planner': [
    'PLANNERS',
    'codesAbout',
    'emptyPlanned',
    'findingOf',
    'mergeNodes',
    'ownerName',
    'planOf',
    'renderOf',
  ],
  'nodefit/krm': ['KrmError', 'edit', 'readResourceList', 'runFunction', 'writeResourceList'],
  'nodefit/kube': [
    'KubeError',
    'Quantity',
    'Schedule',
    'daemonEligibility',
    'isDns1123Label',
    'isDns1123Subdomain',
    'isLabelValue',
    'isQualifiedName',
    'matchesLabels',
    'matchesNode',
    'parseDuration',
    'parseSelector',
    'podRequests',
    'tolerates',
    'untoleratedTaint',
  ],
}
const ENTRY_FILES: Readonly<Record<string, string>> = {
  nodefit: 'index.d.ts',
  'nodefit/krm': 'krm.d.ts',
  'nodefit/kube': 'kube.d.ts',
  'nodefit/planner': 'planner.d.ts',
}

/** A program in which the marked lines are errors, and no others. */
const WRONG = `import { CODES, plan, type Code, type Finding } from 'nodefit'
import { KubeError, Quantity } from 'nodefit/kube'
import { readResourceList } from 'nodefit/krm'

const list = readResourceList('')
const codes: Code[] = plan(list).findings.map(({ code }) => code)
const planned: Code[] = plan(list).packages.flatMap((one) => one.planned.flatMap(({ findings }) => findings.map(({ code }) => code)))
const known: string[] = [...codes, ...planned].map((code) => CODES[code].mend)
export const isNight = ({ code }: Finding) => known.length > 0 && code === 'NoNodes'
export const isTypo = ({ code }: Finding) => code === 'NoNode' // wrong
const typo: Code = 'NoNode' // wrong
export const isRange = (error: KubeError) => error.code === 'QuantityRange'
export const isOther = (error: KubeError) => error.code === 'Range' // wrong
export const sum: number = Quantity.parse('1').value() // wrong
export { typo }
`

const npm = (args: readonly string[], cwd: string) =>
  execFileSync('npm', [...args, '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
const packed = (source: string, folder: string): string => {
  const [line = ''] = npm(['pack', source, '--pack-destination', folder], ROOT).trim().split('\n').slice(-1)
  return `file:${join(folder, line)}`
}

/** A folder with the package in it, and the packages that it needs from this checkout. */
function installed(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-package-'))
  const needed = ['js-yaml', 'argparse'].map((name) => [name, packed(join(ROOT, 'node_modules', name), folder)])
  const dependencies = { nodefit: packed(ROOT, folder), ...Object.fromEntries(needed) }
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'a', private: true, type: 'module', dependencies }),
  )
  npm(['install'], folder)
  return folder
}

/** What the compiler says of the programs of a folder. */
function compiled(folder: string, options: Record<string, unknown> = {}): string {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022'],
    module: 'nodenext',
    strict: true,
    skipLibCheck: false,
    types: [],
    outDir: 'out',
    ...options,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { stdout, stderr } = run(process.execPath, [tsc, '-p', folder], { cwd: folder })
  return stdout + stderr
}

/** Each section of the page as one program. */
const PROGRAMS = PAGE.split(/^## /m)
  .slice(1)
  .map((section) => ({
    title: section.split('\n')[0] ?? '',
    code: [...section.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n'),
  }))

const folder = installed()
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const home = join(folder, 'node_modules/nodefit')
const files = readdirSync(home, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
const contents = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
  bin: Record<string, string>
  exports: Record<string, { types: string; default: string } | string>
}

suite('the package', (test) => {
  test(`has at most ${MOST_FILES} files, and no code that was compiled for another engine`, () => {
    assert.ok(files.length <= MOST_FILES, `${files.length} files`)
    assert.equal(
      files.filter((file) => file.endsWith('.compiled')),
      [],
    )
  })
  test('has nothing in dist that no entry and no program leads to', () => {
    const starts = [
      ...Object.values(contents.bin),
      ...Object.values(contents.exports).flatMap((one) => (typeof one === 'string' ? [] : [one.types, one.default])),
    ].map((file) => join('.', file))
    const reached = new Set(starts)
    for (const file of reached) {
      const text = readFileSync(join(home, file), 'utf8')
      const named = [...text.matchAll(/\bfrom ?["'](\.[^"']+)["']/g)].map(([, path = '']) =>
        join(dirname(file), file.endsWith('.d.ts') ? path.replace(/\.js$/, '.d.ts') : path),
      )
      // the parts of a program, and what it loads when it is asked for that
      const parts = file.endsWith('.cjs') ? [`${file}.program`] : []
      const late = [...text.matchAll(/["']\.\/(\w+\.cjs)["']/g)].map(([, path = '']) => join('dist', path))
      for (const path of [...named, ...parts, ...late]) if (existsSync(join(home, path))) reached.add(path)
    }
    assert.equal(
      files.filter((file) => file.startsWith('dist/') && !reached.has(file)).sort(),
      // what tells of the programs
      ['dist/nodefit.cdx.json', 'dist/third-party-licenses.txt'],
    )
  })
  for (const name of Object.keys(VALUES))
    test(`${name} exports what the design names`, () => {
      const { stdout } = run(
        process.execPath,
        ['-e', `import('${name}').then((all) => console.log(Object.keys(all).join(' ')))`],
        { cwd: folder },
      )
      assert.equal(stdout.trim().split(' ').sort(), [...(VALUES[name] ?? [])].sort())
    })
  test('no other path can be imported', () => {
    for (const path of ['nodefit/dist/kube.js', 'nodefit/kube/quantity', 'nodefit/index'])
      assert.match(
        run(process.execPath, ['-e', `import('${path}')`], { cwd: folder }).stderr,
        'ERR_PACKAGE_PATH_NOT_EXPORTED',
      )
  })
  for (const [name, file] of Object.entries(ENTRY_FILES)) {
    const declarations = new Declarations(join(home, 'dist'))
    const names = declarations.add(file)
    // who brings a planner has what a plan is made of from the main entry
    const others = name === 'nodefit/planner' ? new Declarations(join(home, 'dist')).add('index.d.ts') : []
    test(`${name} exports the types that its exports mention`, () =>
      assert.equal(
        declarations.missing(names).filter((one) => !others.includes(one)),
        [],
      ))
    test(`${name}: docs/reference/library.md shows each name`, () => {
      const shown = [...PAGE.matchAll(/^import (?:type )?\{(.*)\} from '(.*)'$/gm)].flatMap(([, members = '', from]) =>
        from === name ? members.split(',').map((one) => one.trim().replace(/^type /, '')) : [],
      )
      const listed =
        name === 'nodefit' || name === 'nodefit/planner'
          ? [...PAGE.matchAll(/`(\w+)`/g)].map(([, one = '']) => one)
          : []
      const values = VALUES[name] ?? []
      assert.equal(
        names.filter((one) => !shown.includes(one) && (values.includes(one) || !listed.includes(one))),
        [],
      )
    })
  }
})

suite('a program with the package', (test) => {
  const console = 'declare const console: { log(...values: unknown[]): void }\n'
  const inFolder = (name: string, sources: Readonly<Record<string, string>>): string => {
    const path = join(folder, name)
    mkdirSync(path)
    writeFileSync(join(path, 'package.json'), '{"type":"module"}')
    for (const [file, text] of Object.entries(sources)) writeFileSync(join(path, file), text)
    return path
  }
  const sources = Object.fromEntries(PROGRAMS.map(({ code }, index) => [`program${index}.ts`, code]))
  const examples = inFolder('examples', { ...sources, 'console.d.ts': console })
  test('the examples compile, without skipLibCheck and without the types of Node.js', () => {
    assert.ok(PROGRAMS.length >= 4)
    assert.is(compiled(examples), '')
  })
  test('they compile as a bundler resolves them', () =>
    assert.is(compiled(examples, { module: 'esnext', moduleResolution: 'bundler', outDir: 'bundler' }), ''))
  test('codes are closed unions, and what does not fit them is an error', () => {
    const marked = WRONG.split('\n').flatMap((line, index) => (line.endsWith('// wrong') ? [index + 1] : []))
    const said = compiled(inFolder('wrong', { 'wrong.ts': WRONG }), { noEmit: true })
    assert.equal(
      [...said.matchAll(/^wrong\.ts[(:](\d+)/gm)].map(([, line]) => Number(line)),
      marked,
      said,
    )
  })
  const input = readFileSync(join(ROOT, 'testdata/library/input.yaml'), 'utf8')
  for (const [index, { title, code }] of PROGRAMS.entries())
    test(`${title}: the example gives what the page says`, () => {
      const { status, stdout, stderr } = run(process.execPath, [join(examples, `out/program${index}.js`)], { input })
      assert.is(status, 0, stderr)
      const printed = [...code.matchAll(/\/\/ prints (.*)$/gm)].map(([, line]) => line)
      const expected = readFileSync(join(ROOT, 'testdata/library/output.yaml'), 'utf8')
      if (code.includes('runFunction(')) assert.is(stdout, expected)
      else assert.equal(stdout.trimEnd().split('\n'), printed)
    })
})

suite('the programs of the package', (test) => {
  const bin = (name: string) => join(folder, 'node_modules/.bin', name)
  const quickstart = join(ROOT, 'testdata/quickstart')
  const input = readFileSync(join(ROOT, 'tools/build/warm-up.yaml'), 'utf8')
  test('the function does as the one that was built', () => {
    const expected = run(process.execPath, [FUNCTION], { input })
    assert.is(expected.status, 0)
    assert.equal(run(bin('nodefit-fn'), [], { input }), expected)
  })
  test('the command does as the one that was built', () => {
    const expected = run(process.execPath, [COMMAND, 'build', quickstart])
    assert.is(expected.status, 0)
    for (const name of ['nodefit', 'kubectl-nodefit']) assert.equal(run(bin(name), ['build', quickstart]), expected)
  })
  test('the controller reads its configuration', () => {
    for (const late of ['dist/api.cjs', 'dist/sync.cjs']) assert.ok(files.includes(late), late)
    const { status, stderr } = run(bin('nodefit'), ['sync', '--config', join(folder, 'absent.yaml')])
    assert.is(status, 2)
    assert.match(stderr, 'ENOENT')
  })
})
