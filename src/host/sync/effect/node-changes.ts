import { type Shape, shapeText } from '../../../facts/inventory/index.ts'
import { plural } from '../../../krm/finding.ts'
import { Quantity } from '../../../kube/index.ts'
import { taintText } from '../../../kube/taint.ts'
import { kindTaints } from '../nodes/projected-node.ts'

/** Kinds that are listed; the others are counted. */
const MAX_KINDS = 40
const DAY = 24 * 3_600_000

/** The nodes of one kind. */
interface Kind {
  readonly title: string
  readonly nodes: number
  readonly notReady: number
  readonly cordoned: number
  readonly cpu: string
  readonly memory: string
}

/** Lists the kinds of node that are new, empty or dropped, and the changes of the others: number, state and amounts. */
export function nodeChangeLines(before: readonly Shape[], after: readonly Shape[], retainShapes: number): string[] {
  const titleOf = titleMaker([...before, ...after])
  const [was, is] = [kindsOf(before, titleOf), kindsOf(after, titleOf)]
  const total = (kinds: ReadonlyMap<string, Kind>) => [...kinds.values()].reduce((sum, { nodes }) => sum + nodes, 0)
  const keys = [...new Set([...was.keys(), ...is.keys()])].sort()
  const lines = keys.flatMap((key) => lineOf(was.get(key), is.get(key), retainShapes))
  const more = lines.length - MAX_KINDS
  return [
    `Nodes: ${both(before.length === 0 ? `${total(is)}` : `${total(was)}`, `${total(is)}`)}`,
    ...lines.slice(0, MAX_KINDS).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${plural(more, 'kind')} more`] : []),
  ]
}

const ATTRIBUTES = ['osImage', 'labels', 'taints', 'capacity', 'allocatable'] as const

/**
 * What changed of the nodes that are in both, and how many kinds came and went: `osImage of 3 nodes, 1 new kind of
 * node`. Empty where only the number or the state of nodes differs.
 */
export function nodeReasons(before: readonly Shape[], after: readonly Shape[]): string {
  const known = new Map(before.flatMap((shape) => shape.nodes.map((name) => [name, shape] as const)))
  const titleOf = titleMaker([...before, ...after])
  const [was, is] = [kindsOf(before, titleOf), kindsOf(after, titleOf)]
  const isOther = (attribute: (typeof ATTRIBUTES)[number], left: Shape, right: Shape) =>
    attributeText(left, attribute) !== attributeText(right, attribute)
  const changed = ATTRIBUTES.flatMap((attribute) => {
    const nodes = after.flatMap((shape) => {
      const others = new Map<Shape, boolean>()
      return shape.nodes.filter((name) => {
        const earlier = known.get(name)
        if (earlier === undefined || earlier === shape) return false
        const isChanged = others.get(earlier) ?? isOther(attribute, earlier, shape)
        others.set(earlier, isChanged)
        return isChanged
      })
    })
    return nodes.length === 0 ? [] : [`${attribute} of ${plural(nodes.length, 'node')}`]
  })
  const populated = (kinds: ReadonlyMap<string, Kind>, key: string) => (kinds.get(key)?.nodes ?? 0) > 0
  const came = [...is.keys()].filter((key) => populated(is, key) && !populated(was, key)).length
  const empty = [...was.keys()].filter((key) => populated(was, key) && !populated(is, key)).length
  const dropped = [...was.keys()].filter((key) => !is.has(key) && !populated(was, key)).length
  const kinds = (count: number, what: string) => (count === 0 ? [] : [`${plural(count, 'kind')} of node ${what}`])
  return [...changed, ...kinds(came, 'came'), ...kinds(empty, 'without nodes'), ...kinds(dropped, 'dropped')].join(', ')
}

function attributeText(shape: Shape, attribute: (typeof ATTRIBUTES)[number]): string {
  if (attribute === 'osImage') return shape.osImage
  if (attribute === 'taints') return kindTaints(shape).map(taintText).sort().join()
  return JSON.stringify(Object.entries(shape[attribute]).sort())
}

function lineOf(was: Kind | undefined, is: Kind | undefined, retainShapes: number): string[] {
  if (is === undefined) return was === undefined ? [] : [`${was.title}: dropped`]
  const isNew = was === undefined
  if (is.nodes === 0) {
    if (!isNew && was.nodes === 0) return []
    const days = Math.round((retainShapes / DAY) * 10) / 10
    return [`${is.title}: no nodes, kept for ${plural(days, 'day')}`]
  }
  const differences = [
    ...(isNew || was.nodes === 0
      ? [`new, ${plural(is.nodes, 'node')}`]
      : was.nodes === is.nodes
        ? []
        : [`${was.nodes} -> ${is.nodes} nodes`]),
    ...differing('not ready', was?.notReady ?? 0, is.notReady),
    ...differing('cordoned', was?.cordoned ?? 0, is.cordoned),
    ...(isNew || was.cpu === is.cpu ? [] : [`cpu ${was.cpu} -> ${is.cpu}`]),
    ...(isNew || was.memory === is.memory ? [] : [`memory ${was.memory} -> ${is.memory}`]),
  ]
  return differences.length === 0 ? [] : [`${is.title}: ${differences.join(', ')}`]
}

function differing(what: string, was: number, is: number): string[] {
  return was === is ? [] : [`${both(`${was}`, `${is}`)} ${what}`]
}

function both(was: string, is: string): string {
  return was === is ? is : `${was} -> ${is}`
}

/** The kinds of node by title, with the smallest amounts of each. */
function kindsOf(shapes: readonly Shape[], titleOf: (shape: Shape) => string): Map<string, Kind> {
  const kinds = new Map<string, Kind>()
  for (const shape of shapes) {
    const title = titleOf(shape)
    const { nodeCount, ready, unschedulable, allocatable } = shape
    const other = kinds.get(title)
    // amounts of an empty shape do not count beside those of nodes
    const isIdle = nodeCount === 0 && (other?.nodes ?? 0) > 0
    const smallest = (resource: 'cpu' | 'memory') => {
      const amount = String(allocatable[resource] ?? 0)
      if (other === undefined || other.nodes === 0) return amount
      return isIdle || Quantity.parse(other[resource]).compare(Quantity.parse(amount)) < 0 ? other[resource] : amount
    }
    kinds.set(title, {
      title,
      nodes: (other?.nodes ?? 0) + nodeCount,
      notReady: (other?.notReady ?? 0) + (ready === 'True' ? 0 : nodeCount),
      cordoned: (other?.cordoned ?? 0) + (unschedulable ? nodeCount : 0),
      cpu: smallest('cpu'),
      memory: smallest('memory'),
    })
  }
  return kinds
}

/**
 * Makes the function that titles a kind by its labels and taints, without the labels that are the same on all nodes.
 */
function titleMaker(shapes: readonly Shape[]): (shape: Shape) => string {
  const [first, ...others] = shapes
  const same = new Set(
    Object.entries(first?.labels ?? {}).flatMap(([key, value]) =>
      others.length > 0 && others.every(({ labels }) => labels[key] === value) ? [key] : [],
    ),
  )
  return (shape) => {
    const labels = Object.fromEntries(Object.entries(shape.labels).filter(([key]) => !same.has(key)))
    const text =
      Object.keys(labels).length === 0
        ? shapes.length > 0
          ? 'all nodes'
          : ''
        : shapeText({ labels }).replace(/^shape /, '')
    const taints = kindTaints(shape).map(taintText)
    return taints.length === 0 ? text : `${text}, tainted ${taints.sort().join(' ')}`
  }
}
