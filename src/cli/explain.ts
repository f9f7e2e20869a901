import { readEarlier, readObjects } from '../files/read-objects.ts'
import { planItems } from '../files/rendering.ts'
import { writeOutput } from '../files/stdio.ts'
import { say } from '../files/terminal.ts'
import { UserError } from '../files/user-error.ts'
import { isError } from '../finding/index.ts'
import { answersTo, briefLines, printable, type Question } from '../view/index.ts'
import { RENDER_OPTIONS } from './build.ts'
import { type Command, type Options, readArguments } from './command.ts'

const HELP = `nodefit explain [PATH...|-] [--pool NAME] [--pod NAMESPACE/NAME] [--node NAME]
                [--json] [--set KEY=VALUE]... [--earlier DIR]

Renders as nodefit build does, writes no file, and says why: what became of a
pool, why a pending pod gets a machine of each pool or not, with the amounts,
and why a node stays or leaves. Each option may be given several times.

  --pool NAME      the PoolPolicy of this name
  --pod NAMESPACE/NAME
                   a pending pod of the WorkloadSnapshot
  --node NAME      a node of a pool, or the claim of its machine
  --json           print the answers as JSON
  --set KEY=VALUE  as of nodefit build
  --earlier DIR    the earlier output

Exit code 0: everything that was asked is answered; 1: something is not known,
or the render fails; 2: an argument is wrong or a file cannot be read.

  nodefit explain package --earlier rendered --pod shop/web-0
`

const { explain: _, ...SHARED } = RENDER_OPTIONS
const OPTIONS = {
  ...SHARED,
  pool: { type: 'string', multiple: true, about: 'what became of this PoolPolicy' },
  pod: { type: 'string', multiple: true, about: 'why this pending pod gets a machine or not' },
  node: { type: 'string', multiple: true, about: 'why this node stays or leaves' },
  json: { type: 'boolean', about: 'print the answers as JSON' },
} as const satisfies Options

/** `nodefit explain`: why a pool, a pending pod or a node is planned as it is. */
export const EXPLAIN: Command = {
  about: 'say why a pool, a pod or a node is planned as it is',
  help: HELP,
  options: OPTIONS,
  operands: 'files',
  failure: 2,
  run: explain,
}

function explain(args: string[]): void {
  const { values, positionals } = readArguments('nodefit explain', args, OPTIONS)
  const { set, json } = values
  const questions = (['pool', 'pod', 'node'] as const).flatMap((about) =>
    (values[about] ?? []).map((name): Question => ({ about, name })),
  )
  if (questions.length === 0)
    throw new UserError('say what to explain: --pool NAME, --pod NAMESPACE/NAME or --node NAME')
  const pod = questions.find(({ about, name }) => about === 'pod' && !/^[^/]+\/[^/]+$/.test(name))
  if (pod !== undefined) throw new UserError(`--pod takes NAMESPACE/NAME, not ${pod.name}`)
  const items = readObjects(positionals.length === 0 ? ['-'] : positionals, { kustomizations: true })
  const earlier = values.earlier === undefined ? undefined : readEarlier(values.earlier)
  const plan = planItems(items, { set, earlier, keepsFiles: false })
  const answered = questions.map((question) => ({ ...question, answers: answersTo(question, plan) }))
  if (plan.failed) for (const line of briefLines({ ...plan, findings: plan.findings.filter(isError) })) say(line)
  if (plan.failed || answered.some(({ answers }) => answers.length === 0)) process.exitCode = 1
  writeOutput(json ? `${JSON.stringify(answered, null, 2)}\n` : answered.map(answerText).join(''))
}

const UNKNOWN = {
  pool: 'no enabled PoolPolicy has this name',
  pod: 'no WorkloadSnapshot of a pool lists it as pending, so it opens no machine',
  node: 'no pool has it',
}

function answerText({ about, name, answers }: Question & { answers: ReturnType<typeof answersTo> }): string {
  const lines = answers.map(({ subject, state, sentence }) =>
    about === 'pool' ? `${state}: ${sentence}` : `${subject}: ${sentence}`,
  )
  const shown = lines.length === 0 ? [UNKNOWN[about]] : lines
  return [`${about} ${name}`, ...shown.map((line) => `  ${line}`)].map((line) => `${printable(line)}\n`).join('')
}
