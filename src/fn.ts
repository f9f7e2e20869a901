import { setFlagsFromString } from 'node:v8'
import { runWith } from './cli/run-function.ts'
import { isLookedAt } from './files/objects-in.ts'
import { writeAll } from './files/stdio.ts'
import { say } from './files/terminal.ts'
import { render } from './render.ts'

/**
 * Characters of input below which a run ends before optimized code pays for its compilation. Raw Nodes break even at about
 * twice this length, lists of names far beyond it.
 */
const SHORT_RUN = 1 << 19
/** An Order may render a Ticket for every node: then the length of the input says nothing about that of the run. */
const ORDER = /\bkind"?: *["']?Order\b/
/** So many policies make a long run that keeps much, however short they are. */
const MANY_POLICIES = 100

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

/**
 * Tunes V8 for one render of the input. Most allocate much once and keep little, so that young generations that grow
 * only cost memory, up to a fifth of the peak; and a short run is spared the optimizing compiler, a third of its CPU time. With
 * many policies both would cost more than they give.
 */
function tuneFor(text: string): void {
  if (hasManyPolicies(text)) return
  setFlagsFromString('--semi-space-growth-factor=1')
  if (text.length < SHORT_RUN && !ORDER.test(text)) setFlagsFromString('--no-opt')
}

/** What is rendered names its policy, too: only kinds count. */
function hasManyPolicies(text: string): boolean {
  const word = 'SizingPolicy'
  let count = 0
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (text.slice(Math.max(at - 8, 0), at).includes('kind') && ++count >= MANY_POLICIES) return true
  }
  return false
}
