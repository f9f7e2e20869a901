import { COMMANDS } from './cli/commands.ts'
import { writeAll } from './files/stdio.ts'
import { endProgress, say } from './files/terminal.ts'
import { UserError } from './files/user-error.ts'
import { KrmError } from './krm/error.ts'
import { KubeError } from './kube/index.ts'
import { nearest } from './policy/unknown-fields.ts'

declare const NODEFIT_VERSION: string

const HELP = `nodefit fits what runs on every node to the nodes you have.

  nodefit build [PATH...|-]       render DaemonSets sized per node group
  nodefit inventory [FILE|-]      turn kubectl's nodes into a NodeInventory
  nodefit init DIR                write a first package from what kubectl prints
  nodefit vet [PATH...|-]         check a package, and what was rendered from it
  nodefit sync --config FILE      keep the nodes of a cluster in Git
  nodefit replay COMMIT           render a commit of nodefit sync again
  nodefit completion SHELL        completion for bash, zsh or fish

  nodefit COMMAND --help          what a command takes
  nodefit --version

The KRM function for kpt and kustomize is nodefit-fn.
`

main(process.argv.slice(2))

async function main([name, ...args]: string[]): Promise<void> {
  try {
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') writeAll(1, HELP)
    else if (name === '--version' || name === '-v') writeAll(1, `${NODEFIT_VERSION}\n`)
    else await run(name, args)
  } catch (error) {
    process.exitCode = (Object.hasOwn(COMMANDS, name ?? '') && COMMANDS[name ?? '']?.failure) || 1
    say(`nodefit: ${sentence(error)}\n`)
  } finally {
    endProgress()
  }
}

function run(name: string, args: string[]): void | Promise<void> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) {
    const names = Object.keys(COMMANDS)
    const best = nearest(name, names)
    const guess = best === undefined ? '' : `${best} is the nearest of `
    throw new UserError(`there is no command "${name}": ${guess}${names.join(', ')}`)
  }
  if (args.includes('--help') || args.includes('-h')) writeAll(1, command.help)
  else return command.run(args)
}

/** One sentence; the place in the code only where the error is a defect of ours. */
function sentence(error: unknown): string {
  if (error instanceof UserError) return error.message
  if (error instanceof KrmError || error instanceof KubeError) return `${error.code}: ${error.message}`
  const { code, message, stack } = error as NodeJS.ErrnoException
  if (code?.startsWith('E')) return message
  return `internal error, please report it: ${stack ?? message}`
}
