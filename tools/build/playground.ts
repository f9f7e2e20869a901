/** Makes the playground: a page that is one file, with the function, the editors and the examples in it. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { ROOT } from './bundle.ts'
import { bundledPackages, noticesText } from './notices.ts'

const FOLDER = join(ROOT, 'playground')

interface Example {
  readonly title: string
  readonly nodes: string
  readonly daemonSet: string
  readonly policy: string
}

/** What the examples are made of: files of the repository, by the box that they are pasted into. */
const EXAMPLES: ReadonlyArray<{ title: string; nodes: string[]; daemonSet: string[]; policy: string[] }> = [
  {
    title: 'Ten nodes of EKS, as kubectl prints them',
    nodes: ['examples/nodes.yaml'],
    daemonSet: ['examples/fluent-bit.json'],
    policy: [],
  },
  fromPackage('Two instance types, an inventory', 'testdata/quickstart'),
  fromPackage('GPU and storage nodes by selector', 'testdata/golden/explicit-groups/package'),
  fromPackage('Karpenter: ranges of memory', 'testdata/golden/ranges/package'),
  fromPackage('Will it fit beside other pods?', 'testdata/golden/fit/package', { nodes: ['snapshot.yaml'] }),
  fromPackage('Kubescape’s node agent', 'testdata/kubescape/quickstart/package', {
    daemonSet: ['template.yaml', 'agent.yaml', 'operator.yaml'],
  }),
]

function fromPackage(
  title: string,
  folder: string,
  { nodes = [], daemonSet = ['daemonset.yaml'] }: { nodes?: string[]; daemonSet?: string[] } = {},
) {
  const at = (files: readonly string[]) => files.map((file) => join(folder, file))
  return { title, nodes: at(['inventory.yaml', ...nodes]), daemonSet: at(daemonSet), policy: at(['policy.yaml']) }
}

/** Returns the examples as the page holds them. */
export function playgroundExamples(): Example[] {
  const text = (files: readonly string[]) =>
    files.map((file) => readFileSync(join(ROOT, file), 'utf8').replace(/\n*$/, '\n')).join('---\n')
  return EXAMPLES.map(({ title, nodes, daemonSet, policy }) => ({
    title,
    nodes: text(nodes),
    daemonSet: text(daemonSet),
    policy: text(policy),
  }))
}

/** Returns the page. Throws where something in it would end its block early. */
export async function playgroundPage(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const [engine, script] = await bundles(version)
  const { STYLE } = await import('../../src/face/page/page.ts')
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${createHash('sha256').update(script.code).digest('base64')}'`,
    'worker-src blob:',
    "style-src 'unsafe-inline'",
    'img-src data:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const parts: Readonly<Record<string, string>> = {
    POLICY: policy,
    STYLE: `${STYLE}\n${read('style.css')}`,
    SLIDERS: slidersHtml(),
    VERSION: version,
    LICENCES: escaped(noticesText(bundledPackages([engine.metafile, script.metafile]))),
    ENGINE: inBlock(engine.code),
    EXAMPLES: inBlock(JSON.stringify(playgroundExamples()).replaceAll('<', '\\u003c')),
    SCRIPT: inBlock(script.code),
  }
  return read('index.html').replaceAll(/@([A-Z]+)@/g, (_, name: string) => {
    const part = parts[name]
    if (part === undefined) throw new Error(`there is no ${name} for the page`)
    return part
  })
}

/** Returns the packages of which code stands in the page. */
export async function playgroundPackages(): Promise<ReturnType<typeof bundledPackages>> {
  return bundledPackages((await bundles('')).map(({ metafile }) => metafile))
}

function bundles(version: string) {
  return Promise.all([bundled('ui/worker.ts', version), bundled('ui/main.ts', version)])
}

function read(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8')
}

async function bundled(
  entry: string,
  version: string,
): Promise<{ readonly code: string; readonly metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(FOLDER, entry)],
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2023',
    // the page has the licences as a whole
    legalComments: 'none',
    alias: { 'node:crypto': join(FOLDER, 'crypto.ts') },
    define: { NODEFIT_VERSION: JSON.stringify(version) },
    logLevel: 'warning',
  })
  return { code: (outputFiles[0]?.text ?? '').trimEnd(), metafile }
}

/** Code as it may stand in a script element, whose end and comments the parser of HTML looks for. */
function inBlock(code: string): string {
  if (/<\/script|<!--/i.test(code)) throw new Error('the code has what ends a script element')
  return code
}

/** The sliders and fields of the four amounts, and of their bounds: a row for each resource. */
function slidersHtml(): string {
  const rows = [
    ['CPU', 'cpu', 'CPU'],
    ['Memory', 'memory', 'memory'],
  ] as const
  return rows
    .map(([suffix, resource, words]) => {
      const amounts = (['request', 'limit'] as const).map((amount) => {
        const [id, label] = [`${amount}${suffix}`, `${words} ${amount} in percent of allocatable`]
        return `<div class="slide"><span>${amount} %</span><input type="range" id="${id}-slider" min="0" max="20" step="0.1" aria-label="${label}"><input type="number" id="${id}" min="0" max="100" step="any" placeholder="none" aria-label="${label}, as a number"></div>`
      })
      const bounds = (['least', 'most'] as const).map((side) => {
        const id = `${side}-${resource}`
        return `<div class="bound"><label for="${id}">${side === 'least' ? 'min' : 'max'}<span class="vh"> ${words}</span></label><input id="${id}" placeholder="no bound" autocomplete="off" spellcheck="false"><span id="${id}-reached"></span></div>`
      })
      return `<div class="row"><b>${suffix}</b>${amounts.join('')}${bounds.join('')}</div>`
    })
    .join('\n')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
