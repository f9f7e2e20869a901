import { nearest } from '../kinds/validate.ts'
import { COMMANDS } from './cli/commands.ts'
import { writeAll } from './files/stdio.ts'
import { endProgress, say } from './files/terminal.ts'
import { errorText, UserError } from './files/user-error.ts'

declare const NODEFIT_VERSION: string

const HELP = `nodefit fits what runs on every node to the nodes you have.

  nodefit scan PATH...            show what DaemonSets request and use
  nodefit build [PATH...|-]       render DaemonSets sized per node group
  nodefit inventory [FILE|-]      convert nodes from kubectl to a NodeInventory
  nodefit init DIR                write a first package from kubectl's output
  nodefit diff [PATH...|-]        print what a render changes
  nodefit vet [PATH...|-]         check a package and its rendered output
  nodefit test [PATH...|-]        run the tests of a package
  nodefit explain [PATH...|-]     say why a pool, pod or node is planned so
  nodefit report [PATH...|-]      write a page with groups, bars and findings
  nodefit takeover [FILE|-]       hand live DaemonSets to another tool
  nodefit convert [FILE|-]        convert to v1beta1, or from KubeNodeSmith
  nodefit sync --config FILE      keep the nodes of a cluster in Git
  nodefit replay COMMIT           render a commit of nodefit sync again
  nodefit sign [PATH...|-]        sign node actions, or make a key
  nodefit verify [PATH...|-]      verify signed node actions
  nodefit act evict               evict a pod, as a Job of an action does
  nodefit fn                      the KRM function, as nodefit-fn
  nodefit completion SHELL        completion for bash, zsh or fish

  nodefit COMMAND --help          options of a command; nodefit --version

The KRM function for kpt and kustomize is nodefit-fn, or nodefit fn.
`

main(process.argv.slice(2))

async function main([name, ...args]: string[]): Promise<void> {
  try {
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') writeAll(1, HELP)
    else if (name === '--version' || name === '-v') writeAll(1, `${NODEFIT_VERSION}\n`)
    else await run(name, args)
  } catch (error) {
    process.exitCode = (Object.hasOwn(COMMANDS, name ?? '') && COMMANDS[name ?? '']?.failure) || 1
    say(`nodefit: ${errorText(error)}\n`)
  } finally {
    endProgress()
  }
}

function run(name: string, args: string[]): void | Promise<void> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) {
    const names = Object.keys(COMMANDS)
    const best = nearest(name, names)
    const guess = best === undefined ? '' : `, did you mean ${best}?`
    throw new UserError(`unknown command "${name}"${guess}; the commands are ${names.join(', ')}`)
  }
  if (args.includes('--help') || args.includes('-h')) writeAll(1, command.help)
  else return command.run(args)
}
