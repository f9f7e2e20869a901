/**
 * Takes from the published manifest of an agent what decides its place and size on a node, as a record for
 * `testdata/first-hour/agents`: names, labels, selector, update strategy, where it may run, host network, priority, and of each
 * container its image, ports, privilege, host paths, heap settings and every resources block. What is not in that list (scripts,
 * arguments, configuration, comments, probes) is dropped, and so is a value of a form that the list does not have.
 *
 * `node --import tsx tools/agent-facts.ts NAME VERSION 'WHERE IT IS FROM' < published.yaml > testdata/first-hour/agents/NAME.yaml`
 *
 * The DaemonSet of the manifest is the only one of it, or the one of that name with `NAME=DAEMONSET`.
 */
import { readFileSync } from 'node:fs'
import { parseAllDocuments, stringify } from 'yaml'

type Value = unknown
type Map = Readonly<Record<string, Value>>

/** A name, a number, a quantity, a path or an image; prose has spaces. */
const WORD = /^[\w./:@%+=,-]{0,200}$/
/** Variables that a runtime takes its heap or its threads from. */
const SIZING = /MEM|MAXPROCS|_OPTS$|NODE_OPTIONS/
/** The host of a registry, and the digest beside a tag. */
const REGISTRY = /^[\w-]+(?:\.[\w-]+)+(?::\d+)?\/|@sha256:[0-9a-f]+$/g
const WIDTH = 120

const [asked = '', version = '', from = ''] = process.argv.slice(2)
const [agent = '', daemonSetName] = asked.split('=')
if (agent === '' || version === '' || from === '')
  throw new Error('usage: agent-facts NAME[=DAEMONSET] VERSION FROM < FILE')
const daemonSets = parseAllDocuments(readFileSync(0, 'utf8'))
  .map((document) => mapOf(document.toJS()))
  .filter(({ kind }) => kind === 'DaemonSet')
const found = daemonSets.filter(({ metadata }) => daemonSetName === undefined || mapOf(metadata).name === daemonSetName)
const [daemonSet] = found
if (daemonSet === undefined || found.length > 1)
  throw new Error(`${found.length} DaemonSets: name one as ${agent}=DAEMONSET`)
const record = stringify(factsOf(daemonSet), { lineWidth: WIDTH, aliasDuplicateObjects: false })
process.stdout.write(`# ${agent} ${version}, reduced by tools/agent-facts.ts from: ${from}\n${record}`)

function factsOf(object: Map): Map {
  const metadata = mapOf(object.metadata)
  const spec = mapOf(object.spec)
  const template = mapOf(spec.template)
  const pod = mapOf(template.spec)
  const volumes = listOf(pod.volumes).map(mapOf)
  const hostPaths = new Map(
    volumes.filter(({ hostPath }) => hostPath !== undefined).map(({ name, hostPath }) => [name, mapOf(hostPath).path]),
  )
  const containers = (list: Value) => listOf(list).map((container) => containerFacts(mapOf(container), hostPaths))
  return present({
    agent,
    version,
    name: metadata.name,
    namespace: metadata.namespace,
    labels: wordsOf(metadata.labels),
    selector: wordsOf(spec.selector),
    podLabels: wordsOf(mapOf(template.metadata).labels),
    updateStrategy: wordsOf(spec.updateStrategy),
    nodeSelector: wordsOf(pod.nodeSelector),
    affinity: wordsOf(pod.affinity),
    tolerations: wordsOf(pod.tolerations),
    hostNetwork: pod.hostNetwork,
    priorityClassName: pod.priorityClassName,
    resources: wordsOf(pod.resources),
    initContainers: containers(pod.initContainers),
    containers: containers(pod.containers),
  })
}

function containerFacts(container: Map, hostPaths: ReadonlyMap<Value, Value>): Map {
  const mounts = listOf(container.volumeMounts).map(mapOf)
  return present({
    name: container.name,
    image: String(container.image).replaceAll(REGISTRY, ''),
    restartPolicy: container.restartPolicy,
    resources: wordsOf(container.resources),
    ports: wordsOf(container.ports),
    privileged: mapOf(container.securityContext).privileged,
    heap: Object.fromEntries(
      listOf(container.env)
        .map(mapOf)
        .filter(({ name }) => SIZING.test(String(name)))
        .map(({ name, value, valueFrom }) => [name, wordsOf(value ?? valueFrom) ?? null]),
    ),
    hostPaths: mounts
      .filter(({ name }) => hostPaths.has(name))
      .map(({ name, mountPath, readOnly }) =>
        present({ path: hostPaths.get(name), mountPath, readOnly: readOnly === true ? true : undefined }),
      ),
  })
}

/** The value without what is no word, and undefined where nothing is left. */
function wordsOf(value: Value): Value {
  if (typeof value === 'string') return WORD.test(value) ? value : undefined
  if (Array.isArray(value)) return value.map(wordsOf).filter((each) => each !== undefined)
  if (typeof value !== 'object' || value === null) return value ?? undefined
  return present(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, wordsOf(each)])))
}

/** The map without what is absent or empty; an empty resources block is kept out, too, since it says nothing. */
function present(map: Map): Map {
  return Object.fromEntries(
    Object.entries(map).filter(
      ([, value]) =>
        value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0),
    ),
  )
}

function mapOf(value: Value): Map {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Map) : {}
}

function listOf(value: Value): readonly Value[] {
  return Array.isArray(value) ? value : []
}
