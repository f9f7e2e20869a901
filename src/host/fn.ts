import { setFlagsFromString } from 'node:v8'
import { render } from '../face/render.ts'
import type { ResourceList } from '../krm/types.ts'
import { FUNCTION_DOC } from './cli/generated/function-doc.ts'
import { runWith } from './cli/run-function.ts'
import { isLookedAt } from './files/objects-in.ts'
import { optimizeLate } from './files/optimize-late.ts'
import { DEFAULT_LIMITS } from './files/read-text.ts'
import { writeAll } from './files/stdio.ts'
import { say } from './files/terminal.ts'
import { givenTrust } from './files/trust.ts'

/**
 * Input length in characters below which a run is too short for the optimizing compiler to pay off. Raw Nodes break
 * even at twice this length, lists of names far above it.
 */
const SHORT_RUN = 1 << 19
/** An Order may render a Ticket for every node, so a short input may take long. */
const ORDER = /\bkind"?: *["']?Order\b/
/** A run with this many policies, or signed actions, takes long and keeps much memory, however short they are. */
const MANY = 100

/** Input length in characters above which a run keeps most of what it reads, unless that is raw Nodes alone. */
const LONG_RUN = 1 << 23

declare const NODEFIT_VERSION: string

const HELP = `nodefit-fn renders DaemonSets sized per node group. It is a KRM function: a host
gives it a ResourceList on stdin and takes one from its stdout.

  kpt fn render --allow-exec PKG           with exec: nodefit-fn in the Kptfile
  kpt fn eval PKG --exec nodefit-fn -- target=fluent-bit
  nodefit-fn doc                           every field that it takes, as Markdown
  nodefit-fn --version

Its functionConfig is a SizingPolicy, a RenderConfig, a ConfigMap of flat keys,
or nothing: then every SizingPolicy of the package is rendered. It reads up to
64 MiB, and objects of up to 8 MiB each.
`

const OPTIONS = { help: ['--help', '-h'], version: ['--version', '-v'], doc: ['doc'] }
const given = process.argv.slice(2)
const hasOption = (options: string[]) => given.some((argument) => options.includes(argument))
// hosts add no arguments, so any other argument is a mistake of the user
const unknown = given.find((argument) => !Object.values(OPTIONS).flat().includes(argument))

if (unknown !== undefined) {
  process.exitCode = 1
  say(`nodefit: nodefit-fn takes no argument "${unknown}": configure it with its functionConfig\n`)
} else if (hasOption(OPTIONS.help)) answer(HELP)
else if (hasOption(OPTIONS.version)) answer(`${NODEFIT_VERSION}\n`)
else if (hasOption(OPTIONS.doc)) answer(FUNCTION_DOC)
else runWith(rendered, { isLookedAt, onInput: tuneFor, limits: DEFAULT_LIMITS })

/** Renders with the trust that the operator of the image has, if there is one, and then by the clock of the machine. */
function rendered(list: ResourceList): ResourceList {
  const trust = givenTrust({}, {})
  return render(list, trust === undefined ? {} : { trust, clock: new Date() })
}

function answer(text: string): void {
  try {
    writeAll(1, text)
  } catch (error) {
    process.exitCode = 1
    say(`nodefit: the output could not be written: ${(error as Error).message}\n`)
  }
}

/**
 * Tunes V8 for one render. Most runs allocate much and keep little: a growing young generation only adds memory, up to
 * a fifth of the peak. A short run skips the optimizing compiler, a third of its CPU time. With many policies or
 * actions both would cost more than they save, and so would young generations that stay small beneath a long input of
 * anything but raw Nodes, of which a shape remains.
 */
function tuneFor(text: string): void {
  const hasManyActions = hasMany(text, 'NodeAction')
  if (hasManyActions) optimizeLate()
  const keepsMuch = text.length > LONG_RUN && (hasMany(text, 'Ticket') || !hasMany(text, 'Node'))
  if (hasManyActions || hasMany(text, 'SizingPolicy') || keepsMuch) return
  setFlagsFromString('--semi-space-growth-factor=1')
  if (text.length < SHORT_RUN && !ORDER.test(text)) setFlagsFromString('--no-opt')
}

/** Counts objects of a kind: rendered objects name their policy, too. */
function hasMany(text: string, word: string): boolean {
  let count = 0
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (text.slice(Math.max(at - 8, 0), at).includes('kind') && ++count >= MANY) return true
  }
  return false
}
