import {
  answersTo,
  briefLines,
  type FleetJson,
  fleetJson,
  overviewLines,
  overviewOfSeveral,
  plain,
  policyNames,
  printable,
  type Question,
} from '../../face/index.ts'
import { isError } from '../../krm/finding.ts'
import type { Plan } from '../../rules/plan.ts'
import { readPricesFile } from '../files/prices.ts'
import { readEarlier, readObjects } from '../files/read-objects.ts'
import { planItems } from '../files/rendering.ts'
import { writeView } from '../files/stdio.ts'
import { say } from '../files/terminal.ts'
import { givenTrust, type TrustOptions } from '../files/trust.ts'
import { UserError } from '../files/user-error.ts'
import { RENDER_OPTIONS } from './build.ts'
import { type Command, type Options, readArguments } from './command.ts'

const HELP = `nodefit explain [PATH...|-] [--policy NAME] [--group NAME] [--node NAME]
                [--pool NAME] [--pod NS/NAME] [--action ID] [--json]
                [--set KEY=VALUE]... [--earlier DIR] [--trust | --keyring FILE]

Renders as nodefit build does, writes no file, and says how each number comes
about; of all policies where nothing is asked. Options may be repeated.

  --policy NAME    its groups, how each amount is computed, and nodes left out
  --group NAME     one group, by the name of its DaemonSet or its label value
  --node NAME      the agents of a node and its Ticket, or why it has none; why
                   a node of a pool stays or leaves, and which action holds it
  --pool NAME      what became of the PoolPolicy of this name
  --pod NS/NAME    why a pending pod gets a machine of each pool or not
  --action ID      a signed action: its checks, what it renders, its outcome
  --json           print the answers as JSON; of all policies, the fleet too
  --prices FILE    with --json: what a node of each type costs, as of report
  --set KEY=VALUE  as of nodefit build
  --earlier DIR    as of nodefit build
  --trust FILE, --keyring FILE  as of nodefit build

Exit code 0: everything is answered; 1: something is not known, or the render
fails; 2: an argument is wrong or a file cannot be read.

  nodefit explain package --earlier rendered --node ip-10-0-1-17
`

const { all: _, ...SHARED } = RENDER_OPTIONS
const OPTIONS = {
  ...SHARED,
  policy: { type: 'string', multiple: true, about: 'how the amounts of this policy come about' },
  group: { type: 'string', multiple: true, about: 'how the amounts of this group come about' },
  pool: { type: 'string', multiple: true, about: 'what became of this PoolPolicy' },
  pod: { type: 'string', multiple: true, about: 'why this pending pod gets a machine or not' },
  node: { type: 'string', multiple: true, about: 'the agents of this node, why it stays or leaves, who holds it' },
  action: { type: 'string', multiple: true, about: 'what became of this signed action' },
  prices: { type: 'string', about: 'what a node of each type costs an hour', value: 'file' },
  json: { type: 'boolean', about: 'print the answers as JSON' },
} as const satisfies Options

/** `nodefit explain`: how numbers come about, and why a pool, pod, node or action is planned as it is. */
export const EXPLAIN: Command = {
  about: 'say how numbers come about, and why',
  help: HELP,
  options: OPTIONS,
  operands: 'files',
  failure: 2,
  run: explain,
}

function explain(args: string[]): void {
  const { values, positionals } = readArguments('nodefit explain', args, OPTIONS)
  const { json } = values
  const asked = (['policy', 'group', 'pool', 'pod', 'node', 'action'] as const).flatMap((about) =>
    (values[about] ?? []).map((name): Question => ({ about, name })),
  )
  const pod = asked.find(({ about, name }) => about === 'pod' && !/^[^/]+\/[^/]+$/.test(name))
  if (pod !== undefined) throw new UserError(`--pod takes NAMESPACE/NAME, not ${pod.name}`)
  const plan = planToExplain(positionals, values)
  const answered = asked.length > 0 ? answersOf(plan, asked) : answersOf(plan)
  const overview = asked.length > 0 || json ? [] : overviewLines(overviewOfSeveral(plan), plain)
  const table = overview.map((line) => `${line}\n`).join('')
  const text = table + answered.map(answerText).join('')
  if (plan.failed) for (const line of briefLines({ ...plan, findings: plan.findings.filter(isError) })) say(`${line}\n`)
  if (plan.failed && text !== '') say('nodefit: nothing is rendered: what follows is what would be\n')
  if (plan.failed || answered.some(({ answers }) => answers.length === 0)) process.exitCode = 1
  const shown = json && asked.length === 0 ? explainedFleet(plan, values.prices).entries : answered
  writeView(json ? `${JSON.stringify(shown, null, 2)}\n` : text === '' && !plan.failed ? NOTHING : text)
}

/** The values of the options that say what is planned. */
export interface ExplainedInput extends TrustOptions {
  readonly set?: readonly string[]
  readonly earlier?: string
}

/** Plans what the operands of a command name, for a look: nothing is written. */
export function planToExplain(operands: readonly string[], values: ExplainedInput): Plan {
  const items = readObjects(operands.length === 0 ? ['-'] : operands, { kustomizations: true })
  const earlier = values.earlier === undefined ? undefined : readEarlier(values.earlier)
  const trust = givenTrust(values, process.env)
  return planItems(items, { clock: new Date(), set: values.set, earlier, keepsFiles: false, trust })
}

type Answered = Question & { answers: ReturnType<typeof answersTo> }

/** Answers questions; without any, one about each policy with node groups. */
function answersOf(plan: Plan, asked?: readonly Question[]): Answered[] {
  const questions = asked ?? policyNames(plan).map((name): Question => ({ about: 'policy', name }))
  return questions.map((question) => ({ ...question, answers: answersTo(question, plan) }))
}

/** What `--json` prints where nothing is asked: the answers about each policy, and the whole fleet with its path. */
export function explainedFleet(plan: Plan, prices?: string): { entries: object[]; fleet: FleetJson; path: string } {
  const answers = answersOf(plan)
  const fleet = fleetJson(plan, prices === undefined ? undefined : readPricesFile(prices))
  const entry = { about: 'fleet', name: '', answers: [], fleet }
  return { entries: [...answers, entry], fleet, path: `/${answers.length}/fleet` }
}

const NOTHING = 'nodefit: no policy has node groups: ask for a --node, --pool, --pod or --action\n'
const UNKNOWN = {
  policy: 'no policy of this name has node groups',
  group: 'no policy has a group of this name or for this label value',
  pool: 'no enabled PoolPolicy has this name',
  pod: 'no WorkloadSnapshot of a pool lists it as pending, so it opens no machine',
  node: 'no policy, pool or action knows it',
  action: 'no NodeAction has this id',
}

function answerText({ about, name, answers }: Answered): string {
  const lines = answers.flatMap(({ subject, state, sentence, lines: more = [] }) => [
    about === 'pool' ? `${state}: ${sentence}` : `${subject}: ${sentence}`,
    ...more.map((line) => `  ${line}`),
  ])
  const shown = lines.length === 0 ? [UNKNOWN[about]] : lines
  return [`${about} ${name}`, ...shown.map((line) => `  ${line}`)].map((line) => `${printable(line)}\n`).join('')
}
