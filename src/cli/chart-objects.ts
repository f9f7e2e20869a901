import { isAutoscalerOn, isMalwareDetected, isOperatorConfig, operatorValues } from '../daemonset/index.ts'
import { UserError } from '../files/user-error.ts'
import type { KubernetesObject } from '../krm/types.ts'

/** What a package needs of Kubescape's chart. */
export interface ChartObjects {
  readonly template: KubernetesObject
  /** The operator's configuration, where it says anything of its autoscaler. */
  readonly operator?: KubernetesObject
  /** The configurations that are kept beside the template: the operator's, once its loop is off, and the agent's. */
  readonly kept: readonly KubernetesObject[]
}

const TEMPLATE_KEY = 'daemonset-template.yaml'
const TEMPLATE_NAME = 'node-agent-daemonset-template'

/**
 * Picks from manifests of Kubescape's chart the template and the configurations of operator and agent: ConfigMaps all three, whatever
 * else is there. A single ConfigMap is the template, whatever it is called. Throws `UserError` where there is not one of each.
 */
export function chartObjects(objects: readonly KubernetesObject[], file: string): ChartObjects {
  const maps = objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'ConfigMap')
  const [only] = maps
  const template = objects.length === 1 && only !== undefined ? only : oneOf(maps.filter(isTemplate), file)
  const { namespace } = template.metadata
  const isBeside = ({ metadata }: KubernetesObject) => metadata.namespace === namespace
  const operators = maps.filter((map) => isOperatorConfig(map) && operatorValues(map) !== undefined && isBeside(map))
  if (operators.length > 1) throw new UserError(`${file} holds ${operators.length} configurations of the operator`)
  const [operator] = operators
  const agents = maps.filter((map) => isMalwareDetected(map) !== undefined && isBeside(map))
  const off = operator === undefined || isAutoscalerOn(operator) ? [] : [operator]
  return { template, operator, kept: [...off, ...agents] }
}

function isTemplate({ metadata, data }: KubernetesObject): boolean {
  return metadata.name === TEMPLATE_NAME || Object.hasOwn((data ?? {}) as object, TEMPLATE_KEY)
}

function oneOf(templates: readonly KubernetesObject[], file: string): KubernetesObject {
  const [first, ...others] = templates
  if (first === undefined)
    throw new UserError(
      `${file} holds no ConfigMap ${TEMPLATE_NAME}: the chart prints it with --set nodeAgent.autoscaler.enabled=true`,
    )
  if (others.length > 0) throw new UserError(`${file} holds ${templates.length} templates of the chart`)
  return first
}
