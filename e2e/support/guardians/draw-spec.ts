/** Drawn templates of Orders: what a guardian pod can be made of, and now and then something it cannot. */
import { Draw } from '../fleets/draw.ts'

/** A PriorityClass that is there. */
export const PRIORITY = 'guardians'

type Fields = Record<string, unknown>

const KEYS = ['zone', 'example.com/rack', 'a.b', 'A_b', 'kubernetes.io/hostname']
const BAD_KEYS = ['', 'a b', '-a', 'a/b/c', 'Example.com/x', `${'k'.repeat(64)}`]
const VALUES = ['', 'a', 'x.y', '7', '-7', 'A-b_c']
const BAD_VALUES = ['a b', '-', 'a/b', 'v'.repeat(64)]
const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist']
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

/** The `template.spec` of a seed. A third of them hold something that may be wrong. */
export function drawSpec(seed: number): Fields {
  const draw = new Draw(`guardian ${seed}`)
  const fault = draw.percent(60) ? 12 : 0
  const draws: Record<string, (draw: Draw, fault: number) => unknown> = {
    nodeSelector: drawLabels,
    tolerations: (own) => own.times(own.integer(1, 3), () => drawToleration(own, fault)),
    affinity: drawAffinity,
    topologySpreadConstraints: (own) => own.times(own.integer(1, 3), () => drawConstraint(own, fault)),
    resources: drawResources,
    priorityClassName: (own) => own.one([PRIORITY, '', ...(own.percent(fault) ? ['No_Name', 'a b'] : [])]),
    schedulerName: (own) => own.one(['', 'default-scheduler', 'other', ...(own.percent(fault) ? ['a b', 'X'] : [])]),
  }
  const names = draw.some(Object.keys(draws), draw.integer(1, 3))
  return Object.fromEntries(names.map((name) => [name, draws[name]?.(draw, fault)]))
}

function drawKey(draw: Draw, fault: number): string {
  return draw.one(draw.percent(fault) ? BAD_KEYS : KEYS)
}

function drawValue(draw: Draw, fault: number): string {
  return draw.one(draw.percent(fault) ? BAD_VALUES : VALUES)
}

function drawLabels(draw: Draw, fault: number): Record<string, string> {
  return Object.fromEntries(
    draw.times(draw.integer(0, 2), () => [drawKey(draw, fault), drawValue(draw, fault)] as const),
  )
}

function drawToleration(draw: Draw, fault: number): Fields {
  const operator = draw.one([
    '',
    'Equal',
    'Exists',
    'Exists',
    'Exists',
    'Gt',
    ...(draw.percent(fault) ? ['In', 'exists'] : []),
  ])
  const effect = draw.one(['', 'NoSchedule', 'NoExecute', ...(draw.percent(fault) ? ['NoEvict'] : [])])
  const key = operator === 'Exists' && draw.percent(40) ? '' : drawKey(draw, fault)
  const isBare = operator === 'Exists' && !draw.percent(fault)
  return {
    ...(key === '' && draw.percent(50) ? {} : { key }),
    ...(operator === '' && draw.percent(50) ? {} : { operator }),
    ...(effect === '' && draw.percent(50) ? {} : { effect }),
    ...(isBare ? (draw.percent(20) ? { value: '' } : {}) : { value: drawValue(draw, fault) }),
    ...(draw.percent(effect === 'NoExecute' ? 40 : fault) ? { tolerationSeconds: draw.one([0, 60, -1]) } : {}),
  }
}

function drawRequirement(draw: Draw, fault: number, operators: readonly string[]): Fields {
  const operator = draw.percent(fault) ? draw.one(['Foo', 'in', '']) : draw.one(operators)
  const count = { In: 1, NotIn: 2, Exists: 0, DoesNotExist: 0 }[operator] ?? 1
  const values =
    operator === 'Gt' || operator === 'Lt'
      ? [draw.percent(fault) ? '' : draw.one(['7', '-7', '0'])]
      : draw.times(draw.percent(fault) ? 1 - Math.min(count, 1) : count, () => drawValue(draw, fault))
  return { key: drawKey(draw, fault), operator, ...(values.length > 0 || draw.percent(20) ? { values } : {}) }
}

function drawNodeTerm(draw: Draw, fault: number): Fields {
  const operators = [...OPERATORS, 'Gt', 'Lt']
  const field = {
    key: draw.percent(fault) ? 'spec.unschedulable' : 'metadata.name',
    operator: draw.one(['In', 'NotIn', ...(draw.percent(fault) ? ['Exists'] : [])]),
    values: draw.percent(fault) ? ['a', 'b'] : ['a'],
  }
  return {
    ...(draw.percent(85)
      ? { matchExpressions: draw.times(draw.integer(1, 2), () => drawRequirement(draw, fault, operators)) }
      : {}),
    ...(draw.percent(20) ? { matchFields: [field] } : {}),
  }
}

