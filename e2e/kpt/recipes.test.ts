/** docs/daemonset/recipes: the commands and policies of each page, as printed, on agents of the shape that their charts render. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { AGENTS, agentDaemonSet } from '../first-hour/agents.ts'
import { COMMAND, functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

/** What each page renders its DaemonSet from; none where it is read from the cluster. */
const CHARTS: Record<string, [chart: string, template: string] | undefined> = {
  alloy: ['alloy', 'templates/controllers/daemonset.yaml'],
  'aws-node': undefined,
  calico: undefined,
  cilium: ['cilium', 'templates/cilium-agent/daemonset.yaml'],
  datadog: ['datadog', 'templates/daemonset.yaml'],
  'ebs-csi-node': ['aws-ebs-csi-driver', 'templates/node.yaml'],
  falco: ['falco', 'templates/daemonset.yaml'],
  filebeat: ['filebeat', 'templates/daemonset.yaml'],
  'fluent-bit': ['fluent-bit', 'templates/daemonset.yaml'],
  kured: ['kured', 'templates/daemonset.yaml'],
  'node-exporter': ['prometheus-node-exporter', 'templates/daemonset.yaml'],
  'node-local-dns': undefined,
  'opentelemetry-collector': ['opentelemetry-collector', 'templates/daemonset.yaml'],
  promtail: ['promtail', 'templates/daemonset.yaml'],
  tetragon: ['tetragon', 'templates/daemonset.yaml'],
  vector: ['vector', 'templates/daemonset.yaml'],
}
const PAGES = Object.keys(CHARTS)
const pageOf = (name: string) => readFileSync(join(ROOT, `docs/daemonset/recipes/${name}.md`), 'utf8')
const INDEX = readFileSync(join(ROOT, 'docs/daemonset/recipes.md'), 'utf8')
const fixtureOf = (name: string) => readFileSync(join(ROOT, `testdata/recipes/${name}/daemonset.yaml`), 'utf8')
const blocksOf = (page: string, language: string) =>
  [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)]
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? '')
const rowsOf = (page: string) =>
  [...page.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim()))
/** The codes of a table whose first column has them, with what stands beside each. */
const codesOf = (page: string) =>
  new Map(
    rowsOf(page).flatMap(([first = '', ...rest]) => {
      const [, code] = /^`([A-Z][a-z]+[A-Za-z]+)`$/.exec(first) ?? []
      return code === undefined ? [] : [[code, rest.join(' ')] as const]
    }),
  )
/** The codes that a page says are not said, though most recipes say them. */
const notSaidOn = (page: string) => [...page.matchAll(/^\| no `([A-Za-z]+)` \|/gm)].map(([, code = '']) => code)
const COMMON = codesOf(INDEX)
/** The codes of every page, also of those that say no. */
const ALWAYS = [...COMMON].flatMap(([code, why]) => (why.startsWith('all: ') ? [code] : []))

interface DaemonSet {
  metadata: { name: string; namespace: string; managedFields?: unknown; annotations?: Record<string, string> }
  spec: { template: { spec: { containers: Container[] } } }
}
interface Container {
  name: string
  env?: Array<{ name: string; value?: string }>
  resources?: Record<string, Record<string, string>>
}

