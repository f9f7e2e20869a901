import { isatty } from 'node:tty'
import {
  type PlacedOutcome,
  type PolicyTest,
  readTest,
  runTest,
  testJson,
  testJunit,
  testLines,
  testTap,
} from '../../face/expect/index.ts'
import { messageOf } from '../../face/index.ts'
import { isNodefitTest } from '../../kinds/index.ts'
import type { Item } from '../../krm/types.ts'
import { objectPlaces } from '../files/place-findings.ts'
import { readObjects } from '../files/read-objects.ts'
import { planItems } from '../files/rendering.ts'
import { writeView } from '../files/stdio.ts'
import { paintFor } from '../files/terminal.ts'
import { givenTrust } from '../files/trust.ts'
import { UserError } from '../files/user-error.ts'
import { type Command, type Options, readArguments } from './command.ts'

const FORMS = ['tap', 'junit', 'json'] as const

const HELP = `nodefit test [PATH...|-] [--only NAME]... [--output tap|junit|json]
             [--trust FILE|env:NAME | --keyring FILE|env:NAME]

Runs the tests of a package: each NodefitTest in it names nodes, and what must
come out for them. It renders as nodefit build does, with these nodes instead of
the package's own, writes no file, and shows expected and got side by side.

  --only NAME    run only the tests of this name; may be repeated
  --trust FILE   whom you trust to act, an ActionTrust, by the time of the test
  --keyring FILE the keys that verify signed actions, an ActionKeyring
  --output FORM  print TAP version 14, JUnit XML or JSON, for CI

Exit code 0: all tests hold; 1: some fail; 2: an argument or a NodefitTest is
wrong, there is none, or a file cannot be read.

  nodefit test package
`

const OPTIONS = {
  only: { type: 'string', multiple: true, about: 'run only the tests of this name' },
  trust: { type: 'string', about: 'whom the operator trusts to act', value: 'file' },
  keyring: { type: 'string', about: 'the keys that verify signed actions', value: 'file' },
  output: { type: 'string', about: 'print for programs', value: FORMS },
} as const satisfies Options

const STDOUT = 1

/** `nodefit test`: runs the NodefitTests of packages. */
export const TEST: Command = {
  about: 'run the tests of a package',
  help: HELP,
  options: OPTIONS,
  operands: 'files',
  failure: 2,
  run: test,
}

function test(args: string[]): void {
  const { values, positionals } = readArguments('nodefit test', args, OPTIONS)
  const { output, only } = values
  const form = FORMS.find((one) => one === output)
  if (output !== undefined && form === undefined)
    throw new UserError(`--output takes ${FORMS.join(', ')}, but is ${output}`)
  const paths = positionals.length === 0 ? ['-'] : positionals
  const items = readObjects(paths, { kustomizations: true })
  const placeOf = objectPlaces()
  // a test says at what time it takes place, and is the same on every machine
  const given = givenTrust(values, process.env, '')
  const trust = given && { ...given, byClock: false }
  const outcomes = chosenTests(items, paths, only).map((own): PlacedOutcome => {
    const start = performance.now()
    const outcome = runTest(own, items, (objects, isFirst) =>
      planItems(objects, { trust, ...(isFirst ? { earlier: [], keepsFiles: false } : { keepsFiles: true }) }),
    )
    return { ...outcome, ...placeOf(own.item.object), seconds: (performance.now() - start) / 1000 }
  })
  if (outcomes.some(({ mismatches }) => mismatches.length > 0)) process.exitCode = 1
  if (form === 'tap') writeView(testTap(outcomes))
  else if (form === 'junit') writeView(testJunit(outcomes))
  else if (form === 'json') writeView(`${JSON.stringify(testJson(outcomes), undefined, 2)}\n`)
  else {
    const lines = testLines(outcomes, paintFor(isatty(STDOUT), process.env))
    writeView(lines.map((line) => `${line}\n`).join(''))
  }
}

/** Returns the tests of these names, or all. Throws `UserError` with all that is wrong with them. */
function chosenTests(items: readonly Item[], paths: readonly string[], only?: readonly string[]): PolicyTest[] {
  const tests = items.filter(({ object }) => isNodefitTest(object))
  if (tests.length === 0)
    throw new UserError(`there is no NodefitTest in ${paths.join(', ')}: add one, or give its file as a PATH, too`)
  const names = tests.map(({ object }) => object.metadata.name)
  const unknown = only?.find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new UserError(`there is no NodefitTest of the name ${unknown}; there are ${names.join(', ')}`)
  const read = tests.filter(({ object }) => only?.includes(object.metadata.name) ?? true).map(readTest)
  const wrong = read.flatMap(({ findings }) => findings.map(messageOf))
  if (wrong.length > 0) throw new UserError(wrong.join('\nnodefit: '))
  return read.flatMap(({ value }) => value ?? [])
}
