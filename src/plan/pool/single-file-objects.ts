import { KUBENODESMITH, NODE_SMITH_POOL_DEFAULTS, NODEFIT } from '../../kinds/index.ts'
import { LOCAL_CONFIG } from '../../krm/annotation.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { SCALE_DOWN_WINDOW } from './settings.ts'
import type { FilePool, FileProvider, SingleFile } from './single-file.ts'

/** What becomes of a single-file configuration. */
export interface Converted {
  /** Each NodeSmithProvider, then each NodeSmithPool with its PoolPolicy. */
  readonly objects: readonly KubernetesObject[]
  /** What the objects cannot carry, a sentence each: the field, its value where that is short, and why. */
  readonly notCarried: readonly string[]
}

/** The cores of a machine, and its memory in MiB. */
export interface PoolMachine {
  readonly cpuCores: number
  readonly memoryMiB: number
}

/** The options of Proxmox that a NodeSmithProvider has. */
const PROXMOX = [
  ...['endpoint', 'nodeWhitelist', 'vmIDRange', 'managedNodeTag', 'vmMemOverheadMiB'],
  ...['networkInterfaces', 'vmOptions'],
]
/** Keeps Argo CD and Flux from deleting a pool, and with it all its machines. */
const PROTECTION = {
  'argocd.argoproj.io/sync-options': 'Prune=confirm',
  'kustomize.toolkit.fluxcd.io/prune': 'disabled',
}

/**
 * Returns the resources that do what the single-file configuration of KubeNodeSmith does, in a namespace, with machines
 * of a size for each pool. A machine is enlarged to a pod that needs more, as KubeNodeSmith sizes machines by pods.
 */
export function objectsOfFile(
  file: SingleFile,
  namespace: string,
  machineOf: (pool: string) => PoolMachine,
): Converted {
  const providers = Object.entries(file.providers).map(([name, provider]) => providerOf(name, provider, namespace))
  const pools = file.nodePools.map((pool, index) => poolOf(pool, index, namespace, machineOf(pool.name)))
  const interval = file.pollingInterval
  return {
    objects: [...providers, ...pools].flatMap(({ objects }) => objects),
    notCarried: [
      ...(interval === undefined ? [] : [`pollingInterval ${interval}: a render has no interval`]),
      ...[...providers, ...pools].flatMap(({ notCarried }) => notCarried),
    ],
  }
}

function providerOf(name: string, { type, credentialsRef, options = {} }: FileProvider, namespace: string): Converted {
  const known = type === 'proxmox' ? PROXMOX : []
  const carried = known.filter((key) => options[key] !== undefined)
  const spec = {
    type,
    ...(credentialsRef === undefined ? {} : { credentialsSecretRef: credentialsRef }),
    ...(type === 'proxmox' ? { proxmox: Object.fromEntries(carried.map((key) => [key, options[key]])) } : {}),
  }
  return {
    objects: [{ apiVersion: KUBENODESMITH, kind: 'NodeSmithProvider', metadata: { name, namespace }, spec }],
    notCarried: Object.keys(options)
      .filter((key) => !carried.includes(key))
      .map((key) => `providers.${name}.options.${key}: a NodeSmithProvider of type ${type} has no such field`),
  }
}

function poolOf(pool: FilePool, index: number, namespace: string, machine: PoolMachine): Converted {
  const { name, providerRef, machineTemplate = {}, scaleUp = {}, scaleDown = {} } = pool
  const { kubeNodeNamePrefix: prefix, architecture, labels = {} } = machineTemplate
  const labelKey = pool.poolLabelKey || NODE_SMITH_POOL_DEFAULTS.poolLabelKey
  const { [labelKey]: label, ...others } = labels
  const limits = { minNodes: 0, maxNodes: 0, cpuCores: 0, memoryMiB: 0, ...pool.limits }
  const window = scaleUp.stabilizationWindow
  return {
    objects: [
      {
        ...{ apiVersion: KUBENODESMITH, kind: 'NodeSmithPool' },
        metadata: { name, namespace, annotations: PROTECTION },
        spec: {
          providerRef,
          ...(pool.poolLabelKey ? { poolLabelKey: pool.poolLabelKey } : {}),
          limits,
          machineTemplate: { labels: others },
          ...(window === undefined ? {} : { scaleUp: { stabilizationWindow: window } }),
          scaleDown: { stabilizationWindow: SCALE_DOWN_WINDOW },
        },
      },
      {
        ...{ apiVersion: NODEFIT, kind: 'PoolPolicy' },
        metadata: { name, namespace, annotations: { [LOCAL_CONFIG]: 'true' } },
        spec: {
          poolRef: name,
          machines: [machine],
          sizing: 'Elastic',
          ...(architecture ? { architecture } : {}),
          ...(scaleUp.batchSize === undefined ? {} : { scaleUp: { batchSize: scaleUp.batchSize } }),
          ...(Object.keys(scaleDown).length === 0 ? {} : { scaleDown }),
          ...(prefix ? { output: { namePrefix: prefix } } : {}),
        },
      },
    ],
    notCarried:
      label === undefined || label === name
        ? []
        : [
            `nodePools[${index}].machineTemplate.labels.${labelKey} "${label}": the label of a pool has the name of the pool, ${name}`,
          ],
  }
}
