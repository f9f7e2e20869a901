import { isatty } from 'node:tty'
import { indexBy } from '../../core/index.ts'
import { annotationLines, explained, planJson, reportLines, sarifLog } from '../../face/index.ts'
import { byHarm, type Finding, findingOf, plural } from '../../krm/finding.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { CODES } from '../../rules/all-codes.ts'
import type { Plan } from '../../rules/plan.ts'
import { openOutput, type StaleFile, staleFiles } from '../files/output-change.ts'
import { isWithin } from '../files/paths.ts'
import { placeFindings } from '../files/place-findings.ts'
import { readEarlier, readObjects } from '../files/read-objects.ts'
import { planItems } from '../files/rendering.ts'
import { writeView } from '../files/stdio.ts'
import { paintFor } from '../files/terminal.ts'
import { givenTrust } from '../files/trust.ts'
import { UserError } from '../files/user-error.ts'
import { RENDER_OPTIONS } from './build.ts'
import { type Command, type Options, readArguments, shellWords } from './command.ts'

const HELP = `nodefit vet [PATH...|-] [--current DIR] [--live FILE]
            [--set KEY=VALUE]... [--earlier DIR] [--trust | --keyring FILE]
            [--all | --json | --sarif | --github]

Renders as nodefit build does, writes no file, and prints the findings on
stdout, and how many objects are in order where there is no error. With
--current it also lists the objects of DIR that differ from the rendered ones,
how they differ, and the command that updates them.

  --current DIR    a folder of nodefit build --output-dir, or PATH itself: a
                   package that kpt renders in place
  --live FILE      what the cluster has of Kubescape's chart, to compare with:
                   kubectl -n kubescape get configmaps,daemonsets -o json
  --earlier DIR    the earlier output, without --current
  --set KEY=VALUE  as of nodefit build
  --trust FILE, --keyring FILE  as of nodefit build
  --all            print all findings, none folded, and every group
  --json           print groups, totals and findings for programs
  --sarif          print the findings as SARIF 2.1.0, for code scanning
  --github         print the findings as annotations of GitHub Actions

Exit code 0: in order; 1: an error or a difference; 2: a wrong argument or file.

  nodefit vet package --current rendered
`

const OPTIONS = {
  ...RENDER_OPTIONS,
  current: { type: 'string', about: 'the committed output', value: 'folder' },
  live: { type: 'string', about: "what the cluster has of Kubescape's chart", value: 'file' },
  json: { type: 'boolean', about: 'print JSON' },
  sarif: { type: 'boolean', about: 'print SARIF, for code scanning' },
  github: { type: 'boolean', about: 'print annotations of GitHub Actions' },
} as const satisfies Options

const STDOUT = 1

/** `nodefit vet`: the findings of a render, and whether the committed output is current. */
export const VET: Command = {
  about: 'check a package and its rendered output',
  help: HELP,
  options: OPTIONS,
  operands: 'files',
  failure: 2,
  run: vet,
}

function vet(args: string[]): void {
  const { values, positionals } = readArguments('nodefit vet', args, OPTIONS)
  const paths = positionals.length === 0 ? ['-'] : positionals
  const { current, set } = values
  if (current !== undefined && values.earlier !== undefined)
    throw new UserError('--current has the earlier output: leave --earlier out')
  const inPlace = current !== undefined && paths.some((path) => path !== '-' && isSamePath(path, current))
  if (inPlace && (paths.length > 1 || set !== undefined))
    throw new UserError(`${current} is input and output: give that package alone, without --set`)
  const output = current === undefined || inPlace ? undefined : openOutput(current, paths)
  const earlier = values.earlier === undefined ? output?.earlier : readEarlier(values.earlier)
  const items = readObjects(paths, { except: inPlace ? undefined : current, kustomizations: true })
  const live = values.live === undefined ? undefined : readObjects([values.live]).map(({ object }) => object)
  const trust = givenTrust(values, process.env)
  const made = planItems(items, { clock: new Date(), set, earlier, keepsFiles: inPlace, check: inPlace, trust })
  const drift = live === undefined ? [] : driftFrom(made, live)
  const plan = { ...made, findings: [...made.findings, ...drift] }
  const stale = plan.failed || output === undefined ? [] : staleFiles(output.folder, plan)
  const isStale = stale.length > 0 || plan.findings.some(({ code }) => code === 'OutputStale')
  const isOk = !plan.failed && !isStale && drift.every(({ severity }) => severity === 'info')
  if (!isOk) process.exitCode = 1
  const mend = inPlace
    ? shellWords(['kpt', 'fn', 'render', '--allow-exec', ...paths])
    : buildCommand(paths, set, current)
  const form = formOf(values)
  if (form !== undefined) {
    writeView(form({ ...plan, findings: byHarm([...plan.findings, ...staleFindings(stale, mend)]) }))
    return
  }
  const report = reportLines(plan, values.all === true, paintFor(isatty(STDOUT), process.env))
  const lines = [
    ...report,
    ...stale.map(({ sentence }) => `nodefit: error: ${sentence}`),
    ...(isStale ? [`nodefit: to update it, run ${mend}`] : []),
    ...(isOk ? [okLine(plan, live !== undefined)] : []),
  ]
  writeView(lines.map((line) => `${line}\n`).join(''))
}

