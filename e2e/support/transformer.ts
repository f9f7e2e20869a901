import { parseAllDocuments, parseDocument, stringify } from 'yaml'

type Files = Readonly<Record<string, string>>

const FUNCTION = 'config.kubernetes.io/function'
const EXEC = 'exec:\n  path: nodefit-fn\n'
const RESOURCE = /(?<!(^|\/)kustomization)\.ya?ml$/

/**
 * A package as a kustomization: every YAML file a resource, and the function as a transformer, configured by the policy as docs/deliver/kustomize.md
 * has it, or by a RenderConfig where there are several; by a ConfigMap with flat keys where there is none.
 */
export function asKustomization(source: Files, flat: readonly string[]): Files {
  const resources = Object.keys(source).filter((path) => RESOURCE.test(path))
  const kinds = new Map(resources.map((path) => [path, parseDocument(source[path] ?? '').get('kind')]))
  const of = (kind: string) => resources.filter((path) => kinds.get(path) === kind)
  const [policy, second] = of('SizingPolicy')
  const [config] = of('RenderConfig')
  const [order] = of('Order').filter((path) => {
    const [document, another] = parseAllDocuments(source[path] ?? '')
    return another === undefined && document?.getIn(['spec', 'daemonSet']) === true
  })
  const given = second === undefined && config === undefined ? (policy ?? order) : config
  const files = { ...source }
  let transformer = 'transformer.yaml'
  if (given !== undefined) {
    transformer = given
    const document = parseDocument(source[given] ?? '')
    document.setIn(['metadata', 'annotations', FUNCTION], EXEC)
    document.deleteIn(['metadata', 'annotations', 'config.kubernetes.io/local-config'])
    files[given] = document.toString()
  } else {
    const annotations = { [FUNCTION]: EXEC }
    const data = Object.fromEntries(flat.map((one) => one.split('=')))
    const made =
      flat.length > 0
        ? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'flat', annotations }, data }
        : { apiVersion: 'nodefit.dev/v1alpha1', kind: 'RenderConfig', metadata: { name: 'config', annotations } }
    files[transformer] = stringify(made)
  }
  return { ...files, 'kustomization.yaml': stringify({ resources, transformers: [transformer] }) }
}
