import { isMap } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import {
  isAutoscalerOn,
  isMalwareDetected,
  isOperatorConfig,
  operatorValues,
  withoutTrailingBlanks,
  withReadSettings,
} from '../../plan/daemonset/index.ts'
import { UserError } from '../files/user-error.ts'

/** The objects of Kubescape's chart that a package needs. */
export interface ChartObjects {
  readonly template: KubernetesObject
  /** The ConfigMap of the operator, if it configures the autoscaler. */
  readonly operator?: KubernetesObject
  /**
   * ConfigMaps to keep beside the template, with the settings that are read and no other: the agent's, and the
   * operator's unless it is a live one whose autoscaler is on, since the release is switched after the first render.
   */
  readonly kept: readonly KubernetesObject[]
}

const TEMPLATE_KEY = 'daemonset-template.yaml'
const TEMPLATE_NAME = 'node-agent-daemonset-template'

/**
 * Picks the template and the ConfigMaps of operator and agent from manifests of Kubescape's chart, and ignores other
 * objects. A single ConfigMap is the template, whatever its name. Throws `UserError` without a template or for several,
 * and for a configuration of the operator that is not JSON.
 */
export function chartObjects(objects: readonly KubernetesObject[], file: string): ChartObjects {
  const maps = objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'ConfigMap')
  const [only] = maps
  const template = objects.length === 1 && only !== undefined ? only : onlyTemplate(maps.filter(isTemplate), file)
  const { namespace } = template.metadata
  const isBeside = ({ metadata }: KubernetesObject) => metadata.namespace === namespace
  const broken = maps.find((map) => isOperatorConfig(map) && isAutoscalerOn(map) === undefined && isBeside(map))
  if (broken !== undefined)
    throw new UserError(
      `${file}: data.config.json of ConfigMap ${broken.metadata.name} is not JSON: give it as the chart prints it`,
    )
  const operators = maps.filter((map) => isOperatorConfig(map) && operatorValues(map) !== undefined && isBeside(map))
  if (operators.length > 1)
    throw new UserError(`${file} holds ${operators.length} ConfigMaps of the operator: give a file with one`)
  const [operator] = operators
  const agents = maps.filter((map) => isMalwareDetected(map) !== undefined && isBeside(map))
  const isKept = operator !== undefined && (operator.metadata.uid === undefined || isAutoscalerOn(operator) !== true)
  return {
    template: asBlock(template),
    operator,
    kept: [...(isKept ? [operator] : []), ...agents].map(withReadSettings),
  }
}

/** Returns the ConfigMap with a template that can be written as a block, which shows its changes line by line. */
function asBlock(template: KubernetesObject): KubernetesObject {
  const data = isMap(template.data) ? template.data : {}
  const texts = Object.entries(data).map(([key, text]) => {
    const isText = key === TEMPLATE_KEY && typeof text === 'string'
    return [key, isText ? withoutTrailingBlanks(text) : text]
  })
  return texts.length === 0 ? template : { ...template, data: Object.fromEntries(texts) }
}

function isTemplate({ metadata, data }: KubernetesObject): boolean {
  return metadata.name === TEMPLATE_NAME || Object.hasOwn((data ?? {}) as object, TEMPLATE_KEY)
}

function onlyTemplate(templates: readonly KubernetesObject[], file: string): KubernetesObject {
  const [first, ...others] = templates
  if (first === undefined)
    throw new UserError(
      `${file} holds no ConfigMap ${TEMPLATE_NAME}: the chart prints it with --set nodeAgent.autoscaler.enabled=true`,
    )
  if (others.length > 0)
    throw new UserError(`${file} holds ${templates.length} templates of the chart: give a file with one`)
  return first
}