/** Compares the cluster with what was planned. Throws `UserError` where no policy can be compared. */
function driftFrom({ packages, failed }: Plan, live: readonly KubernetesObject[]): Finding[] {
  const compared = packages.flatMap(({ planned }) => planned).flatMap(({ drift }) => drift ?? [])
  if (compared.length === 0 && !failed)
    throw new UserError(
      '--live compares policies for the template of Kubescape’s chart, and PATH has none: leave it out',
    )
  return compared.flatMap((drift) => drift(live))
}

/** What was checked: `nodefit: ok: 12 objects of 3 policies and 1 Order`. */
function okLine({ packages }: Plan, isCompared: boolean): string {
  const planned = packages.flatMap((one) => one.planned)
  const parts = packages
    .flatMap(({ changes }) => changes)
    .filter(({ isShared, after }) => isShared === true && after !== undefined)
  const objects = planned.reduce((sum, one) => sum + one.objects.length, parts.length)
  const policies = planned.filter(({ subject }) => subject.object.kind.endsWith('Policy')).length
  const kinds = indexBy(planned, ({ subject }) => subject.object.kind)
  const others = [...kinds].filter(([kind]) => !kind.endsWith('Policy')).sort()
  const subjects = [
    ...(policies === 0 ? [] : [policies === 1 ? '1 policy' : `${policies} policies`]),
    ...others.map(([kind, all]) => plural(all.length, kind)),
  ]
  const same = isCompared ? ', as in the cluster' : ''
  return `nodefit: ok: ${plural(objects, 'object')} of ${subjects.join(' and ')}${same}`
}

function isSamePath(left: string, right: string): boolean {
  return isWithin(left, right) && isWithin(right, left)
}

/** The shell command that writes the folder again. */
function buildCommand(paths: readonly string[], set: readonly string[] = [], directory = ''): string {
  return shellWords([
    'nodefit',
    'build',
    ...paths,
    ...set.flatMap((entry) => ['--set', entry]),
    '--output-dir',
    directory,
  ])
}

declare const NODEFIT_VERSION: string

const FORMS = {
  json: (plan: Plan) => json(planJson(plan)),
  sarif: (plan: Plan) => json(sarifLog(placeFindings(plan.findings), CODES, NODEFIT_VERSION)),
  github: (plan: Plan) =>
    annotationLines(placeFindings(explained(plan.findings, false)))
      .map((line) => `${line}\n`)
      .join(''),
} as const

type Form = keyof typeof FORMS
const NAMES = Object.keys(FORMS) as Form[]

/**
 * Returns how a checked plan is printed for programs; undefined for people. Throws `UserError` where two forms are
 * given.
 */
function formOf(values: Readonly<Partial<Record<Form | 'all', boolean>>>): ((plan: Plan) => string) | undefined {
  const given = NAMES.filter((name) => values[name] === true)
  const [form] = given
  if (form === undefined) return undefined
  const two = [...given, ...(values.all === true ? ['all'] : [])]
  if (two.length > 1)
    throw new UserError(`${two.map((name) => `--${name}`).join(' and ')} exclude each other: give one`)
  return FORMS[form]
}

/** Returns what is stale in an output folder as findings, each with the command that updates it. */
function staleFindings(stale: readonly StaleFile[], mend: string): Finding[] {
  const finding = findingOf({ OutputStale: CODES.OutputStale })
  return stale.map(({ sentence }) => finding('OutputStale', sentence, { mend: `To update it, run ${mend}` }))
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
