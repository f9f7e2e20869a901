import type { Rendered } from '../../core/index.ts'
import { namedNodes } from '../../facts/inventory/index.ts'
import { listOf, memberOf } from '../../krm/map.ts'
import { ACTIONS, DRAIN_TAINT, ENDED, PROOF, REASON, REQUESTER } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { type Taint, taintText } from '../../kube/index.ts'
import { labelsOf, taintOf } from './parameters.ts'
import type { Action } from './read-action.ts'
import type { ActionSettings } from './settings.ts'

/** The file of Jobs, beside their policy. */
const FILE = 'jobs.yaml'
/** How long a drain may take where the action does not say, in seconds. */
const DRAIN_SECONDS = 600
/** How long every other act may take. */
const ACT_SECONDS = 300
/** How much longer than its command a Job lives. */
const GRACE_SECONDS = 60
const RETRIES = 3
const MOST_CHARACTERS = 63
/** How many characters of the digest of its action the name of a Job ends with. */
export const DIGEST_DIGITS = 10

/** The ServiceAccounts of deploy/actions; each has the rights of its commands and no more. */
type Account = 'nodefit-drain' | 'nodefit-evict' | 'nodefit-taint' | 'nodefit-label'

/** What a Job runs. */
export interface Act {
  /** The first word of its name. */
  readonly verb: string
  readonly account: Account
  readonly args: readonly string[]
  /** What must hold before it begins, as arguments of kubectl. */
  readonly waitFor?: readonly string[]
  readonly seconds: number
  /** The node on which it must not run. */
  readonly awayFrom?: string
  /** Whether nodefit runs it, and not kubectl. */
  readonly isOurs?: boolean
}

/** Returns how long a drain may take, in seconds. */
export function drainSeconds({ parameters: { timeoutSeconds = DRAIN_SECONDS } }: Pick<Action, 'parameters'>): number {
  return Number(timeoutSeconds)
}

/** Returns the act of draining a node, once it is cordoned: kubectl would cordon it itself, and nobody uncordon it. */
export function drainAct({ target: { name }, parameters }: Action): Act {
  const { deleteEmptyDirData, force, gracePeriodSeconds, podSelector } = parameters
  const seconds = drainSeconds({ parameters })
  return {
    verb: 'drainnode',
    account: 'nodefit-drain',
    args: [
      'drain',
      name,
      '--ignore-daemonsets',
      `--timeout=${seconds}s`,
      ...(deleteEmptyDirData === true ? ['--delete-emptydir-data'] : []),
      ...(force === true ? ['--force'] : []),
      ...(gracePeriodSeconds === undefined ? [] : [`--grace-period=${gracePeriodSeconds}`]),
      ...(podSelector === undefined ? [] : [`--pod-selector=${podSelector}`]),
    ],
    waitFor: ['wait', `node/${name}`, '--for=jsonpath={.spec.unschedulable}=true', `--timeout=${seconds}s`],
    seconds,
    awayFrom: name,
  }
}

/** Returns the act of evicting a pod, and no other of its name. */
export function evictAct({ target: { namespace = '', name, uid = '' }, parameters }: Action, node?: string): Act {
  const { gracePeriodSeconds } = parameters
  const grace = gracePeriodSeconds === undefined ? [] : [`--grace-period=${gracePeriodSeconds}`]
  return {
    verb: 'evictpod',
    account: 'nodefit-evict',
    args: [
      'act',
      'evict',
      `--namespace=${namespace}`,
      `--pod=${name}`,
      `--uid=${uid}`,
      `--timeout=${ACT_SECONDS}s`,
      ...grace,
    ],
    seconds: ACT_SECONDS,
    isOurs: true,
    ...(node === undefined ? {} : { awayFrom: node }),
  }
}

/** Returns the act of tainting a node. */
export function taintAct(name: string, taint: Taint): Act {
  return taintCommand('taintnode', name, [taintText(taint), '--overwrite'])
}

/** What an earlier Job says of the taint that it set or took away: its node and name; undefined for another Job. */
export function taintOfJob({ spec }: KubernetesObject): { readonly node: string; readonly taint: string } | undefined {
  const pod = memberOf(memberOf(spec, 'template'), 'spec')
  const [container] = listOf(memberOf(pod, 'containers'))
  const [verb, , node, taint] = listOf(memberOf(container, 'args')).map(String)
  if (verb !== 'taint' || node === undefined || taint === undefined) return undefined
  return { node, taint: taint.endsWith('-') ? taint.slice(0, -1) : taint.replace(/=.*:/, ':') }
}

