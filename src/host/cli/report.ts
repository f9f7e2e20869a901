import { briefLines } from '../../face/index.ts'
import { isError } from '../../krm/finding.ts'
import { writeView } from '../files/stdio.ts'
import { say } from '../files/terminal.ts'
import { writeFileAtomically } from '../files/write-file.ts'
import { RENDER_OPTIONS } from './build.ts'
import { type Command, loadPages, type Options, readArguments } from './command.ts'
import { explainedFleet, planToExplain } from './explain.ts'

const HELP = `nodefit report [PATH...|-] [--output FILE] [--prices FILE] [--set KEY=VALUE]...
               [--earlier DIR] [--trust FILE|env:NAME | --keyring FILE|env:NAME]

Renders as nodefit build does, writes no manifest, and writes one HTML page: the
node groups of each policy with requests and limits against what their nodes can
give, totals before and after, the agents of each node, and the findings. The
page loads nothing.

  --output FILE    write to a file instead of stdout; -o is short for it
  --prices FILE    what a node of each type costs an hour, in lines such as
                   m5.large: 0.115; the page then shows what agents cost
  --set KEY=VALUE  as of nodefit build
  --earlier DIR    the earlier output, which the page compares with
  --trust, --keyring
                   as of nodefit build

Exit code 0: rendered; 1: the render has errors, which the page shows; 2: an
argument is wrong, or a file cannot be read or written.

  nodefit report package --earlier rendered -o report.html
`

const { all: _, ...SHARED } = RENDER_OPTIONS
const OPTIONS = {
  ...SHARED,
  output: { type: 'string', short: 'o', about: 'write to a file instead of stdout', value: 'file' },
  prices: { type: 'string', about: 'what a node of each type costs an hour', value: 'file' },
} as const satisfies Options

/** `nodefit report`: what a render decides, as a page for people. */
export const REPORT: Command = {
  about: 'write a page with groups, bars and findings',
  help: HELP,
  options: OPTIONS,
  operands: 'files',
  failure: 2,
  run: report,
}

function report(args: string[]): void {
  const { values, positionals } = readArguments('nodefit report', args, OPTIONS)
  const plan = planToExplain(positionals, values)
  const { fleet, path } = explainedFleet(plan, values.prices)
  if (plan.failed) {
    process.exitCode = 1
    for (const line of briefLines({ ...plan, findings: plan.findings.filter(isError) })) say(`${line}\n`)
  }
  const page = loadPages().reportPage(fleet, path)
  if (values.output === undefined || values.output === '-') writeView(page)
  else writeFileAtomically(values.output, page)
}
