import { errorMessage } from '../cluster/errors.ts'
import { writeView } from '../files/stdio.ts'
import { UserError } from '../files/user-error.ts'
import type { Eviction, EvictOptions } from '../sync/index.ts'
import { type Command, loadPart, millisecondsOf, type Options, readArguments } from './command.ts'

const HELP = `nodefit act evict --namespace NAME --pod NAME --uid UID
            [--grace-period SECONDS] [--timeout 5m] [--kubeconfig FILE]

Evicts one pod, and no other of its name: what the Job of a signed evictPod runs.
A budget that refuses is asked again until the timeout. A pod that is gone, or
was replaced, is done. Exit code 0: done; 1: refused until the timeout.

  --namespace NAME         of the pod
  --pod NAME               its name
  --uid UID                its uid
  --grace-period SECONDS   how long it has to end; its own without
  --timeout TIME           how long to ask (5m)
  --kubeconfig FILE        of the cluster; required outside its pods
`

const OPTIONS = {
  namespace: { type: 'string', about: 'of the pod' },
  pod: { type: 'string', about: 'its name' },
  uid: { type: 'string', about: 'its uid' },
  'grace-period': { type: 'string', about: 'how long it has to end' },
  timeout: { type: 'string', about: 'how long to ask' },
  kubeconfig: { type: 'string', about: 'of the cluster', value: 'file' },
} as const satisfies Options

/** `nodefit act`: what Jobs of signed actions run. */
export const ACT: Command = {
  about: 'run what a signed action asks for',
  help: HELP,
  options: OPTIONS,
  operands: ['evict'],
  run: act,
}

const WORDS: Readonly<Record<Eviction, string>> = {
  evicted: 'is evicted',
  gone: 'is gone',
  replaced: 'was replaced by another pod',
  refused: 'is kept by a disruption budget',
}

async function act(args: string[]): Promise<void> {
  const { values, positionals } = readArguments('nodefit act', args, OPTIONS)
  if (positionals.join(' ') !== 'evict') throw new UserError('name the act: nodefit act evict')
  const { namespace, pod, uid, kubeconfig } = values
  if (namespace === undefined || pod === undefined || uid === undefined)
    throw new UserError('name the pod: --namespace, --pod and --uid')
  const grace = values['grace-period']
  if (grace !== undefined && !/^[0-9]{1,9}$/.test(grace))
    throw new UserError(`--grace-period ${grace} is not a number of seconds`)
  const { evict } = loadPart<{ evict: (options: EvictOptions) => Promise<Eviction> }>('sync')
  const options = {
    ...{ namespace, pod, uid, kubeconfig },
    timeout: millisecondsOf('--timeout', values.timeout ?? '5m', '5m'),
    ...(grace === undefined ? {} : { gracePeriodSeconds: Number(grace) }),
  }
  const done = await evict(options).catch((error: unknown) => {
    throw new UserError(`pod ${namespace}/${pod} cannot be evicted: ${errorMessage(error)}`)
  })
  writeView(`Pod ${namespace}/${pod} ${WORDS[done]}\n`)
  if (done === 'refused') process.exitCode = 1
}