/** Returns the act that takes a taint away, which is named by key and effect: `dedicated:NoSchedule`. */
export function endAct(node: string, taint: string): Act {
  return taintCommand('untaintnode', node, [`${taint}-`])
}

function taintCommand(verb: string, name: string, args: readonly string[]): Act {
  return {
    verb,
    account: 'nodefit-taint',
    args: ['taint', 'node', name, ...args],
    seconds: ACT_SECONDS,
    awayFrom: name,
  }
}

/** Returns the act that sets and removes labels of others; `keys` are those that are not a lease. */
export function labelAct(action: Action, keys: readonly string[]): Act {
  const { set } = labelsOf(action)
  const { name } = action.target
  const isSet = (key: string) => Object.hasOwn(set, key)
  const texts = keys.map((key) => (isSet(key) ? `${key}=${set[key]}` : `${key}-`))
  const overwrite = keys.some(isSet) ? ['--overwrite'] : []
  return {
    verb: 'labelnode',
    account: 'nodefit-label',
    args: ['label', 'node', name, ...texts, ...overwrite],
    seconds: ACT_SECONDS,
    awayFrom: name,
  }
}

/** The taint that holds a node for a drain beside its cordon, and outlives an uncordon by people. */
export function holdTaint({ id }: Action): Taint {
  return { key: DRAIN_TAINT, value: id, effect: 'NoSchedule' }
}

/** Returns the taint of a taintNode or untaintNode, or that of a drain. */
export function taintFor(action: Action): Taint {
  return action.type === 'drainNode' ? holdTaint(action) : taintOf(action)
}

/** Names a taint by what tells it apart on a node. */
export function taintName({ key, effect }: Taint): string {
  return taintText({ key, effect })
}

/** What a Job is for: its action, or what is known of one that is gone. */
export interface JobSubject {
  readonly id: string
  readonly digest: string
  readonly target: string
  readonly reason?: string
  readonly requester?: string
  /** The whole signed action, as JSON. */
  readonly proof: string
  /** Of a Job that ends a taint: when it was first rendered, RFC 3339. */
  readonly ended?: string
}

/** Returns the name of a Job: the same action gives the same Job, which runs once. */
export function jobName(verb: string, target: string, digest: string): string {
  const room = MOST_CHARACTERS - verb.length - digest.length - 2
  const middle = target.replaceAll('.', '-').slice(0, room).replace(/-+$/, '')
  return `${verb}-${middle}-${digest}`
}

/** Renders a Job: with a deadline, without a TTL, since a Job that is deleted while it is rendered runs again. */
export function renderJob(act: Act, subject: JobSubject, { job }: Pick<ActionSettings, 'job'>): Rendered {
  const { id, digest, target, reason, requester, proof, ended } = subject
  const name = jobName(act.verb, target, digest)
  const image = act.isOurs === true ? job.evictImage : job.image
  const container = (called: string, args: readonly string[]) => ({
    name: called,
    image,
    // the image of nodefit starts its function, and one with kubectl starts that
    ...(act.isOurs === true ? { command: ['nodefit'] } : {}),
    args: [...args],
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
  })
  const away = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: [act.awayFrom] }] }],
      },
    },
  }
  const object = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: job.namespace,
      annotations: {
        [ACTIONS]: id,
        ...(reason === undefined ? {} : { [REASON]: reason }),
        ...(requester === undefined ? {} : { [REQUESTER]: requester }),
        [PROOF]: proof,
        ...(ended === undefined ? {} : { [ENDED]: ended }),
      },
    },
    spec: {
      activeDeadlineSeconds: act.seconds + GRACE_SECONDS,
      backoffLimit: RETRIES,
      template: {
        spec: {
          restartPolicy: 'Never',
          serviceAccountName: act.account,
          securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
          ...(act.awayFrom === undefined ? {} : { affinity: away }),
          ...(act.waitFor === undefined ? {} : { initContainers: [container('wait', act.waitFor)] }),
          containers: [container('act', act.args)],
        },
      },
    },
  }
  return { object, file: FILE, about: `action ${id}`, ...namedNodes([]) }
}
