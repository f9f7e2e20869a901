import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { UserError } from '../files/user-error.ts'
import type { SyncOptions } from '../sync/index.ts'
import { type Command, type Options, readArguments } from './command.ts'

const HELP = `nodefit sync --config FILE [--once] [--dry-run]
             [--kubeconfig FILE] [--context NAME]

Watches the nodes of a cluster and keeps a NodeInventory of them in Git, with
what is rendered from it if the configuration says so. It commits only when
what is rendered changes. It runs until it is told to end; what it does is on
stdout, a JSON object each line.

  --config FILE      a SyncConfig; read again when it changes
  --once             look once, push if there is something to push, and end
  --dry-run          push nothing, and say what would be
  --kubeconfig FILE  of the cluster; needed outside a pod of it
  --context NAME     a context of the kubeconfig

Exit code 0: it was told to end, or with --once Git has what it should; 1: with
--once it has not; 2: no configuration.

  nodefit sync --config sync.yaml --once --dry-run
`

const OPTIONS = {
  config: { type: 'string', about: 'a SyncConfig', value: 'file' },
  once: { type: 'boolean', about: 'look once and end' },
  'dry-run': { type: 'boolean', about: 'push nothing, and say what would be' },
  kubeconfig: { type: 'string', about: 'of the cluster', value: 'file' },
  context: { type: 'string', about: 'a context of the kubeconfig' },
} as const satisfies Options

/** `nodefit sync`: the controller that keeps live node data in Git. */
export const SYNC: Command = {
  about: 'keep the nodes of a cluster in Git',
  help: HELP,
  options: OPTIONS,
  operands: [],
  failure: 2,
  run: sync,
}

/** The controller and the Kubernetes client are a program of their own, which no other command loads. */
async function sync(args: string[]): Promise<void> {
  const { values, positionals } = readArguments('nodefit sync', args, OPTIONS)
  if (positionals.length > 0) throw new UserError(`nodefit sync takes options only, and not ${positionals[0]}`)
  const { config, once = false, kubeconfig, context } = values
  if (config === undefined) throw new UserError('name the configuration: --config FILE')
  const load = createRequire(realpathSync(process.argv[1] ?? ''))
  const { runSync } = load('./sync.cjs') as { runSync: (options: SyncOptions) => Promise<number> }
  process.exitCode = await runSync({ config, once, dryRun: values['dry-run'] ?? false, kubeconfig, context })
}
