import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { ROOT } from '../build/bundle.ts'

/** What stands for the image in files that are shipped; a release sets its own. */
export const IMAGE = 'registry.example.com/nodefit'

const HEAD = `# nodefit in the repo server of an Argo CD that was installed with kubectl apply, as one file: set the image, then
#   kubectl -n argocd patch deployment argocd-repo-server --patch-file sidecar.yaml
# It is a patch, which adds and never takes away; the image has the plugin in it. Never give it to kubectl apply --server-side: kubectl would
# make it the owner of what kubectl apply owned.
# Written by npm run generate from repo-server.yaml.
`

interface Added {
  readonly path: string
  readonly value: {
    readonly name: string
    readonly configMap?: object
    readonly volumeMounts?: ReadonlyArray<{ readonly name: string }>
  }
}

/**
 * deploy/argocd/sidecar.yaml: what the component of deploy/argocd adds to the repo server, as a strategic merge patch.
 * Without the ConfigMap of the plugin it is one file.
 */
export function argocdSidecar(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const added = parse(readFileSync(join(ROOT, 'deploy/argocd/repo-server.yaml'), 'utf8')) as readonly Added[]
  const below = (list: string) => added.filter(({ path }) => path.endsWith(`/${list}/-`)).map(({ value }) => value)
  const [inFiles = [], volumes = []] = [true, false].map((is) =>
    below('volumes').filter(({ configMap }) => (configMap !== undefined) === is),
  )
  const containers = below('containers').map(({ volumeMounts = [], ...container }) => ({
    ...container,
    image: `${IMAGE}:${version}`,
    volumeMounts: volumeMounts.filter((mount) => !inFiles.some(({ name }) => name === mount.name)),
  }))
  // a patch puts what is new first, where kubectl logs and exec would mean it
  const order = {
    '$setElementOrder/containers': [{ name: 'argocd-repo-server' }, ...containers.map(({ name }) => ({ name }))],
  }
  return HEAD + stringify({ spec: { template: { spec: { ...order, containers, volumes } } } }, { lineWidth: 0 })
}
