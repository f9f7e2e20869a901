import { printable } from '../../face/index.ts'
import { BETA_SPELLINGS, NODEFIT, NODEFIT_BETA, toBeta } from '../../kinds/index.ts'
import { edit } from '../../krm/edit.ts'
import { apiGroup } from '../../krm/identity.ts'
import { isDeepEqual, isMap, type Mapping, memberOf } from '../../krm/map.ts'
import { readYaml } from '../../krm/read-yaml.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { writeYaml } from '../../krm/write-yaml.ts'
import { isDns1123Label } from '../../kube/index.ts'
import { dataKey, objectsOfFile, type PoolMachine, readSingleFile, type SingleFile } from '../../plan/pool/index.ts'
import { manifestTexts } from '../files/manifest.ts'
import { objectsIn, placedItems } from '../files/objects-in.ts'
import { readText, statOf } from '../files/read-text.ts'
import { readAll, writeOutput } from '../files/stdio.ts'
import { say } from '../files/terminal.ts'
import { UserError } from '../files/user-error.ts'
import { type Command, type Options, readArguments } from './command.ts'

const HELP = `nodefit convert [FILE|-]
nodefit convert [FILE|-] --machine [POOL=]CORES/MIB... [--namespace NAME]
                [--key KEY]

Converts a file with resources of nodefit to the newest version that this
nodefit reads (v1beta1), with its comments. Both versions render the same.

Or converts the configuration of KubeNodeSmith from before it had resources, a
file or in a ConfigMap, to NodeSmithProviders, NodeSmithPools and PoolPolicies.
What they cannot carry is on stderr. The file does not say how large a machine
is: KubeNodeSmith makes each as large as a pod.

  --machine [POOL=]CORES/MIB
                    the least size of the machines of this pool, or of those
                    that have none of their own; repeatable
  --namespace NAME  the namespace of all objects, by default that of the
                    ConfigMap, or kubenodesmith
  --key KEY         the key of the ConfigMap, where it has several

  nodefit convert policy.yaml > policy-v1beta1.yaml
  nodefit convert scaler-config.yaml --machine 4/8192 > fleet/pools.yaml
  kubectl -n kubenodesmith get configmap scaler-config -o json |
    nodefit convert - --machine small=4/8192 --machine large=16/65536
`

const OPTIONS = {
  machine: { type: 'string', multiple: true, about: 'the least size of the machines of a pool, or of all' },
  namespace: { type: 'string', about: 'the namespace of all objects' },
  key: { type: 'string', about: 'the key of the ConfigMap' },
} as const satisfies Options

const NAMESPACE = 'kubenodesmith'

/** `nodefit convert`: resources in a newer version, or the single-file configuration of KubeNodeSmith as resources. */
export const CONVERT: Command = {
  about: 'convert to a newer version, or from the single file of KubeNodeSmith',
  help: HELP,
  options: OPTIONS,
  operands: 'files',
  run: convert,
}

function convert(args: string[]): void {
  const { values, positionals } = readArguments('nodefit convert', args, OPTIONS)
  const [path = '-', another] = positionals
  if (another !== undefined) throw new UserError(`give one FILE, or - for stdin, not ${positionals.length}`)
  if (path !== '-' && statOf(path) === undefined) throw new UserError(`there is no file ${path}`)
  const name = path === '-' ? 'the input' : path
  const text = path === '-' ? readAll(0) : readText(path)
  const newer = convertVersions(text, name)
  if (newer !== undefined) {
    const [option] = Object.keys(values)
    if (option !== undefined) throw new UserError(`${name} has resources of nodefit: leave out --${option}`)
    writeOutput(newer)
    return
  }
  const { value, configMap } = configurationOf(readYaml(text, name), name, values)
  const read = readSingleFile(value)
  if ('problems' in read) throw new UserError(`${name}: ${read.problems.join('; ')}`)
  const namespace = values.namespace ?? configMap ?? NAMESPACE
  if (!isDns1123Label(namespace)) throw new UserError(`--namespace ${namespace} is no name of a namespace`)
  const { objects, notCarried } = objectsOfFile(read.file, namespace, machinesFor(read.file, values.machine ?? []))
  say(notCarried.map((line) => `nodefit: not carried: ${printable(line)}\n`).join(''))
  writeOutput(objects.map((object) => writeYaml(object)).join('---\n'))
}

