import type { Container, EnvVar, ResourceQuantities, ResourceRequirements } from '../kube/index.ts'
import type { PercentageName } from '../policy/index.ts'
import type { ContainerSize, DerivedEnv } from '../sizing/index.ts'
import type { SeLinux } from './selinux.ts'

/** A container with its sizes, derived variables and SELinux type; everything else as the template has it. */
export function sizeContainer(
  container: Container,
  size: ContainerSize,
  env: readonly DerivedEnv[],
  seLinux: SeLinux | undefined,
): Container {
  const own = env.filter((variable) => variable.container === container.name)
  const sized: Container = { ...container, resources: sizedResources(container.resources, size) }
  if (own.length > 0) sized.env = own.reduce(setVariable, container.env ?? [])
  const { securityContext } = container
  const present = (securityContext?.seLinuxOptions as { type?: unknown } | null | undefined)?.type
  if (seLinux !== undefined && (seLinux.on === 'all' || (present ?? undefined) !== undefined)) {
    const { type } = seLinux
    sized.securityContext = { ...securityContext, seLinuxOptions: { ...securityContext?.seLinuxOptions, type } }
  }
  return sized
}

/** Requests and limits with the sizes in them; what is empty then is left out. */
export function sizedResources(
  resources: ResourceRequirements | null | undefined,
  size: ContainerSize,
): ResourceRequirements {
  return withoutEmpty({
    ...resources,
    requests: amounts(resources?.requests, size, 'requestCPU', 'requestMemory'),
    limits: amounts(resources?.limits, size, 'limitCPU', 'limitMemory'),
  })
}

/** cpu and memory as computed, absent where no percentage is set; other resources stay. */
function amounts(
  template: ResourceQuantities | undefined,
  { printed }: ContainerSize,
  cpu: PercentageName,
  memory: PercentageName,
): ResourceQuantities {
  const result = { ...template }
  for (const [name, key] of [
    ['cpu', cpu],
    ['memory', memory],
  ] as const) {
    const text = printed.get(key)
    if (text === undefined) delete result[name]
    else result[name] = text
  }
  return result
}

function withoutEmpty<T extends object>(resources: T): T {
  return Object.fromEntries(Object.entries(resources).filter(([, value]) => !isEmptyMap(value))) as T
}

function isEmptyMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Sets a variable where it stands, or adds it behind the others. */
function setVariable(env: EnvVar[], { name, value }: DerivedEnv): EnvVar[] {
  const variable = { name, value }
  return env.some((one) => one.name === name)
    ? env.map((one) => (one.name === name ? variable : one))
    : [...env, variable]
}
