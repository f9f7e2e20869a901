import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments, stringify } from 'yaml'
import { ROOT, run } from './hosts.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

/** As much of Argo CD's own manifests as the component changes. */
const BASE = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cm', labels: { 'app.kubernetes.io/part-of': 'argocd' } },
    data: { 'application.resourceTrackingMethod': 'annotation' },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'argocd-repo-server' },
    spec: {
      selector: { matchLabels: { 'app.kubernetes.io/name': 'argocd-repo-server' } },
      template: {
        metadata: { labels: { 'app.kubernetes.io/name': 'argocd-repo-server' } },
        spec: {
          automountServiceAccountToken: false,
          containers: [{ name: 'argocd-repo-server', image: 'argocd' }],
          volumes: [
            { name: 'var-files', emptyDir: {} },
            { name: 'plugins', emptyDir: {} },
            { name: 'tmp', emptyDir: {} },
          ],
        },
      },
    },
  },
]

/** Argo CD's objects with the component of deploy/argocd, as kustomize builds them in a folder. */
export function withComponent(folder: string): Any[] {
  cpSync(join(ROOT, 'deploy/argocd'), join(folder, 'nodefit'), { recursive: true })
  writeFileSync(join(folder, 'base.yaml'), BASE.map((object) => stringify(object)).join('---\n'))
  const shown = readFileSync(join(ROOT, 'testdata/argocd/kustomization.yaml'), 'utf8')
  writeFileSync(join(folder, 'kustomization.yaml'), shown.replace(/https:.*install\.yaml/, 'base.yaml'))
  const { status, stdout, stderr } = run('kustomize', ['build', folder])
  if (status !== 0) throw new Error(stderr)
  return parseAllDocuments(stdout).map((document) => document.toJS())
}

/** The ConfigMap argocd-cm among them. */
export function argocdConfig(folder: string): Any {
  return withComponent(folder).find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'argocd-cm')
}
