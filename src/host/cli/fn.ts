import { type Command, readArguments } from './command.ts'
import { loadPart } from './part.ts'

const HELP = `nodefit fn

Runs the KRM function, as nodefit-fn does: a ResourceList on stdin, one on
stdout. For hosts that are given a command line, where nodefit is one file:

  kpt fn eval PKG --exec "nodefit fn" -- target=fluent-bit
`

/** `nodefit fn`: the function, which is a program of its own, in this process. */
export const FN: Command = {
  about: 'the KRM function, as nodefit-fn',
  help: HELP,
  options: {},
  operands: [],
  run: (args) => {
    readArguments('nodefit fn', args, {})
    // the function takes what hosts add, which is nothing
    process.argv.splice(2, 1)
    loadPart('fn')
  },
}
