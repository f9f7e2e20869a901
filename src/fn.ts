import { tuneFor } from './cli/engine.ts'
import { runWith } from './cli/run-function.ts'
import { isLookedAt } from './files/looked-at.ts'
import { say } from './files/say.ts'
import { writeAll } from './files/write-all.ts'
import { render } from './render.ts'

declare const NODEFIT_VERSION: string

const HELP = `nodefit-fn renders DaemonSets sized per node group. It is a KRM function: a host
gives it a ResourceList on stdin and takes one from its stdout.

  kpt fn render --allow-exec PKG           with exec: nodefit-fn in the Kptfile
  kpt fn eval PKG --exec nodefit-fn -- target=fluent-bit
  nodefit-fn --version

Its functionConfig is a SizingPolicy, a RenderConfig, a ConfigMap of flat keys,
or nothing: then every SizingPolicy of the package is rendered.
`

const ASKED = { help: ['--help', '-h'], version: ['--version', '-v'] }
const given = process.argv.slice(2)
const isAsked = (options: string[]) => given.some((argument) => options.includes(argument))
// no host gives arguments of its own: what somebody wrote must not be passed over
const unknown = given.find((argument) => ![...ASKED.help, ...ASKED.version].includes(argument))

if (unknown !== undefined) {
  process.exitCode = 1
  say(`nodefit: nodefit-fn takes no argument "${unknown}": what it is to do stands in its functionConfig\n`)
} else if (isAsked(ASKED.help)) answer(HELP)
else if (isAsked(ASKED.version)) answer(`${NODEFIT_VERSION}\n`)
else runWith(render, { isLookedAt, onInput: tuneFor })

function answer(text: string): void {
  try {
    writeAll(1, text)
  } catch (error) {
    process.exitCode = 1
    say(`nodefit: the output could not be written: ${(error as Error).message}\n`)
  }
}