/** Returns the configuration of a document: itself, or that of a ConfigMap, with the namespace of the ConfigMap. */
function configurationOf(
  value: unknown,
  name: string,
  { key }: { readonly key?: string },
): { readonly value: unknown; readonly configMap?: string } {
  if (!isMap(value) || value.kind === undefined) {
    if (key !== undefined) throw new UserError(`${name} is no ConfigMap: leave out --key`)
    return { value }
  }
  if (value.kind !== 'ConfigMap') throw new UserError(`${name} is a ${String(value.kind)}, not a ConfigMap`)
  const data = isMap(value.data) ? value.data : ({} as Mapping)
  const found = dataKey(data, key)
  if ('problem' in found) throw new UserError(`${name}: ${found.problem}`)
  const namespace = memberOf(value.metadata, 'namespace')
  return {
    value: readYaml(found.text, `data.${found.key} of ${name}`),
    ...(typeof namespace === 'string' ? { configMap: namespace } : {}),
  }
}

/** Returns the size of the machines of each pool. Throws `UserError` for a pool without one, or that is not there. */
function machinesFor({ nodePools }: SingleFile, given: readonly string[]): (pool: string) => PoolMachine {
  const sizes = given.map(readMachine)
  const names = nodePools.map(({ name }) => name)
  const stray = sizes.find(({ pool }) => pool !== undefined && !names.includes(pool))
  if (stray !== undefined)
    throw new UserError(`--machine ${stray.text}: there is no pool ${stray.pool}; the pools are ${names.join(', ')}`)
  const twice = sizes.find(({ pool }, index) => sizes.findIndex((one) => one.pool === pool) < index)
  if (twice !== undefined) throw new UserError(`--machine ${twice.text} gives a size a second time`)
  const found = new Map(
    names.flatMap((name) => {
      const size = sizes.find(({ pool }) => pool === name) ?? sizes.find(({ pool }) => pool === undefined)
      return size === undefined ? [] : [[name, size.machine] as const]
    }),
  )
  const missing = names.filter((name) => !found.has(name))
  if (missing.length > 0)
    throw new UserError(
      `the file does not say how large the machines of ${missing.join(', ')} are: add the cores and MiB of the smallest, as in\n${missing.map((name) => `  --machine ${name}=4/8192`).join(' \\\n')}`,
    )
  return (pool) => found.get(pool) as PoolMachine
}

function readMachine(text: string): { text: string; pool?: string; machine: PoolMachine } {
  const [, pool, cores, memory] = /^(?:([^=]+)=)?([1-9]\d{0,5})\/([1-9]\d{0,8})$/.exec(text) ?? []
  if (cores === undefined || memory === undefined)
    throw new UserError(`--machine ${text} is not [POOL=]CORES/MIB, such as 4/8192 or small=4/8192`)
  const machine = { cpuCores: Number(cores), memoryMiB: Number(memory) }
  return { text, ...(pool === undefined ? {} : { pool }), machine }
}

/** What every resource of ours has, in YAML or JSON. */
const OURS = /(?:^|[{,\s])"?apiVersion"?\s*:\s*["']?nodefit\.dev\//m

/**
 * Returns the file with our resources in the newest version that is read, else undefined where it has none of ours.
 * Comments, order and other objects stay as they are. Throws `KrmError` for a file that cannot be read.
 */
function convertVersions(text: string, name: string): string | undefined {
  if (!OURS.test(text)) return undefined
  const items = placedItems(objectsIn(text, name), name, {})
  if (!items.some(({ object }) => apiGroup(object.apiVersion) === apiGroup(NODEFIT))) return undefined
  return manifestTexts(items.map(converted)).join('---\n')
}

function converted(item: Item): Item {
  const object = toBeta(item.object as KubernetesObject & { spec?: unknown })
  if (object === item.object) return item
  const text = item.text === undefined ? undefined : convertedText(item.text)
  const isRight = text !== undefined && isSame(text, object)
  return isRight ? { object, text } : edit(item, () => object)
}

/** The words of the older version replaced where they stand first on a line: only a guess, which is read again. */
function convertedText(text: string): string {
  const spelt = Object.entries(BETA_SPELLINGS).reduce(
    (before, [name, other]) => before.replace(new RegExp(`^([ \\t]+["']?)${name}(?=["']?[ \\t]*:)`, 'm'), `$1${other}`),
    text,
  )
  return spelt.replace(/^(apiVersion:[ \t]*["']?)[^\s"'#]+/m, `$1${NODEFIT_BETA}`)
}

function isSame(text: string, object: KubernetesObject): boolean {
  const [document] = placedItems(objectsIn(text, 'the output'), 'the output', {})
  return isDeepEqual(withoutPlace(document?.object), withoutPlace(object))
}

/** Without the annotations, which hold the place in the file. */
function withoutPlace(object: KubernetesObject | undefined): unknown {
  return object && { ...object, metadata: { ...object.metadata, annotations: undefined } }
}
