import { isLabelValue, isUid, timeText } from '../../kube/index.ts'
import { writeOutput } from '../files/stdio.ts'
import { UserError } from '../files/user-error.ts'
import { ackText } from '../sync/effect/whose-folder.ts'
import type { SyncOptions } from '../sync/index.ts'
import { type Command, loadPart, millisecondsOf, type Options, readArguments } from './command.ts'

const HELP = `nodefit sync --config FILE [OPTION]...
nodefit sync ack --cluster NAME [--cluster-uid UID] [--replaces UID]

Keeps a NodeInventory of a cluster in Git, with the rendered output if the
configuration asks for it. It commits only when the output changes. It runs
until a signal ends it, and logs to stdout, one JSON object per line.

  --config FILE      a SyncConfig; read again when it changes
  --once             read the nodes once, push changes if any, and exit
  --dry-run          push nothing, and log what would be pushed
  --kubeconfig FILE  of the cluster; required outside its pods
  --context NAME     a context of the kubeconfig

sync ack prints the message of a commit that accepts what the guards hold:
  --cluster NAME     whose guards
  --cluster-uid UID  the uid of its Namespace kube-system
  --replaces UID     that of the cluster whose place it takes
  --for DURATION     for how long; 1h without it

Exit code 0: ended by a signal, or with --once Git is up to date; 1: with --once
it is not, as the last line says: the render fails, a guard holds, or a push
failed; 2: no valid configuration.

  nodefit sync --config sync.yaml --once --dry-run
`

const OPTIONS = {
  config: { type: 'string', about: 'a SyncConfig', value: 'file' },
  once: { type: 'boolean', about: 'read the nodes once and exit' },
  'dry-run': { type: 'boolean', about: 'push nothing, and log what would be pushed' },
  kubeconfig: { type: 'string', about: 'of the cluster', value: 'file' },
  context: { type: 'string', about: 'a context of the kubeconfig' },
  cluster: { type: 'string', about: 'whose guards a commit accepts' },
  'cluster-uid': { type: 'string', about: 'the uid of that cluster' },
  replaces: { type: 'string', about: 'the uid of the cluster whose place it takes' },
  for: { type: 'string', about: 'how long a commit accepts them' },
} as const satisfies Options

/** `nodefit sync`: the controller that keeps live node data in Git. */
export const SYNC: Command = {
  about: 'keep the nodes of a cluster in Git',
  help: HELP,
  options: OPTIONS,
  operands: ['ack'],
  failure: 2,
  run: sync,
}

/** Loads the controller and the Kubernetes client, which are a separate file that no other command loads. */
async function sync(args: string[]): Promise<void> {
  const { values, positionals } = readArguments('nodefit sync', args, OPTIONS)
  if (positionals.join(' ') === 'ack') return writeOutput(acknowledgement(values))
  const ofAck = ACK_OPTIONS.find((name) => values[name] !== undefined)
  if (ofAck !== undefined) throw new UserError(`--${ofAck} belongs to nodefit sync ack`)
  if (positionals.length > 0) throw new UserError(`nodefit sync takes only options, not ${positionals[0]}`)
  const { config, once = false, kubeconfig, context } = values
  if (config === undefined) throw new UserError('name the configuration: --config FILE')
  const { runSync } = loadPart<{ runSync: (options: SyncOptions) => Promise<number> }>('sync')
  process.exitCode = await runSync({ config, once, dryRun: values['dry-run'] ?? false, kubeconfig, context })
}

const MAX_DAYS = 7
const DAY = 24 * 3_600_000

const ACK_OPTIONS = ['cluster', 'cluster-uid', 'replaces', 'for'] as const

/** The message of a commit that accepts what the guards of a cluster hold, or its place, for a while. */
function acknowledgement(values: { readonly [Name in (typeof ACK_OPTIONS)[number]]?: string }): string {
  const { cluster, replaces, for: duration = '1h', 'cluster-uid': clusterUid } = values
  for (const name of ['cluster-uid', 'replaces'] as const)
    if (values[name] !== undefined && !isUid(values[name]))
      throw new UserError(`--${name} "${values[name]}" is no uid, such as 6b1f0d0e-7f43-4c1b-9a55-0d1c2f3e4a5b`)
  if (replaces !== undefined && replaces === clusterUid)
    throw new UserError(`--replaces ${replaces} is the uid of the cluster itself: give that of the cluster before it`)
  if (cluster === undefined || !isLabelValue(cluster)) throw new UserError('name the cluster: --cluster NAME')
  const milliseconds = millisecondsOf('--for', duration, '2h')
  if (milliseconds > MAX_DAYS * DAY) throw new UserError(`--for ${duration} must be between 1s and ${MAX_DAYS * 24}h`)
  const until = timeText(Math.floor((Date.now() + milliseconds) / 1000) * 1000)
  const what =
    replaces === undefined
      ? 'what guards of nodefit sync hold'
      : `${clusterUid === undefined ? 'a cluster' : `the cluster ${clusterUid}`} in the place of ${replaces}`
  const trailer = ackText({ cluster, until, clusterUid, replaces })
  return `${cluster}: accept ${what}, until ${until}\n\n${trailer}`
}
