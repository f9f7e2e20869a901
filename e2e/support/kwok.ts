import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { goModule } from './go-module.ts'
import { freePorts } from './ports.ts'
import { PATH } from './program.ts'
import { answers, type Server, type Servers } from './servers.ts'

const READY = 'pod/fast/pod-ready.yaml'
const STAGES = ['node/fast/node-initialize.yaml', READY, 'pod/fast/pod-complete.yaml', 'pod/fast/pod-delete.yaml']

/** What kubelets measure: of each pod what its annotations kwok.x-k8s.io/usage-cpu and usage-memory say. */
const METRICS = ['metrics/resource/metrics-resource.yaml', 'metrics/usage/usage-from-annotation.yaml']

/**
 * Starts kwok, which says of every node that it is ready and of every pod bound to one that it runs, so long after it was
 * made. With a certificate and a key it also serves the kubelets' metrics by TLS.
 */
export async function startKwok(
  servers: Servers,
  kubeconfig: string,
  tls?: { readonly certificate: string; readonly key: string },
  startMilliseconds = 0,
): Promise<Server> {
  const module = goModule('kwok', 'sigs.k8s.io/kwok')
  const [port] = await freePorts(1)
  const configs = [...STAGES.map((stage) => `stage/${stage}`), ...(tls === undefined ? [] : METRICS)]
  const files = configs.map((config) => join(module, 'kustomize', config))
  if (startMilliseconds > 0) {
    const late = join(dirname(kubeconfig), 'pod-ready.yaml')
    const ready = files[STAGES.indexOf(READY)] ?? ''
    const delay = `\n  delay:\n    durationMilliseconds: ${startMilliseconds}\n  next:`
    writeFileSync(late, readFileSync(ready, 'utf8').replace('\n  next:', delay))
    files[STAGES.indexOf(READY)] = late
  }
  const stages = files.map((file) => `--config=${file}`)
  const address = `127.0.0.1:${port}`
  const flags = ['--manage-all-nodes=true', '--node-ip=127.0.0.1', `--server-address=${address}`]
  if (tls !== undefined)
    flags.push(`--node-port=${port}`, `--tls-cert-file=${tls.certificate}`, `--tls-private-key-file=${tls.key}`)
  return servers.start('kwok', ['kwok', `--kubeconfig=${kubeconfig}`, ...flags, ...stages], {
    env: { PATH, HOME: process.env.HOME },
    isReady: () => answers(`http://${address}/healthz`),
  })
}
