import type { Container, EnvVar } from '../kube/index.ts'
import { sizedResources } from '../object/index.ts'
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
  const sized: Container = { ...container, resources: sizedResources(container.resources, size.printed) }
  if (own.length > 0) sized.env = own.reduce(setVariable, container.env ?? [])
  const { securityContext } = container
  const present = (securityContext?.seLinuxOptions as { type?: unknown } | null | undefined)?.type
  if (seLinux !== undefined && (seLinux.on === 'all' || (present ?? undefined) !== undefined)) {
    const { type } = seLinux
    sized.securityContext = { ...securityContext, seLinuxOptions: { ...securityContext?.seLinuxOptions, type } }
  }
  return sized
}

/** Sets a variable where it stands, or adds it behind the others. */
function setVariable(env: EnvVar[], { name, value }: DerivedEnv): EnvVar[] {
  const variable = { name, value }
  return env.some((one) => one.name === name)
    ? env.map((one) => (one.name === name ? variable : one))
    : [...env, variable]
}