function drawAffinity(draw: Draw, fault: number): Fields {
  const terms = (least: number) => draw.times(draw.integer(least, 2), () => drawNodeTerm(draw, fault))
  const node = {
    ...(draw.percent(50) ? { [REQUIRED]: { nodeSelectorTerms: terms(draw.percent(fault) ? 0 : 1) } } : {}),
    ...(draw.percent(50)
      ? { [PREFERRED]: terms(1).map((preference) => ({ weight: drawWeight(draw, fault), preference })) }
      : {}),
  }
  return {
    ...(draw.percent(50) ? { nodeAffinity: node } : {}),
    ...(draw.percent(50) ? { podAffinity: drawPodAffinity(draw, fault) } : {}),
    ...(draw.percent(50) ? { podAntiAffinity: drawPodAffinity(draw, fault) } : {}),
  }
}

function drawWeight(draw: Draw, fault: number): number {
  return draw.percent(fault) ? draw.one([0, 101, -1]) : draw.one([1, 50, 100])
}

function drawPodAffinity(draw: Draw, fault: number): Fields {
  const terms = () => draw.times(draw.integer(0, 2), () => drawPodTerm(draw, fault))
  return {
    ...(draw.percent(50) ? { [REQUIRED]: terms() } : {}),
    ...(draw.percent(50)
      ? { [PREFERRED]: terms().map((podAffinityTerm) => ({ weight: drawWeight(draw, fault), podAffinityTerm })) }
      : {}),
  }
}

function drawPodTerm(draw: Draw, fault: number): Fields {
  const key = draw.percent(fault) ? draw.one(['', 'a b']) : draw.one(KEYS)
  return {
    ...(key === '' && draw.percent(50) ? {} : { topologyKey: key }),
    ...(draw.percent(80) ? { labelSelector: drawSelector(draw, fault) } : {}),
    ...(draw.percent(15) ? { namespaceSelector: drawSelector(draw, fault) } : {}),
    ...(draw.percent(20) ? { namespaces: draw.percent(fault) ? ['A', ''] : ['infra', 'x'] } : {}),
    ...(draw.percent(15) ? { matchLabelKeys: [drawKey(draw, fault)] } : {}),
    ...(draw.percent(10) ? { mismatchLabelKeys: [drawKey(draw, fault)] } : {}),
  }
}

function drawSelector(draw: Draw, fault: number): Fields {
  return {
    ...(draw.percent(60) ? { matchLabels: drawLabels(draw, fault) } : {}),
    ...(draw.percent(40)
      ? { matchExpressions: draw.times(draw.integer(1, 3), () => drawRequirement(draw, fault, OPERATORS)) }
      : {}),
  }
}

function drawConstraint(draw: Draw, fault: number): Fields {
  const whenUnsatisfiable = draw.percent(fault)
    ? draw.one(['Sometimes', ''])
    : draw.one(['DoNotSchedule', 'ScheduleAnyway'])
  const mayHaveDomains = whenUnsatisfiable === 'DoNotSchedule' || draw.percent(fault)
  return {
    maxSkew: draw.percent(fault) ? draw.one([0, -1]) : draw.one([1, 2, 100]),
    topologyKey: draw.percent(fault) ? draw.one(['', 'a b', '-x']) : draw.one(KEYS),
    whenUnsatisfiable,
    ...(mayHaveDomains && draw.percent(30) ? { minDomains: draw.percent(fault) ? draw.one([0, -1]) : 2 } : {}),
    ...(draw.percent(70) ? { labelSelector: drawSelector(draw, fault) } : {}),
    ...(draw.percent(15) ? { nodeAffinityPolicy: draw.percent(fault) ? 'Maybe' : draw.one(['Honor', 'Ignore']) } : {}),
    ...(draw.percent(15) ? { nodeTaintsPolicy: draw.percent(fault) ? '' : draw.one(['Honor', 'Ignore']) } : {}),
    ...(draw.percent(15) ? { matchLabelKeys: [drawKey(draw, fault)] } : {}),
  }
}

/** Of what reserves nothing nodefit says so, which is not the API server's to refuse: there is always a cpu, or hugepages alone. */
function drawResources(draw: Draw, fault: number): Fields {
  const requests: Fields = {}
  const limits: Fields = {}
  const isBare = draw.percent(fault)
  if (!isBare) requests.cpu = draw.one(['100m', '1', 1, '0.5'])
  if (!isBare && draw.percent(50)) limits.cpu = draw.one(draw.percent(fault) ? ['50m'] : ['1', '2'])
  if (requests.cpu === '1' || requests.cpu === 1) delete limits.cpu
  if (!isBare && draw.percent(50)) requests.memory = draw.one(['64Mi', '1G', ...(draw.percent(fault) ? ['-1'] : [])])
  if (isBare || draw.percent(30)) {
    const name = isBare ? 'hugepages-2Mi' : draw.one(['hugepages-2Mi', 'hugepages-1Gi', 'example.com/gpu'])
    const amount =
      name === 'example.com/gpu' ? draw.one(['1', 2]) : name === 'hugepages-1Gi' ? '1Gi' : draw.one(['2Mi', '4Mi'])
    if (!draw.percent(fault)) limits[name] = amount
    if (draw.percent(60) || limits[name] === undefined) requests[name] = draw.percent(fault) ? '6Mi' : amount
  }
  if (draw.percent(fault)) requests[draw.one(['gpu', 'pods', 'kubernetes.io/x', 'a b', 'requests.example.com/x'])] = '1'
  return { requests, ...(Object.keys(limits).length > 0 ? { limits } : {}) }
}
