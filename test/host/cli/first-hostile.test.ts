/** Whatever is wrong with a DaemonSet or a node: a sentence, or a package whose first render says it. */
import * as assert from 'uvu/assert'
import { packageFiles } from '../../../src/host/cli/first-package.ts'
import { firstPolicy } from '../../../src/host/cli/first-policy.ts'
import { firstWords } from '../../../src/host/cli/first-words.ts'
import { inventoryOf } from '../../../src/host/cli/inventory.ts'
import { UserError } from '../../../src/host/files/user-error.ts'
import { KrmError } from '../../../src/krm/error.ts'
import { newItem } from '../../../src/krm/index.ts'
import { asObject } from '../../../src/krm/read-object.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { KubeError } from '../../../src/kube/index.ts'
import { plan } from '../../../src/rules/run.ts'
import { CHANGES, mutate, pathsOf } from '../../support/mutate.ts'
import { daemonSet, node, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const AGENT = daemonSet(
  {
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ operator: 'Exists' }],
    initContainers: [{ name: 'side', restartPolicy: 'Always', resources: { requests: { memory: '2Gi' } } }],
    containers: [
      {
        name: 'one',
        image: 'x:1',
        ports: [{ containerPort: 80, hostPort: 80 }],
        resources: { requests: { cpu: '100m', memory: '1Gi' }, limits: { cpu: '1', memory: '500M' } },
      },
      { name: 'two', image: 'x:1', resources: { limits: { memory: '1Gi' } } },
    ],
  },
  { annotations: { 'meta.helm.sh/release-name': 'r' }, labels: { app: 'agent' } },
)
const NODE = node('n1', { [TYPE]: 'a', 'kubernetes.io/os': 'linux', size: '4' }, '4', '16Gi')
const OTHER = node('n2', { [TYPE]: 'b', 'kubernetes.io/os': 'linux', size: '8' }, '8', '32Gi')

/** What the command does between reading and writing. */
function made(target: KubernetesObject, nodes: readonly KubernetesObject[], groupBy?: string): readonly string[] {
  const items = nodes.map((one) => newItem(one))
  inventoryOf(items, 'cluster')
  const agents = [{ target, ...firstPolicy(target, items, { groupBy }) }]
  const inventory = inventoryOf(items, 'cluster', { label: agents.flatMap(({ labelKeys }) => labelKeys) })
  const { files } = packageFiles('a', agents, inventory)
  assert.ok(Object.keys(files).every((name) => !name.includes('/')))
  const all = agents.flatMap(({ policy }) => [newItem(policy), newItem(target)])
  return firstWords(agents, plan({ apiVersion: 'config.kubernetes.io/v1', items: [...all, ...items], results: [] }))
}

function outcomeOf(run: () => readonly string[]): string {
  try {
    return run().length > 0 ? 'said' : 'silent'
  } catch (error) {
    if ([UserError, KrmError, KubeError].some((kind) => error instanceof kind))
      return (error as Error).message === '' ? 'silent' : 'refused'
    return `threw ${(error as Error).stack}`
  }
}

suite('a hostile input of nodefit init', (test) => {
  const subjects = { 'a DaemonSet': AGENT, 'a node': NODE }
  for (const [name, subject] of Object.entries(subjects)) {
    for (const [change, apply] of Object.entries(CHANGES)) {
      test(`${name} with something that is ${change}`, () => {
        for (const path of pathsOf(subject)) {
          const changed = mutate(subject, path, apply)
          if (changed === undefined) continue
          for (const label of [undefined, 'size']) {
            const outcome = outcomeOf(() => {
              const object = asObject(changed, 'a file')
              return subject === AGENT ? made(object, [NODE, OTHER], label) : made(AGENT, [object, OTHER], label)
            })
            assert.ok(['said', 'refused'].includes(outcome), `${path.join('.')}: ${outcome}`)
          }
        }
      })
    }
  }
})