/** helm prints the DaemonSet of the one chart that a page is about; kubectl and aws answer as a cluster would. */
function commandsIn(folder: string, name: string): string {
  const bin = functionsIn(folder)
  const put = (file: string, text: string) => {
    writeFileSync(join(bin, file), text)
    chmodSync(join(bin, file), 0o755)
  }
  const object = parse(fixtureOf(name)) as DaemonSet
  const { managedFields, ...unmanaged } = object.metadata
  put('nodes.json', JSON.stringify(parse(readFileSync(join(ROOT, 'testdata/nodes/eks.yaml'), 'utf8'))))
  put('daemonset.yaml', `---\n# Source: chart/templates/daemonset.yaml\n${fixtureOf(name)}`)
  put('managed.json', JSON.stringify(object))
  put('unmanaged.json', JSON.stringify({ ...object, metadata: unmanaged }))
  const [chart, template] = CHARTS[name] ?? []
  const { metadata } = object
  put(
    'helm',
    `#!/bin/sh
case "$*" in
  "template "*"/${chart} --namespace ${metadata.namespace} --kube-version 1.34 --show-only ${template}"*) cat "${bin}/daemonset.yaml" ;;
  "upgrade "*"/${chart} --namespace ${metadata.namespace} --reuse-values --set"*) ;;
  *) echo "helm $*" >&2; exit 1 ;;
esac
`,
  )
  put(
    'kubectl',
    `#!/bin/sh
case "$*" in
  'get nodes -o json') cat "${bin}/nodes.json" ;;
  '-n ${metadata.namespace} get daemonset ${metadata.name} -o json') cat "${bin}/unmanaged.json" ;;
  '-n ${metadata.namespace} get daemonset ${metadata.name} -o json --show-managed-fields') cat "${bin}/managed.json" ;;
  *) echo "kubectl $*" >&2; exit 1 ;;
esac
`,
  )
  put(
    'aws',
    '#!/bin/sh\ncase "$2" in describe-addon) echo v1 ;; describe-addon-configuration|update-addon) ;; *) exit 1 ;; esac\n',
  )
  symlinkSync(COMMAND, join(bin, 'nodefit'))
  return bin
}

interface Tried {
  readonly bin: string
  readonly work: string
  /** The folder that `nodefit init` wrote. */
  readonly package_: string
  /** The policy as `nodefit init` wrote it. */
  readonly policy: unknown
  /** What `nodefit init` and the build behind it said. */
  readonly said: readonly string[]
  readonly codes: readonly string[]
  readonly built: readonly DaemonSet[]
}

/** Runs the commands of a page, edits the policy as it says, and builds. */
function tried(name: string, body: (result: Tried) => void): void {
  inFolder((folder) => {
    const page = pageOf(name)
    const bin = commandsIn(folder, name)
    const work = join(folder, 'work')
    mkdirSync(work)
    let stderr = ''
    for (const block of blocksOf(page, 'sh')) {
      const made = run('sh', ['-eu', '-c', block], { bin, cwd: work })
      assert.is(made.status, 0, `${block}\n${made.stderr}`)
      stderr += made.stderr
    }
    const [, own = ''] = /^nodefit init (\S+) /m.exec(page) ?? []
    const package_ = join(work, own)
    const file = join(package_, 'policy.yaml')
    const policy: unknown = parse(readFileSync(file, 'utf8'))
    for (const block of blocksOf(page, 'yaml')) writeFileSync(file, block)
    const build = run('nodefit', ['build', own], { bin, cwd: work })
    assert.is(build.status, 0, build.stderr)
    const built = parseAllDocuments(build.stdout).map((document) => document.toJS() as DaemonSet)
    const codes = [...build.stderr.matchAll(/^nodefit: (?:error|warning|info): ([A-Za-z]+): /gm)].map(
      ([, code = '']) => code,
    )
    body({
      bin,
      work,
      package_,
      policy,
      said: `${stderr}${build.stderr}`.split('\n'),
      codes: [...new Set(codes)],
      built,
    })
  })
}

const results = new Map<string, Tried>()
/** As `tried`, once for each page, for what does not look into its folder. */
function resultOf(name: string): Tried {
  if (!results.has(name)) tried(name, (result) => results.set(name, result))
  return results.get(name) as Tried
}

/** Every value below an object, by its path. */
function flat(value: unknown, path = ''): Map<string, string> {
  if (typeof value !== 'object' || value === null) return new Map([[path, String(value)]])
  return new Map(Object.entries(value).flatMap(([key, own]) => [...flat(own, path === '' ? key : `${path}.${key}`)]))
}

