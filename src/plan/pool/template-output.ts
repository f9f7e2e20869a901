import { OPENED, OPENED_FOR, REQUIREMENTS } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { isTime, timeText } from '../../kube/index.ts'
import { goneNames, keptClaim, rendered, takenOverAt, withRecord } from './claims-output.ts'
import { finding } from './codes.ts'
import { type MachineClaim, openedAt, podsIn, requirementsOf } from './machines.ts'
import type { Opened } from './openings.ts'
import type { Output } from './output.ts'
import type { PoolSettings } from './settings.ts'

/** Any object for each machine, as the policy writes it: of kubemox, Metal3, a Redfish or vSphere operator. */
export const templateOutput: Output = {
  picks: true,
  takesSizes: true,
  remembersPods: true,
  problems: ({ subject: { object: subject }, output }) => {
    const { apiVersion, kind }: { apiVersion?: unknown; kind?: unknown } = output.template ?? {}
    if (typeof apiVersion === 'string' && typeof kind === 'string') return []
    const sentence = `${subject.metadata.name}: spec.output.template has no apiVersion and kind`
    return [finding('OutputInvalid', sentence, { subject, field: { path: 'spec.output.template' } })]
  },
  claims: ({ own, now }) =>
    new Map(
      [...own].flatMap((item): Array<[string, MachineClaim]> => {
        const { metadata } = item.object
        const opened = openedAt(item.object, now)
        const text = metadata.annotations?.[REQUIREMENTS]
        if (text === undefined && opened === undefined) return []
        const claim = {
          ...{ name: metadata.name, item, isOurs: true, requirements: readRequirements(text), openedAt: opened },
          ...{ openedFor: podsIn(metadata.annotations?.[OPENED_FOR]), createdAt: opened ?? takenOverAt(item, now) },
        }
        return [[metadata.name, claim]]
      }),
    ),
  render: (pool, run, world, earlier) => {
    const { settings, machines } = pool
    const gone = goneNames(pool, run)
    const known = new Set(machines.flatMap(({ claim }) => claim?.item ?? []))
    const kept = earlier
      .filter((item) => known.has(item) && !gone.has(item.object.metadata.name))
      .map((item) => keptClaim(item, machines, { now: run.now, clock: world.clock }))
    const opened = run.packing.opened.get(pool) ?? []
    const added = opened.map((one) => rendered(fill(one, settings, run.now), settings))
    return withRecord(pool, run, world, earlier, [...kept, ...added])
  },
}

/** Renders the object of a machine; its name is that of the machine, whatever the template says. */
function fill({ bin, size, pods }: Opened, settings: PoolSettings, now: number): KubernetesObject {
  const { cpuCores, memoryMiB } = size.requirements
  const values = { name: bin.name, pool: settings.name, cpuCores, memoryMiB }
  const object = substituted(settings.output.template ?? {}, values) as unknown as KubernetesObject
  const { apiVersion, kind, metadata, ...others } = object
  const namespace = metadata?.namespace ?? settings.namespace
  return {
    apiVersion,
    kind,
    metadata: {
      ...metadata,
      name: bin.name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...metadata?.labels, [settings.labelKey]: settings.name },
      annotations: {
        ...metadata?.annotations,
        [OPENED]: timeText(now),
        ...(pods.length === 0 ? {} : { [OPENED_FOR]: [...pods].sort().join(' ') }),
        [REQUIREMENTS]: `${cpuCores}/${memoryMiB}`,
      },
    },
    ...others,
  }
}

type Values = Readonly<Record<'name' | 'pool' | 'cpuCores' | 'memoryMiB', string | number>>

/** A value that is nothing but a number's name becomes that number. */
function substituted(value: unknown, values: Values): unknown {
  if (Array.isArray(value)) return value.map((one) => substituted(one, values))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, substituted(one, values)]))
  if (typeof value !== 'string') return value
  const whole = /^\$\((\w+)\)$/.exec(value)?.[1]
  if (whole !== undefined && Object.hasOwn(values, whole)) return values[whole as keyof Values]
  return value.replace(/\$\((name|pool|cpuCores|memoryMiB)\)/g, (_, name: keyof Values) => String(values[name]))
}

function readRequirements(text: unknown): MachineClaim['requirements'] {
  const [cpuCores, memoryMiB] = typeof text === 'string' && !isTime(text) ? text.split('/').map(Number) : []
  return requirementsOf({ cpuCores, memoryMiB })
}