suite('the pages of recipes', (test) => {
  test('each has a chart here, a fixture and a row in the list, which says yes where there is a policy', () => {
    const pages = readdirSync(join(ROOT, 'docs/daemonset/recipes')).map((file) => file.replace(/\.md$/, ''))
    assert.equal(pages.sort(), [...PAGES].sort())
    assert.equal(readdirSync(join(ROOT, 'testdata/recipes')).sort(), [...PAGES].sort())
    const rows = rowsOf(INDEX).flatMap(([first = '', verdict = '']) => {
      const [, page] = /^\[.*\]\(recipes\/(.*)\.md\)$/.exec(first) ?? []
      return page === undefined ? [] : [[page, verdict] as const]
    })
    assert.equal(rows.map(([page]) => page).sort(), [...PAGES].sort())
    for (const [page, verdict] of rows) {
      assert.is(verdict === 'no', blocksOf(pageOf(page), 'yaml').length === 0, page)
      assert.is(existsSync(join(ROOT, `testdata/recipes/${page}/policy.yaml`)), verdict !== 'no', page)
    }
    assert.ok(COMMON.size >= 6)
  })
  test('what the first hour tries is the same here, on the nodes whose system its image has', () => {
    const both = AGENTS.filter((agent) => PAGES.includes(agent))
    assert.is(both.length, 6)
    for (const agent of both) {
      const { metadata, spec } = agentDaemonSet(agent)
      const pod = spec.template.spec
      const nodeSelector = { ...pod.nodeSelector, 'kubernetes.io/os': 'linux' }
      const template = { ...spec.template, spec: { ...pod, nodeSelector } }
      const fixture = parse(fixtureOf(agent)) as typeof spec & { metadata: object; spec: typeof spec }
      assert.equal({ ...fixture.metadata, namespace: undefined }, { ...metadata, namespace: undefined })
      const own =
        fixture.spec.template.spec.nodeSelector?.['kubernetes.io/os'] === undefined ? spec : { ...spec, template }
      assert.equal(fixture.spec, own)
    }
  })
  for (const name of PAGES) {
    const page = pageOf(name)
    test(`${name}: its commands run, and all is said that it shows, with no code more`, () => {
      const { said, codes } = resultOf(name)
      const isSized = blocksOf(page, 'yaml').length > 0
      const common = [...COMMON.keys()].filter((code) => !notSaidOn(page).includes(code))
      const expected = [...codesOf(page).keys(), ...(isSized ? common : ALWAYS)]
      assert.equal([...codes].sort(), [...new Set(expected)].sort())
      const lines = new Set(said.map((line) => line.trimEnd()))
      const shown = blocksOf(page, '').flatMap((block) => block.trim().split('\n'))
      assert.ok(shown.length > 0)
      for (const line of shown) assert.ok(lines.has(line), `${line}\n\n${said.join('\n')}`)
    })
    test(`${name}: the ports that it names are those that are held`, () => {
      const { said } = resultOf(name)
      const [, ports = ''] = /HostPortHeld: .* uses host ports? ([\d, ]+):/.exec(said.join('\n')) ?? []
      const named = [...(codesOf(page).get('HostPortHeld') ?? '').matchAll(/\d{2,5}/g)].map(String)
      assert.equal(ports === '' ? [] : ports.split(', ').sort(), named.sort())
    })
    test(`${name}: the sizes in its command are those of the agent`, () => {
      const { containers } = (parse(fixtureOf(name)) as DaemonSet).spec.template.spec
      const template = blocksOf(page, 'sh')
        .flatMap((block) => /^helm template [\s\S]*?> /m.exec(block) ?? [])
        .join('')
      const sizes = [...template.matchAll(/resources\.(requests|limits)\.(cpu|memory)=([^, ]+)/g)]
      for (const [, kind = '', resource = '', amount] of sizes)
        assert.is(containers[0]?.resources?.[kind]?.[resource], amount, `${kind} ${resource}`)
    })
    if (blocksOf(page, 'yaml').length === 0) continue
    test(`${name}: its table has what is edited, and nothing else`, () => {
      const { policy } = resultOf(name)
      const [before, after] = [flat(policy), flat(parse(blocksOf(page, 'yaml').join('')))]
      const paths = [...new Set([...before.keys(), ...after.keys()])].filter(
        (path) => before.get(path) !== after.get(path),
      )
      const edits = paths.map((path) => [path.replace(/^spec\./, ''), before.get(path) ?? '', after.get(path) ?? ''])
      const rows = rowsOf(page).filter(([first = '', , , why]) => first.startsWith('`') && why !== undefined)
      const wrote = rows.map(([field = '', from = '', to = '']) => [field.replaceAll('`', ''), from, to])
      assert.equal(wrote.sort(), edits.sort())
    })
    test(`${name}: the first render leaves the commonest nodes as they are`, () =>
      assert.ok(resultOf(name).said.some((line) => line.endsWith('-m5-large (3 nodes): as today'))))
  }
  test('the collector’s heap limit follows its memory limit, to the amounts that the page names', () =>
    tried('opentelemetry-collector', ({ built }) => {
      const shown = [...pageOf('opentelemetry-collector').matchAll(/`(\d+MiB)` on (m5\.\w+)/g)]
      assert.is(shown.length, 2)
      for (const [, amount, type = ''] of shown) {
        const group = built.find(({ metadata }) => metadata.name.endsWith(type.replace('.', '-')))
        const env = group?.spec.template.spec.containers[0]?.env ?? []
        assert.is(env.find((one) => one.name === 'GOMEMLIMIT')?.value, amount)
      }
    }))
  test('aws-node: without managed fields nothing names the add-on', () =>
    tried('aws-node', ({ bin, work }) => {
      const command =
        blocksOf(pageOf('aws-node'), 'sh')
          .join('')
          .split('\n')
          .find((line) => line.startsWith('kubectl -n ')) ?? ''
      assert.match(command, ' --show-managed-fields')
      run('sh', ['-eu', '-c', command.replace(' --show-managed-fields', '')], { bin, cwd: work })
      const args = ['init', 'again', '--nodes', 'nodes.json', '--daemonset', 'template.json', '--anyway']
      const { status, stderr } = run('nodefit', args, { bin, cwd: work })
      assert.is(status, 0, stderr)
      assert.not.match(stderr, 'OwnedElsewhere')
    }))
  test('cilium: a policy that sets its memory limit says that it is read back', () =>
    tried('cilium', ({ bin, work }) => {
      const { stderr } = run(
        'nodefit',
        [
          'build',
          'nodes.json',
          'template.yaml',
          '--set',
          'target=cilium',
          '--set',
          'containers=cilium-agent',
          '--set',
          'limitMemory=5',
        ],
        { bin, cwd: work },
      )
      assert.match(pageOf('cilium'), '`AmountReadBack`')
      assert.match(stderr, 'AmountReadBack')
    }))
  test('a template that is switched off renders nothing', () =>
    tried('fluent-bit', ({ bin, work, package_ }) => {
      const [, off = ''] = /nodeSelector\.(nodefit\S+)'/.exec(blocksOf(INDEX, 'sh')[0] ?? '') ?? []
      const [key = '', value = ''] = off.replaceAll('\\.', '.').split('=')
      const template = join(package_, 'daemonset.yaml')
      const text = readFileSync(template, 'utf8')
      assert.match(text, 'kubernetes.io/os: linux')
      writeFileSync(template, text.replace('kubernetes.io/os: linux', `${key}: "${value}"`))
      const { status, stdout, stderr } = run('nodefit', ['build', 'fluent-bit'], { bin, cwd: work })
      assert.is(status, 1)
      assert.is(stdout, '')
      assert.match(stderr, /error: (?:NoGroups|LabelNotExported): /)
    }))
  if (!has('kpt')) return
  test('a template that is written anew keeps the groups, and is kept back again', () =>
    tried('fluent-bit', ({ bin, work, package_ }) => {
      const render = () => {
        const { status, stderr } = run('kpt', ['fn', 'render', '--allow-exec', 'fluent-bit'], { bin, cwd: work })
        assert.is(status, 0, stderr)
        return readFileSync(join(package_, 'fluent-bit-groups.yaml'), 'utf8')
      }
      const first = render()
      assert.is(blocksOf(INDEX, 'sh').length, 2)
      for (const block of blocksOf(INDEX, 'sh')) {
        const { status, stderr } = run('sh', ['-eu', '-c', block], { bin, cwd: work })
        assert.is(status, 0, stderr)
      }
      assert.is(readFileSync(join(package_, 'fluent-bit-groups.yaml'), 'utf8'), first)
      const { metadata } = parse(readFileSync(join(package_, 'daemonset.yaml'), 'utf8')) as DaemonSet
      assert.is(metadata.annotations?.['config.kubernetes.io/local-config'], 'true')
      assert.is(metadata.annotations?.['nodefit.dev/template'], 'true')
    }))
})
